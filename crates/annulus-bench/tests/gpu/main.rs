//! `annulus-gpu`, as it is run on a machine with a GPU: from an empty folder, with nothing but the system's
//! own path. Libraries that stand in for NVIDIA's take the GPU's place, and where a test is about what goes
//! wrong, a script takes a suite's.
#![cfg(target_os = "linux")]

mod folder;
mod runs;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use folder::{BENCH, Folder, GPU, all, stand_in};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test-gpu");

/// What `./test-gpu` does with these arguments, here.
fn script(arguments: &[&str]) -> Output {
    Command::new(SCRIPT).args(arguments).output().unwrap()
}

/// What a bundle's folder has, in a folder of its own that has nothing else.
fn unpacked(name: &str, bundle: &Path) -> Folder {
    let folder = Folder::new(name, &[]);
    let mut tar = Command::new("tar");
    let unpacked =
        tar.args(["--strip-components=1", "-xzf"]).arg(bundle).arg("-C").arg(&folder.0).output().unwrap();
    assert!(unpacked.status.success(), "{}", all(&unpacked));
    let mut inside: Vec<_> =
        fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    inside.sort();
    assert_eq!(inside, ["bin", "test-gpu"]);
    folder
}

/// The suites of tests, by the names that a bundle gives them, where whoever runs this has built them and
/// says so, as `scripts/run-tests` does.
fn suites() -> Vec<(&'static str, PathBuf)> {
    let suites = [("cuda", "ANNULUS_SUITE_CUDA"), ("on_device", "ANNULUS_SUITE_ON_DEVICE")];
    let found = suites.map(|(name, variable)| Some((name, std::env::var_os(variable)?.into())));
    found.into_iter().flatten().collect()
}

/// The bundle is packed and unpacked, and run by its own script. The programs are those of this build.
#[test]
fn the_first_steps_pass_and_are_not_run_again() {
    let Some(libraries) = stand_in() else { return };
    let made = Folder::new("made", &[GPU, BENCH]);
    for (name, program) in suites() {
        fs::hard_link(&program, made.0.join(name))
            .or_else(|_| fs::copy(&program, made.0.join(name)).map(drop))
            .unwrap();
    }
    let bundle = made.0.with_extension("tar.gz");
    let packed = script(&["--pack", bundle.to_str().unwrap(), "--from", made.0.to_str().unwrap()]);
    assert!(packed.status.success(), "{}", all(&packed));
    let folder = unpacked("first", &bundle);
    fs::remove_file(&bundle).unwrap();
    first_steps(&folder, libraries);
    for suite in ["conformance", "language"] {
        let program = if suite == "conformance" { "cuda" } else { "on_device" };
        if !folder.0.join("bin").join(program).exists() {
            println!(
                "skipped: cases of {suite}: `scripts/run-tests` tells where they are, and this run was not told"
            );
            continue;
        }
        let output = folder.run_program("test-gpu", Some(libraries), &["--suite", suite, "--rehearse"]);
        assert_eq!(output.status.code(), Some(0), "{}\n{}", all(&output), folder.report());
        let records = folder.records();
        let cases: Vec<_> =
            records.iter().filter(|line| line["record"] == "case" && line["suite"] == suite).collect();
        assert_eq!(cases.len(), 2, "{cases:?}");
        assert!(cases.iter().all(|case| case["outcome"] == "passed"), "{cases:?}");
    }
}

/// Programs of two states of the files, both other than the commit's, are two versions.
#[test]
fn changes_are_told_apart() {
    let folder = Folder::new("changes", &[]);
    fs::copy(SCRIPT, folder.0.join("test-gpu")).unwrap();
    fs::create_dir(folder.0.join("programs")).unwrap();
    fs::write(folder.0.join("programs/annulus-gpu"), "a program\n").unwrap();
    fs::write(folder.0.join("text"), "as it was\n").unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder.0).output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {}", all(&output));
        output
    };
    let who =
        ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false"];
    run("git", &["init", "-q"]);
    run("git", &["add", "."]);
    run("git", &[&who[..], &["commit", "-q", "-m", "All of it"]].concat());
    let bundle = folder.0.with_extension("tar.gz");
    let commit = || {
        run("./test-gpu", &["--pack", bundle.to_str().unwrap(), "--from", "programs"]);
        let read = run("tar", &["-xOzf", bundle.to_str().unwrap(), "annulus-gpu/bin/commit"]);
        fs::remove_file(&bundle).unwrap();
        String::from_utf8(read.stdout).unwrap().trim().to_owned()
    };
    let change = |name: &str, text: &str| fs::write(folder.0.join(name), text).unwrap();
    let clean = commit();
    assert!(clean.len() == 12 && clean.bytes().all(|digit| digit.is_ascii_hexdigit()), "{clean}");
    change("text", "first\n");
    let first = commit();
    assert_eq!(first, commit());
    change("text", "second\n");
    let second = commit();
    change("new", "third\n");
    let third = commit();
    change("new", "fourth\n");
    let fourth = commit();
    let all = [&first, &second, &third, &fourth];
    assert!(all.iter().all(|commit| commit.starts_with(&format!("{clean}, changed "))), "{all:?}");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 4, "{all:?}");
}

/// A bundle that `./test-gpu --pack` has made, in release; `--try` runs this.
#[test]
#[ignore = "`./test-gpu --pack FILE --try` runs it: a release build takes minutes"]
fn a_bundle_passes_its_first_steps() {
    let bundle = std::env::var_os("ANNULUS_BUNDLE").expect("ANNULUS_BUNDLE names the bundle");
    let libraries = stand_in().expect("the stand-in is what the bundle is tried on");
    let folder = unpacked("bundle", Path::new(&bundle));
    first_steps(&folder, libraries);
    println!("{}", folder.report());
}

fn first_steps(folder: &Folder, libraries: &Path) {
    let commit = fs::read_to_string(folder.0.join("bin/commit")).ok();
    let output = folder.run_program("test-gpu", Some(libraries), &["--first", "--rehearse"]);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", all(&output), folder.report());
    let records = folder.records();
    assert_eq!(records[0]["device"]["device"], "Annulus stand-in");
    assert_eq!(records[0]["commit"].as_str(), commit.as_deref().map(str::trim));
    assert!(records[0]["device"]["nvrtc"].is_string(), "{}", records[0]);
    assert!(records[0]["environment"].as_array().unwrap().contains(&"CUDA_MODULE_LOADING=EAGER".into()));
    let steps: Vec<_> = records.iter().filter(|line| line["record"] == "step").collect();
    let names: Vec<_> = steps.iter().map(|step| step["step"].as_str().unwrap()).collect();
    let expected = [
        "machine code loads",
        "1 message",
        "1,000 messages",
        "1,000,000 messages",
        "rtt",
        "micro",
        "stream of lines",
        "poll",
        "kernels that stay",
    ];
    assert_eq!(names, expected);
    let forms: Vec<_> = records.iter().filter_map(|line| line["code"].as_str()).collect();
    assert_eq!(forms, ["sealed slots", "open slots", "connectable"]);
    // The compiler that stands in seals; a processor that does not says so.
    let sealed = if annulus_ring::sealed::is_offered() { "sealed" } else { "open" };
    let slots: Vec<_> = records.iter().filter_map(|line| line["slots"].as_str()).collect();
    assert_eq!(slots[slots.len() - 2..], ["open", sealed]);
    assert_eq!(slots.len(), if sealed == "sealed" { 3 } else { 2 });
    for (suite, least) in
        [("micro", 29), ("rtt", 20), ("stream of lines", 3), ("poll", 4), ("kernels that stay", 1)]
    {
        let figures =
            records.iter().filter(|line| line["record"] == "figure" && line["step"] == suite).count();
        assert!(figures >= least, "{figures} figures of {suite}\n{}", folder.report());
    }
    for side in ["host", "device"] {
        let case = format!("units of 16 bytes, from the {side} torn");
        let of =
            |kind: &'static str| records.iter().find(|line| line["record"] == kind && line["case"] == *case);
        assert_eq!(of("figure").unwrap()["median"], 0.0);
        assert_eq!(of("figure").unwrap()["runs"], 1);
        let mark = of("mark").unwrap();
        assert_eq!((&mark["verdict"], &mark["goal"]), (&"reached".into(), &0.0.into()), "{mark}");
        assert!(folder.report().contains(&format!("reached  first: micro: {case}")), "{}", folder.report());
    }
    // What a processor does in a round trip reaches no mark, and that fails nothing.
    assert!(records.iter().any(|line| line["record"] == "mark" && line["step"] == "poll"), "{records:?}");
    assert!(
        records
            .iter()
            .all(|line| line["length"] == "trial" && line["gpu"] == "Annulus stand-in at 0000:01:00.0")
    );
    let managed: Vec<_> = records.iter().filter(|line| line["candidate"] == "limit, managed").collect();
    assert!(
        managed.len() >= 3 && managed.iter().all(|line| line["median"].as_f64() > Some(0.0)),
        "{managed:?}"
    );
    assert!(folder.report().contains("first: 1,000,000 messages"));
    // Three files, and a second run does nothing but ask the device.
    assert_eq!(fs::read_dir(folder.0.join("gpu-results")).unwrap().count(), 3);
    let again = folder.run_program("test-gpu", Some(libraries), &["--first", "--rehearse"]);
    assert_eq!(again.status.code(), Some(0), "{}", all(&again));
    assert_eq!(folder.records().len(), records.len() + 1);
}
