//! Writes the handlers that the tests run.

use std::{env, fs, path::Path};

#[path = "src/generate/mod.rs"]
#[allow(dead_code, unreachable_pub, unused_imports)]
mod generate;

use generate::{Choices, SOURCE, handler};

/// Which handlers the tests run unless told otherwise: the second half of these has no construct that the
/// first lacks. A long run of `./test` has as many more.
const USUAL: &str = "0..150";

fn main() {
    // Nobody launches these by name.
    println!("cargo::rustc-env=ANNULUS_UNREGISTERED=1");
    println!("cargo::rerun-if-env-changed=ANNULUS_HANDLERS");
    println!("cargo::rerun-if-changed=src/generate");
    println!("cargo::rerun-if-changed=build.rs");
    let wanted = env::var("ANNULUS_HANDLERS").unwrap_or_else(|_| USUAL.into());
    let mut named: Vec<(String, Choices)> = Vec::new();
    if wanted.starts_with(|first: char| first.is_ascii_digit()) {
        let seed = |text: &str| {
            text.parse::<u64>().expect("ANNULUS_HANDLERS has seeds and ranges of them, as 0..300,505,1039")
        };
        for part in wanted.split(',') {
            let range = match part.split_once("..") {
                Some((first, end)) => seed(first)..seed(end),
                None => seed(part)..seed(part) + 1,
            };
            named.extend(range.map(|seed| (format!("random_{seed}"), Choices::random(seed))));
        }
    } else {
        // A file with a list of choices a line.
        println!("cargo::rerun-if-changed={wanted}");
        let text = fs::read_to_string(&wanted).expect("ANNULUS_HANDLERS names a file that can be read");
        for (index, line) in text.lines().enumerate() {
            let choices = line.split_whitespace().map(|word| word.parse().expect("choices are numbers"));
            named.push((format!("shrunk_{index}"), Choices::of(choices.collect())));
        }
    }
    let mut source = SOURCE.to_owned();
    let mut list = String::from("pub static HANDLERS: &[&KernelDefinition] = &[\n");
    for (name, mut choices) in named {
        source.push_str(&handler(&name, &mut choices));
        list.push_str(&format!("    <{name} as RingKernel>::DEFINITION,\n"));
    }
    source.push_str(&list);
    source.push_str("];\n");
    let folder = env::var("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&folder).join("handlers.rs"), source).expect("the folder can be written");
}
