//! B-03, B-04, B-09: what fences and words of the emitted text allow and forbid, on a machine whose memory
//! orders as little as CUDA's model lets it (`src/cuda/weak.hpp`). The text is that of handler and prelude,
//! and a fault that is planted there must be seen.
#![cfg(target_os = "linux")]

use std::{collections::BTreeMap, ffi::OsString, fs, path::Path, process::Command, sync::OnceLock};

use annulus_conformance::{cuda, kernels::order::litmus, made::made};
use annulus_kernel::{LANGUAGE_SOURCE, RingKernel, Target, device::CUDA_PRELUDE};

const RUNS: u32 = 4_000;

/// What was seen in each test, by its name.
type Seen = BTreeMap<String, Vec<String>>;

/// The text, with these parts replaced, each of which must be there once.
fn with(text: &str, replaced: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (from, to) in replaced {
        assert_eq!(text.matches(from).count(), 1, "`{from}`");
        text = text.replace(from, to);
    }
    text
}

/// What all tests have seen, without a fault.
fn whole() -> Option<&'static Seen> {
    static SEEN: OnceLock<Option<Seen>> = OnceLock::new();
    SEEN.get_or_init(|| run("whole", &[], None)).as_ref()
}

/// Runs all tests, or this one, with a fault planted into the handler's text or the prelude; `None` where
/// that cannot be.
fn run(name: &str, faults: &[(&str, &str)], test: Option<&str>) -> Option<Seen> {
    // CUDA's atomic load and store, which are volatile accesses there.
    let (_, cuda) =
        LANGUAGE_SOURCE.split_once("defined(__CUDACC__) || defined(__CUDACC_RTC__)\n// Relaxed").unwrap();
    let (cuda, _) = cuda.split_once("#elif defined(__METAL_VERSION__)").unwrap();
    let watched = with(
        cuda,
        &[
            ("T seen = *p;", "T seen = (T)weak_load(p, false);"),
            ("*p = value;", "weak_store(p, value, false);"),
        ],
    );
    let language = LANGUAGE_SOURCE.replace(cuda, &watched);
    let handler = litmus::DEFINITION.handler_source(Target::Cuda).unwrap();
    let program = format!("#define ANN_LAUNCH_THREADS 1\n{CUDA_PRELUDE}\n{language}\n{handler}\n");
    let program = match cuda::on_host(&with(&program, faults)) {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let hpp = include_str!("../src/cuda/language.hpp");
    let hpp: String =
        hpp.lines().filter(|line| !line.contains("__threadfence")).map(|line| format!("{line}\n")).collect();
    let (weak, end) = (include_str!("../src/cuda/weak.hpp"), include_str!("../src/cuda/litmus.cpp"));
    let interface = include_str!("../src/cuda/handler.hpp");
    let text = format!("#define RUNS {RUNS}u\n{hpp}\n{weak}\n{interface}\n{program}\n{end}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("litmus").join(name.replace(' ', "-"));
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("litmus.cpp");
    fs::write(&source, &text).unwrap();
    const OPTIONS: [&str; 3] = ["-std=c++20", "-O1", "-w"];
    let arguments = || Ok(OPTIONS.iter().map(OsString::from).chain([source.into_os_string()]).collect());
    let all = folder.with_file_name("litmus");
    let binary = made("c++", &format!("{OPTIONS:?}\n{text}"), &all, arguments, |_| false).unwrap();
    let output = Command::new(&binary).args(test).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    println!("{text}");
    assert!(!text.contains("too few"), "{text}");
    let line = |line: &str| {
        let (name, seen) = line.split_once(':').unwrap();
        (name.to_owned(), seen.split_whitespace().map(str::to_owned).collect())
    };
    Some(text.lines().map(line).collect())
}

/// The outcome that a test is about.
const WEAK: [(&str, &str); 4] =
    [("store buffering", "0,0"), ("message passing", ",10"), ("load buffering", "1,1"), ("IRIW", ",,10,10")];

fn is_seen(seen: &Seen, test: &str, outcome: &str) -> bool {
    seen[test].iter().any(|one| one == outcome)
}

#[test]
fn b03_b09_what_fences_allow_and_forbid() {
    let Some(seen) = whole() else { return };
    for (test, weak) in WEAK {
        // A scope that is too narrow is as good as none.
        for scope in ["none", "block"] {
            assert!(is_seen(seen, &format!("{test} {scope}"), weak), "{test} {scope}: it is allowed");
        }
        for scope in ["device", "system"] {
            assert!(!is_seen(seen, &format!("{test} {scope}"), weak), "{test} {scope}: it is forbidden");
            // What is not weak goes on happening.
            assert!(seen[&format!("{test} {scope}")].len() >= 3, "{test} {scope}");
        }
    }
    for scope in ["none", "block", "device", "system"] {
        let outcomes = &seen[&format!("coherence {scope}")];
        assert_eq!(outcomes, &[",00", ",01", ",11"], "one word's values are seen in their order");
    }
}

/// B-02, B-03: an open slot orders what handlers did; a sealed one does not, unless both handlers fence, for
/// the system and not for the block.
#[test]
fn b02_b03_what_messages_allow_and_forbid() {
    let Some(seen) = whole() else { return };
    for (test, allowed) in [
        ("open slot none", false),
        ("open slot block", false),
        ("open slot system", false),
        ("sealed slot none", true),
        ("sealed slot block", true),
        ("sealed slot system", false),
    ] {
        assert_eq!(is_seen(seen, test, ",0"), allowed, "{test}");
        assert!(is_seen(seen, test, ",1") && is_seen(seen, test, ","), "{test}");
    }
}

/// B-04: the fence of `Sequential` before each handler orders two handlers with one access each.
#[test]
fn b04_what_sequential_forbids() {
    let Some(seen) = whole() else { return };
    for (test, weak) in [("store buffering", "0,0"), ("IRIW", ",,10,10")] {
        assert!(is_seen(seen, &format!("{test} between handlers"), weak), "{test}: it is allowed");
        assert!(
            !is_seen(seen, &format!("{test} between handlers Sequential"), weak),
            "{test}: it is forbidden"
        );
    }
}

/// Faults in the text are seen: each in the test that it breaks.
#[test]
fn b03_planted_faults_are_found() {
    let faults: [(&str, (&str, &str), &str, &str); 6] = [
        (
            "a fence of the device is one of the block",
            ("#define rs_fence_device() __threadfence()", "#define rs_fence_device() __threadfence_block()"),
            "store buffering device",
            "0,0",
        ),
        (
            "a fence of the system is none",
            ("#define rs_fence_system() __threadfence_system()", "#define rs_fence_system() ((void)0)"),
            "IRIW system",
            ",,10,10",
        ),
        (
            "a fence of the device only acquires and releases",
            (
                "#define rs_fence_device() __threadfence()",
                "#define rs_fence_device() ptx_fence_acq_rel_gpu()",
            ),
            "store buffering device",
            "0,0",
        ),
        (
            "a slot is published without release",
            (
                "#define ann_fence_release() asm volatile(\"fence.acq_rel.sys;\" ::: \"memory\")",
                "#define ann_fence_release() ((void)0)",
            ),
            "open slot none",
            ",0",
        ),
        (
            "a slot is taken without acquire",
            (
                "asm volatile(\"ld.acquire.sys.u32 %0, [%1];\"",
                "asm volatile(\"ld.relaxed.sys.u32 %0, [%1];\"",
            ),
            "open slot none",
            ",0",
        ),
        (
            "the fence of Sequential only acquires and releases",
            (
                "#define ann_fence_all() asm volatile(\"fence.sc.sys;\" ::: \"memory\")",
                "#define ann_fence_all() asm volatile(\"fence.acq_rel.sys;\" ::: \"memory\")",
            ),
            "store buffering between handlers Sequential",
            "0,0",
        ),
    ];
    for (name, fault, test, outcome) in faults {
        let Some(seen) = run(name, &[fault], Some(test)) else { return };
        assert!(is_seen(&seen, test, outcome), "{name}");
    }
}
