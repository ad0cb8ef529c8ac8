//! `annulus doctor`, on whatever machine this is.

use std::process::{Command, Output};

use serde_json::Value;

fn doctor(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_annulus"))
        .arg("doctor")
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

fn findings(output: &Output) -> Vec<Value> {
    str::from_utf8(&output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'a>(findings: &'a [Value], subject: &str) -> &'a Value {
    let found = findings.iter().find(|finding| finding["subject"] == subject);
    found.unwrap_or_else(|| panic!("nothing of {subject}: {findings:?}"))
}

#[test]
fn the_processor_is_well_everywhere() {
    let output = doctor(&["--json"], &[]);
    assert_eq!(output.status.code(), Some(0));
    let all = findings(&output);
    let cpu = of(&all, "cpu");
    assert_eq!(cpu["state"], "well");
    let found = cpu["found"][0].as_str().unwrap();
    assert!(found.starts_with("a kernel runs and answers right: ready after "), "{found}");
    for subject in ["opencl", "cuda", "nvrtc", "cache"] {
        let state = of(&all, subject)["state"].as_str().unwrap();
        assert!(["well", "lacks", "note"].contains(&state), "{subject}: {state}");
    }
    // A device that is there was compiled for.
    if of(&all, "opencl")["state"] == "well" {
        let found = of(&all, "opencl")["found"][0].as_str().unwrap();
        assert!(found.contains("(cached: "), "{found}");
    }
    let text = doctor(&["--backend", "cpu"], &[]);
    let text = str::from_utf8(&text.stdout).unwrap();
    assert!(text.starts_with("cpu          well   a kernel runs"), "{text}");
    assert!(!text.contains("opencl"), "{text}");
}

/// The loader finds no driver: said, with what mends it, and in the exit status of whoever asked for that
/// backend alone.
#[test]
fn what_lacks_is_told_with_its_remedy() {
    let none = [("OCL_ICD_VENDORS", "/nonexistent/"), ("OCL_ICD_FILENAMES", "")];
    let output = doctor(&["--json", "--backend", "opencl"], &none);
    assert_eq!(output.status.code(), Some(1));
    let all = findings(&output);
    let opencl = of(&all, "opencl");
    assert_eq!(opencl["state"], "lacks", "{opencl}");
    let remedy = opencl["remedy"].as_str().unwrap();
    assert!(remedy.contains("install"), "{remedy}");
    let error = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(error, "annulus: no kernel runs on opencl\n");
    assert!(!str::from_utf8(&output.stdout).unwrap().contains("OpenCl::"));
    // The processor does without.
    assert_eq!(doctor(&["--json"], &none).status.code(), Some(0));
}

/// A backend that takes messages and handles none does not answer right, and is not waited for.
#[test]
fn a_cache_that_cannot_be_used_is_told() {
    let home = std::env::temp_dir().join(format!("annulus-doctor-{}-home", std::process::id()));
    std::fs::create_dir_all(home.join("annulus")).unwrap();
    std::fs::write(home.join("annulus/opencl"), "a file where a directory belongs").unwrap();
    let output = doctor(&["--json", "--backend", "opencl"], &[("XDG_CACHE_HOME", home.to_str().unwrap())]);
    std::fs::remove_dir_all(&home).unwrap();
    let all = findings(&output);
    let cache = of(&all, "cache");
    assert_eq!(cache["state"], "lacks", "{cache}");
    assert!(cache["remedy"].as_str().unwrap().starts_with("rm "), "{cache}");
}
