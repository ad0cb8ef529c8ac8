//! The texts that kernels are lowered to, kept as files: `UPDATE_SNAPSHOTS=1 cargo test -p
//! annulus-conformance --test snapshots` writes them anew; read the difference before committing.

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
    check(&[kernels::checks::i16_checks::DEFINITION], Target::OpenCl);
    check(
        &[kernels::numbers::i32_numbers::DEFINITION, kernels::numbers::f32_numbers::DEFINITION],
        Target::OpenCl,
    );
}

#[test]
fn cuda() {
    check(kernels::REAL, Target::Cuda);
    check(&[kernels::prints::print_functions::DEFINITION], Target::Cuda);
}

#[test]
fn metal() {
    check(kernels::REAL, Target::Metal);
    check(&[kernels::prints::print_functions::DEFINITION], Target::Metal);
}

/// All dialects write all kernels, but those of `f64`, of wide atomics and of two functions where there are
/// none.
#[test]
fn every_kernel_has_a_text_in_every_dialect() {
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
    ];
    for definition in lists.into_iter().flatten() {
        for target in Target::ALL {
            let text = definition.handler_source(target);
            match text {
                Ok(text) => assert!(text.contains("#define ANN_CALL("), "{text}"),
                Err(error) => {
                    assert_eq!(target, Target::Metal, "{error}");
                    let error = error.to_string();
                    assert!(
                        ["has no `f64`", "atomics of 64 bits", "has no `hypot`"]
                            .iter()
                            .any(|part| error.contains(part)),
                        "{error}"
                    );
                }
            }
        }
    }
}
