//! Each ordering that is not relaxed has a name, `SYNC: name`, and each name stands at both of its ends: in
//! Rust, and in the C that blocks on devices run.
//!
//! A comment bears the name: in the line of the ordering, or above its statement, up to a blank line. An end
//! that borrows another function's fence says so in a comment of its own. Where both ends are one line of
//! code, the comment says `both ends`; where there is no other end, `SYNC: none:` and why. Front pages
//! (`//!`) explain names, and are no ends.
#![cfg(not(loom))]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Crates with lock-free protocols, and what is a part of them elsewhere.
const CRATES: &[&str] = &["abi", "sync", "ring", "block", "queue", "runtime", "device", "cpu", "observe"];
const ALSO: &str = "annulus-kernel/c/interface.c";
/// How many lines above an ordering its name may stand.
const ABOVE: usize = 12;

/// One line of a file, in parts.
#[derive(Default)]
struct Line {
    code: String,
    comment: String,
    /// It belongs to a file's or module's front page.
    is_front: bool,
}

/// What an ordering can be the end of.
#[derive(Clone, Copy, Default)]
struct Ends {
    acquires: bool,
    releases: bool,
}

/// A place that bears a name.
struct Place {
    at: String,
    /// Of the ordering that it names; none for an end that borrows another function's.
    ends: Option<Ends>,
    is_both: bool,
}

/// All files, as they are called and with their texts.
fn files() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut files = vec![crates.join(ALSO)];
    let folders = CRATES.iter().flat_map(|name| ["src", "c"].map(|part| format!("annulus-{name}/{part}")));
    let mut folders: Vec<_> = folders.map(|folder| crates.join(folder)).filter(|f| f.is_dir()).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("rs" | "c") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let name = |path: &PathBuf| path.strip_prefix(crates).unwrap().display().to_string();
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The lines of a file, without its unit tests.
fn lines(text: &str, is_rust: bool) -> Vec<Line> {
    let text = if is_rust { text.split("#[cfg(test)]\nmod ").next().unwrap_or_default() } else { text };
    let mut is_open = false;
    text.lines()
        .map(|line| {
            let mut parts = Line { is_front: line.trim_start().starts_with("//!"), ..Line::default() };
            let mut rest = line;
            if is_rust {
                let (code, comment) = line.split_once("//").unwrap_or((line, ""));
                parts.code = code.into();
                parts.comment = comment.into();
                return parts;
            }
            while !rest.is_empty() {
                let (before, after) =
                    rest.split_once(if is_open { "*/" } else { "/*" }).unwrap_or((rest, ""));
                let is_whole = before.len() == rest.len();
                if is_open { &mut parts.comment } else { &mut parts.code }.push_str(before);
                is_open = is_open == is_whole;
                rest = after;
            }
            parts
        })
        .collect()
}

/// What the code of a line orders.
fn ends(code: &str, is_rust: bool) -> Option<Ends> {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let is_ordered_call =
        code.contains("ann_") && !code.starts_with("ANN_FUNCTION") && !code.starts_with('#');
    let both =
        if is_rust { &["Ordering::AcqRel", "Ordering::SeqCst"][..] } else { &["fence_all(", "arrive_grid("] };
    let acquires = if is_rust { &["Ordering::Acquire"][..] } else { &["_acquire(", "_acquire_u"] };
    let releases =
        if is_rust { &["Ordering::Release"][..] } else { &["_release(", "_release_u", "_store_fenced_u"] };
    let ends = Ends { acquires: has(acquires) || has(both), releases: has(releases) || has(both) };
    ((is_rust || is_ordered_call) && (ends.acquires || ends.releases)).then_some(ends)
}

/// The comment that the line is a part of, joined, if it is nothing else; and its first line.
fn comment_at(lines: &[Line], line: usize) -> Option<(usize, String)> {
    let is_comment = |line: &Line| line.code.trim().is_empty() && !line.comment.is_empty() && !line.is_front;
    if !is_comment(lines.get(line)?) {
        return None;
    }
    let first = (0..=line).rev().take_while(|&i| is_comment(&lines[i])).last()?;
    let end = (line..lines.len()).find(|&i| !is_comment(&lines[i])).unwrap_or(lines.len());
    let words = lines[first..end].iter().map(|line| line.comment.trim_start_matches('/').trim());
    Some((first, words.collect::<Vec<_>>().join(" ")))
}

/// The names that a comment bears: `none` must say why.
fn names(comment: &str) -> Vec<String> {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let mut names = Vec::new();
    for rest in comment.split("SYNC:").skip(1) {
        for (i, part) in rest.split(", ").enumerate() {
            let part = part.trim_start().trim_start_matches('`');
            let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
            let (name, behind) = part.split_at(end);
            if !is_name(name) || (i != 0 && behind.starts_with(' ') && !behind.starts_with(" (")) {
                break;
            }
            assert!(name != "none" || behind.len() > 8 && behind.starts_with(':'), "why: {comment}");
            names.push(name.to_owned());
            if !behind.is_empty() {
                break;
            }
        }
    }
    names
}

/// The comment that names the ordering of a line.
fn name_of(lines: &[Line], line: usize) -> Option<(usize, String)> {
    let bears = |found: &(usize, String)| !names(&found.1).is_empty();
    let own = Some((line, lines[line].comment.clone())).filter(bears);
    let beside = || line.checked_sub(1).and_then(|above| comment_at(lines, above)).filter(bears);
    // Behind `else if`.
    let below = || comment_at(lines, line + 1).filter(bears);
    let is_blank = |line: &Line| line.code.trim().is_empty() && line.comment.is_empty();
    let above = || {
        let near = (line.saturating_sub(ABOVE)..line).rev().take_while(|&i| !is_blank(&lines[i]));
        near.filter_map(|i| comment_at(lines, i)).find(bears)
    };
    own.or_else(beside).or_else(below).or_else(above)
}

/// How many orderings files have, and what is wrong with their names.
fn check(files: &[(String, String)]) -> (usize, Vec<String>) {
    let mut places: BTreeMap<String, BTreeMap<String, Place>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut orderings = 0;
    for (name, text) in files {
        let is_rust = name.ends_with(".rs");
        let lines = lines(text, is_rust);
        let place = |line: usize| format!("{name}:{}", line + 1);
        // Who bears a name, for whatever.
        for i in 0..lines.len() {
            let own = (!lines[i].code.trim().is_empty()).then(|| (i, lines[i].comment.clone()));
            for (first, comment) in own.into_iter().chain(comment_at(&lines, i)) {
                for name in names(&comment) {
                    let at = place(first);
                    let is_both = comment.contains("both ends");
                    places.entry(name).or_default().entry(at.clone()).or_insert(Place {
                        at,
                        ends: None,
                        is_both,
                    });
                }
            }
        }
        for (i, line) in lines.iter().enumerate() {
            let Some(ends) = ends(&line.code, is_rust) else { continue };
            orderings += 1;
            let Some((first, comment)) = name_of(&lines, i) else {
                wrong.push(format!("{}: an ordering without a name: {}", place(i), line.code.trim()));
                continue;
            };
            for name in names(&comment) {
                let place = places.get_mut(&name).and_then(|places| places.get_mut(&place(first)));
                let all = place.expect("it was listed").ends.get_or_insert_default();
                all.acquires |= ends.acquires;
                all.releases |= ends.releases;
            }
        }
    }
    places.remove("none");
    for (name, places) in &places {
        let places: Vec<_> = places.values().collect();
        // A place that borrows its ordering may be either end.
        let acquires = places.iter().any(|place| place.ends.is_none_or(|ends| ends.acquires));
        let releases = places.iter().any(|place| place.ends.is_none_or(|ends| ends.releases));
        let is_both = places.iter().any(|place| place.is_both);
        if !acquires || !releases || places.len() == 1 && !is_both {
            let at: Vec<_> = places.iter().map(|place| place.at.as_str()).collect();
            wrong.push(format!("`{name}` stands at one end only: {}", at.join(", ")));
        }
    }
    (orderings, wrong)
}

#[test]
fn orderings_have_names_at_both_ends() {
    let (orderings, wrong) = check(&files());
    assert!(orderings > 200, "the sources are found: {orderings} orderings");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_missing_is_found() {
    let wrong = |rust: &str, c: &str| {
        let files = [("x.rs", rust), ("x.c", c)].map(|(name, text)| (name.to_owned(), text.to_owned()));
        check(&files).1
    };
    let rust = "// SYNC: a (release)\nx.store(1, Ordering::Release);\n";
    let c = "    /* SYNC: a (acquire) */\n    y = ann_load_acquire_u32(x);\n";
    assert!(wrong(rust, c).is_empty());
    assert_eq!(wrong(rust, ""), ["`a` stands at one end only: x.rs:1"]);
    assert_eq!(wrong("", c), ["`a` stands at one end only: x.c:1"]);
    assert_eq!(wrong(rust, "x = ann_load_acquire_u32(y);\n").len(), 2);
    // Both release.
    assert_eq!(wrong(rust, "/* SYNC: a */\nann_store_release_u32(x, 1);\n").len(), 1);
    // An end that borrows a fence.
    assert!(wrong(rust, "/* Behind the barrier, which acquires (SYNC: a). */\nann_barrier();\n").is_empty());
    assert!(wrong("// SYNC: a (both ends)\nfence(Ordering::SeqCst);\n", "").is_empty());
    assert_eq!(wrong("// SYNC: a\nfence(Ordering::SeqCst);\n", "").len(), 1);
    assert!(wrong("// SYNC: none: for no reason at all.\nfence(Ordering::SeqCst);\n", "").is_empty());
    assert_eq!(wrong("// SYNC: a\n\nfence(Ordering::SeqCst);\n", "").len(), 2);
}

#[test]
fn names_are_read_from_comments() {
    assert_eq!(names(" SYNC: doorbell, expected"), ["doorbell", "expected"]);
    assert_eq!(names(" fences (SYNC: slot-published). More, here."), ["slot-published"]);
    assert_eq!(names(" once more (`SYNC: stays`). The"), ["stays"]);
    assert_eq!(names(" SYNC: state (release), both"), ["state"]);
    assert_eq!(names(" SYNC: gauge, slots-returned (release)"), ["gauge", "slots-returned"]);
    assert_eq!(names(" SYNC: asleep. A block that has seen"), ["asleep"]);
    assert!(names(" no name").is_empty());
}
