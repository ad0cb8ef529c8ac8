//! What each lint finds, and what it passes over: the files in `tests/cases`, which are compiled against the
//! library. A line that ends in `//~ tight_poll` is one where the lint finds something, as is the one
//! above `//~^ tight_poll`; there are no others.

use std::{fs, path::Path};

use annulus_check::{LINTS, Source, check_text};

/// Compiled, and never called.
#[allow(dead_code, unused, dropping_copy_types, clippy::all)]
#[path = "cases"]
mod cases {
    mod after_end;
    mod allows;
    mod before_launch;
    mod blocking;
    mod common;
    mod discarded;
    mod not_enabled;
    mod outputs;
    mod polling;
    mod reset;
}

/// A line, and the name of a lint.
type Found = (usize, String);

/// Lines and names of what a text is said to have, and of what is found.
fn wanted_and_found(path: &Path, text: &str) -> (Vec<Found>, Vec<Found>) {
    let mut wanted: Vec<Found> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let names = line.split_once("//~").map_or("", |(_, names)| names);
        let (line, names) = names.strip_prefix('^').map_or((number + 1, names), |names| (number, names));
        wanted.extend(names.split_whitespace().map(|name| (line, name.into())));
    }
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let found = check_text(path, text).into_iter();
    let mut found: Vec<_> = found.map(|found| (line(found.span.start), found.lint.name.to_owned())).collect();
    wanted.sort();
    found.sort();
    (wanted, found)
}

/// A-02 to A-07: hits and near misses of every lint.
#[test]
fn a02_to_a07_lints_find_what_the_cases_say_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let kernels = fs::read_to_string(folder.join("common.rs")).unwrap().replace("//! ", "// ");
    let mut hits = vec![0; LINTS.len()];
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // The kernels behind it, since a file is checked by itself.
        let text = fs::read_to_string(&path).unwrap();
        let text = if path.ends_with("common.rs") { text } else { format!("{text}\n{kernels}") };
        Source::parse(path.clone(), path.display().to_string(), text.clone()).unwrap();
        let (wanted, found) = wanted_and_found(&path, &text);
        assert_eq!(found, wanted, "found, and wanted, in {}", path.display());
        for (_, name) in wanted {
            hits[LINTS.iter().position(|lint| lint.name == name).expect("a lint")] += 1;
        }
    }
    let without: Vec<_> =
        LINTS.iter().zip(&hits).filter(|(_, hits)| **hits < 2).map(|(lint, _)| lint.name).collect();
    assert!(without.is_empty(), "fewer than two cases: {without:?}");
}

/// A-07: `?` is offered where an error can be passed on, and not in a function that returns nothing.
#[test]
fn a07_no_error_is_passed_on_from_where_nothing_is_returned() {
    let in_function = |head: &str, end: &str| {
        let body = "let _ = kernel.try_send(Number { value: 1 }); let _ = kernel.send(Number { value: 2 });";
        let text = format!("fn offer(kernel: &KernelHandle<count>){head} {{ {body} {end} }}");
        let found = check_text(Path::new("src/lib.rs"), &text);
        found.iter().map(|found| found.fixes.len()).collect::<Vec<_>>()
    };
    assert_eq!(in_function(" -> Result<(), Any>", "Ok(())"), [1, 1]);
    assert_eq!(in_function("", ""), [0, 0]);
    assert_eq!(in_function(" -> ()", ""), [0, 0]);
}

/// The two examples of an explanation.
fn examples(text: &str) -> Vec<String> {
    let blocks = text.split("```rust\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or("").to_owned()).collect()
}

/// A-01: every rule is described, and the examples are what it finds and what it does not.
#[test]
fn a01_every_lint_explains_itself_by_examples_that_are_true() {
    let kernels = include_str!("../doctests/kernels.rs");
    for lint in LINTS {
        let examples = examples(&lint.explanation());
        let [found, instead] = &examples[..] else { panic!("{} has {} examples", lint.name, examples.len()) };
        let check = |text: &str| {
            let all = check_text(Path::new("example.rs"), &format!("{text}\n{kernels}"));
            all.iter().map(|finding| finding.lint.name).collect::<Vec<_>>()
        };
        assert_eq!(check(found), [lint.name], "{found}");
        assert!(check(instead).is_empty(), "{}: {instead}", lint.name);
        assert!(lint.summary.len() < 80 && lint.code.starts_with("AN"));
    }
}
