//! Functions that do the same in Rust and in C name each other, and the protocol's text lists them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Functions of the same name that are no twins; the protocol's text says what they are.
const HOMONYMS: &[&str] = &["end_turn", "publish", "has_room"];

/// The files of a folder of this crate and of the folders in it, as lines.
fn lines(folder: &str) -> Vec<String> {
    lines_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

fn lines_below(folder: &Path) -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let lines = |path: &PathBuf| if path.is_dir() { lines_below(path) } else { lines_of(path) };
    paths.iter().flat_map(lines).collect()
}

/// Those of a file.
fn lines_of(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// The name of the function that a line begins.
fn in_rust(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().split_once("fn ")?;
    if line.trim_start().starts_with("//") {
        return None;
    }
    rest.split(['(', '<']).next().filter(|name| !name.is_empty())
}

/// The same of C, without the prefix.
fn in_c(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("ANN_FUNCTION ")?.split_once("ann_")?;
    // The type of what it gives may have the prefix, too.
    let name = rest.split('(').next()?;
    Some(name.rsplit_once("ann_").map_or(name, |(_, name)| name))
}

/// The twins of a language: the name that the comment gives, and that of the function behind it.
fn twins(lines: &[String], name: fn(&str) -> Option<&str>) -> BTreeMap<String, String> {
    let mut twins = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((_, twin)) = line.split_once("TWIN: ") else { continue };
        let twin = twin.trim_end_matches("*/").trim();
        let function = lines[at..].iter().find_map(|line| name(line)).expect("a function follows");
        let before = twins.insert(twin.to_owned(), function.to_owned());
        assert!(before.is_none(), "two functions are called the twin `{twin}`");
    }
    twins
}

#[test]
fn twins_name_each_other() {
    let (mut rust, c) = (lines("src"), lines("c"));
    // The runtime needs it, too.
    rust.extend(lines_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../annulus-abi/src/actors.rs")));
    let (in_rust_text, in_c_text) = (twins(&rust, in_rust), twins(&c, in_c));
    for (name, function) in &in_rust_text {
        assert_eq!(name, function, "a twin is called as its function in Rust is");
    }
    let names = |twins: &BTreeMap<String, String>| twins.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&in_rust_text), names(&in_c_text), "each twin has one in the other language");

    // Nobody has forgotten to say so.
    let all_in_c: BTreeSet<_> = c.iter().filter_map(|line| in_c(line)).collect();
    for function in rust.iter().filter_map(|line| in_rust(line)) {
        let is_twin = in_c_text.get(function).is_some_and(|twin| twin == function);
        assert!(
            !all_in_c.contains(function) || is_twin || HOMONYMS.contains(&function),
            "`{function}` and `ann_{function}` are no twins: say so in both, or rename one"
        );
    }
    for homonym in HOMONYMS {
        assert!(all_in_c.contains(homonym), "`ann_{homonym}` is not there any more");
    }

    // The protocol's table.
    let protocol = include_str!("../PROTOCOL.md");
    let (_, table) = protocol.split_once("# Twins\n").expect("a section");
    let (table, _) = table.split_once("\n# ").expect("another one");
    let listed: BTreeMap<_, _> = table
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split("` | `");
            let rust = cells.next()?;
            let (c, _) = cells.next()?.split_once('`')?;
            Some((rust.to_owned(), c.strip_prefix("ann_")?.to_owned()))
        })
        .collect();
    assert_eq!(listed, in_c_text, "the table of `PROTOCOL.md`");
}

/// What a sealed slot has at most is the same here and there.
#[test]
fn sealed_slots_have_one_limit() {
    use annulus_abi::ring::{SEALED_MOST, UNITS_MOST};
    let says = |text: String| assert_eq!(annulus_block::RUNTIME.matches(&text).count(), 1, "{text}");
    says(format!("#define ANN_SEALED_MOST {SEALED_MOST}u\n"));
    says(format!("(ANN_LOOKS_TOGETHER ? {UNITS_MOST}u : ANN_FIRST_UNITS)"));
}
