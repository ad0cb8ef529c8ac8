//! The backend that runs nothing: it shows that the contract asks for nothing that only a real backend has.

use annulus_conformance::{Subject, conformance_suite};
use annulus_runtime::{Noop, Runtime};

struct Nothing;

impl Subject for Nothing {
    fn name(&self) -> &str {
        "noop"
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(Noop).build().expect("it needs nothing")
    }

    fn runs_handlers(&self) -> bool {
        false
    }
}

conformance_suite!(Nothing);

/// The cases of a module's source.
fn cases(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.strip_suffix("(bench: &Bench) {"))
}

#[test]
fn every_case_is_listed() {
    let list = include_str!("../src/suite.rs");
    let mut modules = 0;
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/cases")).unwrap() {
        let path = file.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap();
        if module == "mod" {
            continue;
        }
        // A module of several files has its cases in the first one.
        let source = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
        let source = std::fs::read_to_string(source).unwrap();
        assert_ne!(cases(&source).count(), 0, "{module}");
        for case in cases(&source) {
            let listed = [format!(" {case}: "), format!("cases::{module}::{case};")];
            assert!(listed.iter().any(|words| list.contains(words)), "`{module}::{case}` is not listed");
        }
        modules += 1;
    }
    assert!(modules > 15, "{modules} modules have cases");
}
