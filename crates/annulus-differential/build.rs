//! Writes the handlers that the tests run.

use std::{env, fs, path::Path};

#[path = "src/generate/mod.rs"]
#[allow(dead_code, unreachable_pub, unused_imports)]
mod generate;

use generate::{Choices, SOURCE, block_handler, handler, handler_by_ways, handler_of_several};

/// Which handlers the tests run unless told otherwise: the second half of these has no construct that the
/// first lacks. A long run of `./test` has as many more.
const USUAL: &str = "0..150";

/// Which handlers with two outboxes and a reply.
const USUAL_SEVERAL: &str = "0..20";

/// Which handlers that send to themselves, ask, send to whom their outputs name, to those that take a topic, and along
/// rows. Each has one of these ways.
const USUAL_WAYS: &str = "0..40";

/// Which handlers of whole blocks: few, since a device's compiler takes one or two seconds for each. They have
/// blocks of 4, 33, 40, 64 and 96 threads, shared memory, shuffles, votes, reductions, scans, atomics, and
/// blocks that are torn. A long run of `./test` has the first 18.
const USUAL_BLOCKS: &str = "0,2..5,12";

/// No handlers at all.
const NONE: &str = "pub static HANDLERS: &[&KernelDefinition] = &[];
pub static WAYS: &[&KernelDefinition] = &[];
pub static BLOCKS: &[(&KernelDefinition, u32)] = &[];
";

fn main() {
    // Nobody launches these by name.
    println!("cargo::rustc-env=ANNULUS_UNREGISTERED=1");
    println!("cargo::rerun-if-changed=src/generate");
    println!("cargo::rerun-if-changed=build.rs");
    let mut source = SOURCE.to_owned();
    let mut list = String::from("pub static HANDLERS: &[&KernelDefinition] = &[\n");
    for (name, mut choices) in wanted("ANNULUS_HANDLERS", USUAL, "random") {
        source.push_str(&handler(&name, &mut choices));
        list.push_str(&format!("    <{name} as RingKernel>::DEFINITION,\n"));
    }
    for (name, mut choices) in wanted("ANNULUS_SEVERAL", USUAL_SEVERAL, "several") {
        source.push_str(&handler_of_several(&name, &mut choices));
        list.push_str(&format!("    <{name} as RingKernel>::DEFINITION,\n"));
    }
    list.push_str("];\n/// Those that send by other ways than plain outboxes.\n");
    list.push_str("pub static WAYS: &[&KernelDefinition] = &[\n");
    for (name, mut choices) in wanted("ANNULUS_WAYS", USUAL_WAYS, "way") {
        source.push_str(&handler_by_ways(&name, &mut choices));
        list.push_str(&format!("    <{name} as RingKernel>::DEFINITION,\n"));
    }
    list.push_str("];\n/// Those of whole blocks, and how many threads each has.\n");
    list.push_str("pub static BLOCKS: &[(&KernelDefinition, u32)] = &[\n");
    for (name, mut choices) in wanted("ANNULUS_BLOCKS", USUAL_BLOCKS, "block") {
        let (text, threads) = block_handler(&name, &mut choices);
        source.push_str(&text);
        list.push_str(&format!("    (<{name} as RingKernel>::DEFINITION, {threads}),\n"));
    }
    source.push_str(&list);
    source.push_str("];\n");
    let folder = env::var("OUT_DIR").expect("cargo says where");
    for (file, text) in [("handlers.rs", source), ("no_handlers.rs", format!("{SOURCE}{NONE}"))] {
        fs::write(Path::new(&folder).join(file), text).expect("the folder can be written");
    }
}

/// The handlers that a variable asks for, by their names.
fn wanted(variable: &str, usual: &str, prefix: &str) -> Vec<(String, Choices)> {
    println!("cargo::rerun-if-env-changed={variable}");
    let wanted = env::var(variable).unwrap_or_else(|_| usual.into());
    let mut named: Vec<(String, Choices)> = Vec::new();
    if wanted.starts_with(|first: char| first.is_ascii_digit()) {
        let seed = |text: &str| {
            text.parse::<u64>().unwrap_or_else(|_| {
                panic!("{variable} has seeds and ranges of them, as 0..300,505,1039, and not `{text}`")
            })
        };
        for part in wanted.split(',') {
            let range = match part.split_once("..") {
                Some((first, end)) => seed(first)..seed(end),
                None => seed(part)..seed(part) + 1,
            };
            named.extend(range.map(|seed| (format!("{prefix}_{seed}"), Choices::random(seed))));
        }
    } else {
        // A file with a list of choices a line.
        println!("cargo::rerun-if-changed={wanted}");
        let text = fs::read_to_string(&wanted)
            .unwrap_or_else(|error| panic!("{variable} names the file {wanted}: {error}"));
        for (index, line) in text.lines().enumerate() {
            let choices = line.split_whitespace().map(|word| word.parse().expect("choices are numbers"));
            named.push((format!("shrunk_{index}"), Choices::of(choices.collect())));
        }
    }
    named
}
