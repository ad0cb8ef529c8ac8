//! What the kernel language costs: the C that Rust becomes beside C written by hand, and the time that a
//! build takes for it.

use std::{
    cell::{Cell, RefCell},
    env, fs,
    path::PathBuf,
    process::Command,
    rc::Rc,
    time::Instant,
};

use annulus::kernel::{RingKernel, Target};
use annulus_conformance::kernels::real;

use super::{Config, Suite};
use crate::{
    clock::children_time,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    opencl::{
        self,
        handlers::{Bench, Handler, Text, build, text},
    },
};

pub(super) const SUITE: Suite = Suite {
    name: "language",
    about: "OpenCL: handlers written in Rust beside handlers written in C, and what they take to build (needs an OpenCL device and cargo)",
    method: "`limit by hand` is a handler as a person writes it in OpenCL C, with no check; `annulus` is the C that the Rust becomes, as a \
             release build has it: indices checked, loops counted; `annulus, unchecked` is the same text without the lines that check. All three \
             stand in the same loop over 1024 messages, one work-item, without rings; their answers are compared word by word. Lowering is from the \
             bytes that the macro wrote to the handler's text. A build is that of text that the driver has not seen, to the first launch. \
             `cargo check` is of a crate with 100 lines of handler, of one with the same lines as a plain function, and of one without, each time \
             after a change in it: the time that passes, and the processor's, which other programs disturb less.",
    cases,
};

const HANDLERS: &[Handler] = &[
    Handler {
        name: "moving_average",
        definition: real::moving_average::DEFINITION,
        by_hand: include_str!("../opencl/by_hand/moving_average.cl"),
        turns: 400,
        message: sample,
    },
    Handler {
        name: "fir",
        definition: real::fir::DEFINITION,
        by_hand: include_str!("../opencl/by_hand/fir.cl"),
        turns: 400,
        message: sample,
    },
    Handler {
        name: "crc32",
        definition: real::crc32::DEFINITION,
        by_hand: include_str!("../opencl/by_hand/crc32.cl"),
        turns: 40,
        message: |i| if i.is_multiple_of(8) { (mixed(i) & 0xFFFF_FF00) | (mixed(i) % 32) } else { mixed(i) },
    },
    Handler {
        name: "sha256",
        definition: real::sha256::DEFINITION,
        by_hand: include_str!("../opencl/by_hand/sha256.cl"),
        turns: 20,
        message: mixed,
    },
    Handler {
        name: "conway",
        definition: real::conway::DEFINITION,
        by_hand: include_str!("../opencl/by_hand/conway.cl"),
        turns: 400,
        message: |i| mixed(i) & 0x0101_0101,
    },
];

/// A word of the messages that looks random.
fn mixed(i: usize) -> u32 {
    let value = (i as u32 ^ 0x9E37_79B9).wrapping_mul(0x85EB_CA6B);
    (value ^ (value >> 13)).wrapping_mul(0xC2B2_AE35) ^ (value >> 16)
}

/// A series and a value by turns.
fn sample(i: usize) -> u32 {
    if i.is_multiple_of(2) { mixed(i) % 64 } else { ((mixed(i) % 2000) as f32 / 100.0).to_bits() }
}

fn cases(config: Config) -> Vec<Case> {
    let mut cases = Vec::new();
    if opencl::is_there() {
        cases.extend(HANDLERS.iter().map(emitted));
        cases.push(builds());
    } else {
        eprintln!("skipped: language, what runs: there is no OpenCL device; Debian's is in pocl-opencl-icd");
    }
    cases.extend(HANDLERS.iter().map(|handler| lowering(handler, config.size(1000, 200) as u32)));
    cases.push(checks());
    cases
}

/// The three texts of a handler. The answers of whichever runs first are those that the others must give.
fn emitted(handler: &'static Handler) -> Case {
    let first: Rc<RefCell<Option<Vec<u32>>>> = Rc::default();
    let candidate = |name: &'static str, which: Text| {
        let first = Rc::clone(&first);
        let mut bench = None;
        Candidate::new(name, move || {
            if bench.is_none() {
                let made = Bench::new(handler, which)?;
                let answers = made.answers()?;
                if answers.last() != Some(&0) || answers.iter().all(|word| *word == 0) {
                    return Err("its calls fail, or answer nothing".into());
                }
                let mut first = first.borrow_mut();
                if first.get_or_insert_with(|| answers.clone()) != &answers {
                    return Err("it answers otherwise than the one before".into());
                }
                bench = Some(made);
            }
            bench.as_ref().map_or_else(|| Ok(Vec::new()), Bench::run)
        })
    };
    Case {
        name: format!("{}, a call", handler.name),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some("limit by hand"),
        candidates: vec![
            candidate("limit by hand", Text::ByHand),
            candidate("annulus", Text::Emitted),
            candidate("annulus, unchecked", Text::Unchecked),
        ],
        marks: vec![Mark { candidate: "annulus", metric: "", goal: Goal::TimesLimit(1.15) }],
    }
}

/// The driver's time for the text.
fn builds() -> Case {
    let candidate = |name: &'static str, which: Text| {
        let number = Cell::new(std::process::id() << 8);
        Candidate::new(name, move || {
            number.set(number.get() + 1);
            let handler =
                HANDLERS.iter().find(|handler| handler.name == "sha256").ok_or("there is no sha256")?;
            build(&text(handler, which, number.get())?)
        })
    };
    Case {
        name: "sha256, the driver's build".into(),
        unit: "ms",
        better: Better::Lower,
        metrics: &[""],
        limit: Some("limit by hand"),
        candidates: vec![candidate("limit by hand", Text::ByHand), candidate("annulus", Text::Emitted)],
        marks: Vec::new(),
    }
}

/// From the macro's bytes to the handler's text.
fn lowering(handler: &'static Handler, times: u32) -> Case {
    let candidate = |name: &'static str, target: Target| {
        Candidate::new(name, move || {
            let begun = Instant::now();
            for _ in 0..times {
                std::hint::black_box(handler.definition.handler_source(target)?);
            }
            Ok(vec![begun.elapsed().as_secs_f64() * 1e6 / f64::from(times)])
        })
    };
    Case {
        name: format!("{}, lowering", handler.name),
        unit: "µs",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates: vec![
            candidate("annulus, opencl", Target::OpenCl),
            candidate("annulus, cuda", Target::Cuda),
            candidate("annulus, metal", Target::Metal),
        ],
        marks: Vec::new(),
    }
}

/// What stands in the crate that is checked.
#[derive(Clone, Copy)]
enum Content {
    Types,
    Function,
    Handler,
}

/// What a handler adds to a build.
fn checks() -> Case {
    let candidate = |name: &'static str, content: Content| {
        let number = Cell::new(0);
        Candidate::new(name, move || {
            number.set(number.get() + 1);
            check(content, number.get())
        })
    };
    Case {
        name: "a handler of 100 lines, cargo check".into(),
        unit: "ms",
        better: Better::Lower,
        metrics: &["elapsed", "processor"],
        limit: Some("limit without it"),
        candidates: vec![
            candidate("limit without it", Content::Types),
            candidate("limit plain function", Content::Function),
            candidate("annulus", Content::Handler),
        ],
        marks: vec![Mark { candidate: "annulus", metric: "elapsed", goal: Goal::LimitPlus(50.0) }],
    }
}

/// Milliseconds of `cargo check` after a change.
fn check(content: Content, number: u32) -> Run {
    let folder = folder()?;
    let name = match content {
        Content::Types => "without",
        Content::Function => "function",
        Content::Handler => "handler",
    };
    let attribute = if matches!(content, Content::Handler) { "#[ring_kernel]" } else { "" };
    let body = match content {
        Content::Types => String::new(),
        _ => format!(
            "{attribute}\npub fn works(m: &Work, state: &mut Sums, out: &Outbox<Work>) {{\n{}\n}}",
            body()
        ),
    };
    let source = format!(
        "use annulus::prelude::*;\n\
         #[derive(RingMessage, Clone, Copy)]\n#[repr(C)]\npub struct Work {{ pub a: u32, pub b: u32, pub values: [u32; 8] }}\n\
         #[derive(DeviceType, Clone, Copy, Default)]\n#[repr(C)]\npub struct Sums {{ pub values: [u32; 8], pub calls: u64 }}\n\
         pub const CHANGED: u32 = {number};\n{body}\n"
    );
    let place = folder.join(name);
    fs::create_dir_all(place.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"measured-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nannulus = {{ path = {:?} }}\n[workspace]\n",
        repository().join("crates/annulus")
    );
    fs::write(place.join("Cargo.toml"), manifest)?;
    fs::copy(repository().join("Cargo.lock"), place.join("Cargo.lock"))?;
    let run = |source: &str| -> Result<Vec<f64>, Failure> {
        fs::write(place.join("src/lib.rs"), source)?;
        let (before, begun) = (children_time()?.as_secs_f64() * 1e3, Instant::now());
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["check", "--offline", "--quiet"])
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .current_dir(&place)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let elapsed = begun.elapsed().as_secs_f64() * 1e3;
        Ok(vec![elapsed, children_time()?.as_secs_f64() * 1e3 - before])
    };
    // What it depends on is built, and whether files are fresh is settled.
    run(&format!("{source}\n// before {number}"))?;
    run(&source)
}

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn folder() -> Result<PathBuf, Failure> {
    let folder = env::current_exe()?.parent().ok_or("the program stands nowhere")?.join("measured-builds");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A hundred lines of the kind that handlers have.
fn body() -> String {
    let mut lines = vec!["let mut sum = state.values[0];".to_owned()];
    for k in 0..16 {
        let index = k % 8;
        lines.push(format!("let part_{k} = m.values[{index}] ^ m.a.rotate_left({});", k % 31 + 1));
        lines.push(format!("if part_{k} % {} > 2 {{", k + 5));
        lines.push(format!("    sum = sum.wrapping_add(part_{k}.wrapping_mul(31)) ^ state.values[{index}];"));
        lines.push(format!("    state.values[{index}] = sum;"));
        lines.push(format!("}} else if let Some(more) = part_{k}.checked_add(m.b) {{ sum ^= more; }}"));
        lines.push(format!(
            "for i in 0..{}usize {{ sum = sum.rotate_left(3) ^ state.values[i]; }}",
            index + 1
        ));
    }
    lines.push("state.calls += 1;".to_owned());
    lines.push("out.send(Work { a: sum, ..*m });".to_owned());
    lines.push(String::new());
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_handler_has_a_hundred_lines() {
        assert_eq!(body().lines().count(), 100);
    }

    /// Else the checks' cost would be that of nothing.
    #[test]
    fn there_are_checks_to_leave_out() {
        for handler in HANDLERS {
            let lines = |which| text(handler, which, 0).map(|text| text.lines().count()).unwrap_or_default();
            assert!(lines(Text::Unchecked) < lines(Text::Emitted), "{}", handler.name);
        }
    }
}
