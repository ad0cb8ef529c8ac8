//! The texts that kernels are lowered to, kept as files: `UPDATE_SNAPSHOTS=1 cargo test -p
//! annulus-conformance --test snapshots` writes them anew; read the difference before committing.
//!
//! OpenCL's are kept whole. The other dialects spell the same program a little differently: a test rewrites
//! their texts in OpenCL's spelling, and keeps the lines that differ still (`snapshots/cuda.diff`,
//! `metal.diff`).

use std::{env, fs, path::Path};

use annulus_conformance::kernels;
use annulus_kernel::{KernelDefinition, RingKernel, Target};

fn check(definitions: &[&'static KernelDefinition], target: Target) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(target.name());
    let update = env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut differences = Vec::new();
    for definition in definitions {
        let text = definition.handler_source(target).unwrap_or_else(|error| panic!("{error}"));
        let text = without_lines(&text, definition.line);
        let path = folder.join(format!("{}.{}", definition.name, target.extension()));
        if update {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&path, text).expect("the file can be written");
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().zip(expected.lines()).enumerate();
        let first = lines.filter(|(_, (now, before))| now != before).map(|(line, _)| line + 1).next();
        if text != expected {
            differences.push(format!("{}: line {}", path.display(), first.unwrap_or(1)));
        }
    }
    assert!(
        differences.is_empty(),
        "these texts are not what they were; UPDATE_SNAPSHOTS=1 accepts them:\n{}",
        differences.join("\n")
    );
}

/// Comments name lines of the Rust by their distance from the handler's, so that what is written above it
/// changes nothing.
fn without_lines(text: &str, handler: u32) -> String {
    let mut relative = String::with_capacity(text.len());
    for line in text.lines() {
        match line.split_once(".rs:") {
            Some((before, after)) if line.trim_start().starts_with("//") => {
                let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let number: u32 = after[..digits].parse().expect("a line's number follows");
                let distance = i64::from(number) - i64::from(handler);
                relative.push_str(&format!("{before}.rs:{distance:+}{}", &after[digits..]));
            }
            _ => relative.push_str(line),
        }
        relative.push('\n');
    }
    relative
}

#[test]
fn opencl() {
    check(kernels::SUITE, Target::OpenCl);
    check(kernels::CONSTRUCTS, Target::OpenCl);
    check(kernels::CORNERS, Target::OpenCl);
    check(kernels::VALUES, Target::OpenCl);
    check(kernels::ITEMS, Target::OpenCl);
    check(kernels::OWN, Target::OpenCl);
    check(kernels::REAL, Target::OpenCl);
    check(kernels::prints::PRINTS, Target::OpenCl);
    check(kernels::together::TOGETHER, Target::OpenCl);
    check(kernels::bodies::BODIES, Target::OpenCl);
    check(kernels::order::ORDER, Target::OpenCl);
    check(kernels::ports::PORTS, Target::OpenCl);
    check(kernels::through::THROUGH, Target::OpenCl);
    check(kernels::timers::TIMERS, Target::OpenCl);
    check(kernels::events::EVENTS, Target::OpenCl);
    check(kernels::variants::VARIANTS, Target::OpenCl);
    check(kernels::peers::PEERS, Target::OpenCl);
    check(kernels::barriers::BARRIERS, Target::OpenCl);
    check(kernels::topics::TOPICS, Target::OpenCl);
    check(kernels::rows::ROWS, Target::OpenCl);
    check(kernels::asks::ASKING, Target::OpenCl);
    check(kernels::replied::REPLIED, Target::OpenCl);
    check(kernels::stamps::STAMPED, Target::OpenCl);
    check(kernels::balance::BALANCE, Target::OpenCl);
    check(&[kernels::shared::shares_much::DEFINITION], Target::OpenCl);
    check(&[kernels::checks::i16_checks::DEFINITION], Target::OpenCl);
    check(
        &[kernels::numbers::i32_numbers::DEFINITION, kernels::numbers::f32_numbers::DEFINITION],
        Target::OpenCl,
    );
}

/// All kernels, of which some have no text of their own in the folder.
fn all() -> impl Iterator<Item = &'static KernelDefinition> {
    let lists = [
        kernels::SUITE,
        kernels::INTEGERS,
        kernels::CHECKS,
        kernels::FLOATS,
        kernels::FUNCTIONS,
        kernels::CONSTRUCTS,
        kernels::CORNERS,
        kernels::EDGES,
        kernels::VALUES,
        kernels::ITEMS,
        kernels::OWN,
        kernels::REAL,
        kernels::prints::PRINTS,
        kernels::together::TOGETHER,
        kernels::bodies::BODIES,
        kernels::order::ORDER,
        kernels::ports::PORTS,
        kernels::through::THROUGH,
        kernels::timers::TIMERS,
        kernels::events::EVENTS,
        kernels::variants::VARIANTS,
        kernels::peers::PEERS,
        kernels::barriers::BARRIERS,
        kernels::topics::TOPICS,
        kernels::rows::ROWS,
        kernels::asks::ASKING,
        kernels::replied::REPLIED,
        kernels::stamps::STAMPED,
        kernels::balance::BALANCE,
        &[kernels::shared::shares_much::DEFINITION],
    ];
    lists.into_iter().flatten().copied()
}

/// The text in OpenCL's spelling: literals of 64 bits, and how a function is declared.
fn in_opencl_s_spelling(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.replace("static __device__ ", "static ").replace("static inline ", "static ");
    while let Some(at) = rest.find("ll") {
        let before = rest[..at].strip_suffix('u').unwrap_or(&rest[..at]);
        let is_literal = before.ends_with(|c: char| c.is_ascii_hexdigit())
            && before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len() < before.len()
            && before[before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len()..]
                .starts_with(|c: char| c.is_ascii_digit());
        plain.push_str(&rest[..at]);
        plain.push_str(if is_literal { "l" } else { "ll" });
        rest.drain(..at + 2);
    }
    plain + &rest
}

/// The lines of which only one of two texts has each, in order, with a sign before them.
fn differences(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    // The longest common part of what follows, for each pair of places.
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            found.push(format!("-{}", old[i]));
            i += 1;
        } else {
            found.push(format!("+{}", new[j]));
            j += 1;
        }
    }
    found
}

/// Whether a dialect says what OpenCL's text says, but for the lines that are kept.
fn check_dialect(target: Target) {
    // How each forbids contraction: CUDA by an option.
    let contraction = |line: &&str| !line.starts_with("#pragma");
    let mut kept =
        format!("How texts in {} differ from OpenCL's, once they are spelled alike.\n", target.name());
    for definition in all() {
        let Ok(text) = definition.handler_source(target) else { continue };
        let opencl = definition.handler_source(Target::OpenCl).expect("OpenCL has all kernels");
        let plain = |text: &str| {
            let text = without_lines(text, definition.line);
            text.lines().filter(contraction).map(|line| format!("{line}\n")).collect::<String>()
        };
        let (opencl, text) = (plain(&opencl), in_opencl_s_spelling(&plain(&text)));
        if opencl != text {
            kept.push_str(&format!("\n{}\n", definition.name));
            differences(&opencl, &text).iter().for_each(|line| kept.push_str(&format!("{line}\n")));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{}.diff", target.name()));
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        return fs::write(&path, kept).expect("the file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, expected, "{}: UPDATE_SNAPSHOTS=1 accepts it", path.display());
}

#[test]
fn cuda() {
    check_dialect(Target::Cuda);
}

/// what a handler becomes on Metal is shown and compared.
#[test]
fn metal() {
    check_dialect(Target::Metal);
}

/// All dialects write all kernels, but those of `f64`, of wide atomics, of two functions and of a fence for
/// the system where there are none.
#[test]
fn every_kernel_has_a_text_in_every_dialect() {
    for definition in all() {
        for target in Target::ALL {
            let text = definition.handler_source(target);
            match text {
                Ok(text) => assert!(text.contains("#define ANN_CALL("), "{text}"),
                Err(error) => {
                    assert_eq!(target, Target::Metal, "{error}");
                    let error = error.to_string();
                    assert!(
                        ["has no `f64`", "atomics of 64 bits", "has no `hypot`", "for one device"]
                            .iter()
                            .any(|part| error.contains(part)),
                        "{error}"
                    );
                }
            }
        }
    }
}
