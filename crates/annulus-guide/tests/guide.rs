//! The guide and the README show what their programs are: code and outputs in them are compared with files that
//! compile, and with what these print.
//!
//! A comment before a block says what it must be:
//!
//! | comment | the block |
//! |---|---|
//! | `<!-- program: state -->` | `programs/state.rs`, whole |
//! | `<!-- program: state#restore -->` | the part between `// ANCHOR: restore` and `// ANCHOR_END: restore` |
//! | `<!-- program: examples/detect -->` | `detect.rs` of the crate annulus, less the comment at its beginning |
//! | `<!-- output: state -->` | what the program prints |
//! | `<!-- output, in part: state -->` | lines that the program prints, in this order |
//!
//! `ANNULUS_GUIDE=write cargo test -p annulus-guide` writes the blocks anew, but for those in part.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The README and all chapters.
fn pages() -> Vec<PathBuf> {
    let guide = fs::read_dir(root().join("docs/guide")).expect("the guide is there");
    let mut pages: Vec<_> = guide.map(|entry| entry.expect("it can be read").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages.push(root().join("README.md"));
    pages
}

/// A program's text, or the part of it between two anchors.
fn program(name: &str) -> Result<String, String> {
    let (file, anchor) = name.split_once('#').map_or((name, None), |(file, anchor)| (file, Some(anchor)));
    let folder =
        if file.starts_with("examples/") { "crates/annulus" } else { "crates/annulus-guide/programs" };
    let path = root().join(folder).join(format!("{file}.rs"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines: Vec<&str> = match anchor {
        None => text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty()).collect(),
        Some(anchor) => {
            let mark = |word: &str| format!("// {word}: {anchor}");
            let from = text.lines().skip_while(|line| line.trim() != mark("ANCHOR")).skip(1);
            from.take_while(|line| line.trim() != mark("ANCHOR_END")).collect()
        }
    };
    lines.retain(|line| !line.trim().starts_with("// ANCHOR"));
    if lines.is_empty() {
        return Err(format!("{} has nothing under `{name}`", path.display()));
    }
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = lines.iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    Ok(lines.iter().map(|line| format!("{}\n", line.get(common..).unwrap_or(""))).collect())
}

/// What a program of the guide prints. Each runs once.
fn output(name: &str) -> Result<String, String> {
    static OUTPUTS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(output) = outputs.get(name) {
        return Ok(output.clone());
    }
    let run = Command::new(env!("CARGO_BIN_EXE_annulus-guide")).arg(name).output();
    let run = run.map_err(|error| format!("{name}: {error}"))?;
    if !run.status.success() {
        return Err(format!("{name}: {}: {}", run.status, String::from_utf8_lossy(&run.stderr)));
    }
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    outputs.insert(name.into(), text.clone());
    Ok(text)
}

/// What the block after a comment must be; `None` if the line is no such comment.
fn expected(line: &str, block: &str) -> Option<Result<String, String>> {
    let comment = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, name) = comment.split_once(": ")?;
    Some(match kind {
        "program" => program(name),
        "output" => output(name),
        "output, in part" => output(name).and_then(|all| {
            let mut printed = all.lines();
            let missing = block.lines().find(|line| !printed.any(|printed| printed == *line));
            missing.map_or(Ok(block.into()), |line| {
                Err(format!("{name} does not print `{line}`; it prints:\n{all}"))
            })
        }),
        _ => Err(format!("`{kind}` is neither program nor output")),
    })
}

/// A page as it must be, and what is wrong with it.
fn rewritten(text: &str) -> (String, Vec<String>) {
    let (mut page, mut problems) = (String::new(), Vec::new());
    let mut comment = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        if line.starts_with("<!-- ") {
            comment = Some(line);
        } else if let Some(language) = line.strip_prefix("```") {
            let block: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            let wanted = comment.take().and_then(|comment| expected(comment, &block));
            if wanted.is_none() && language == "rust" {
                problems.push(format!("a block of Rust that no program stands for:\n{block}"));
            }
            let wanted = wanted.unwrap_or_else(|| Ok(block.clone())).unwrap_or_else(|problem| {
                problems.push(problem);
                block.clone()
            });
            if wanted != block {
                problems.push(format!("there is\n{block}\nwhere there should be\n{wanted}"));
            }
            page.push_str(&wanted);
            page.push_str("```\n");
        } else if !line.is_empty() {
            comment = None;
        }
    }
    (page, problems)
}

#[test]
fn the_pages_show_their_programs_and_what_these_print() {
    let write = env::var_os("ANNULUS_GUIDE").is_some_and(|value| value == "write");
    let mut wrong = Vec::new();
    // Its blocks are documentation tests.
    for path in pages().iter().filter(|path| !path.ends_with("language.md")) {
        let text = read(path);
        let (page, problems) = rewritten(&text);
        if write && page != text {
            fs::write(path, page).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        wrong.extend(problems.into_iter().map(|problem| format!("{}: {problem}", path.display())));
    }
    assert!(write || wrong.is_empty(), "{}\nANNULUS_GUIDE=write writes them anew", wrong.join("\n"));
}

/// Also those that no page shows whole.
#[test]
fn every_program_runs() {
    let list = Command::new(env!("CARGO_BIN_EXE_annulus-guide")).output().expect("it starts");
    let names = String::from_utf8(list.stdout).expect("names are text");
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("programs"))
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        .filter(|name| name != "all")
        .collect();
    files.sort();
    assert_eq!(names.lines().collect::<Vec<_>>(), files, "programs of `main.rs`, and files");
    for name in names.lines() {
        output(name).unwrap_or_else(|error| panic!("{error}"));
    }
    let pages: String = pages().iter().map(|path| read(path)).collect();
    for name in names.lines() {
        assert!(pages.contains(&format!("<!-- program: {name}")), "no page shows anything of {name}");
    }
}

/// What a page links to: paths, and what follows a `#`.
fn links(text: &str) -> Vec<(&str, Option<&str>)> {
    let prose = outside_of_blocks(text);
    let after = prose.flat_map(|line| line.match_indices("](").map(move |(at, _)| &line[at + 2..]));
    let links = after.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let links = links.filter(|link| !link.contains("://"));
    links
        .map(|link| link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor))))
        .collect()
}

fn outside_of_blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        inside ^= line.starts_with("```");
        !inside
    })
}

/// What a heading is linked by.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut pages = pages();
    let others = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/glossary.md"];
    pages.extend(others.iter().map(|name| root().join(name)));
    for page in pages {
        let folder = page.parent().expect("it lies in a folder");
        for (path, wanted) in links(&read(&page)) {
            let target = if path.is_empty() { page.clone() } else { folder.join(path) };
            assert!(target.exists(), "{}: there is no {path}", page.display());
            let Some(wanted) = wanted else { continue };
            let text = read(&target);
            let mut headings = outside_of_blocks(&text).filter(|line| line.starts_with('#')).map(anchor);
            assert!(headings.any(|heading| heading == wanted), "{}: {path} has no #{wanted}", page.display());
        }
    }
}

#[test]
fn every_chapter_is_in_the_summary_and_in_the_readme() {
    let guide = root().join("docs/guide");
    let summary = read(&root().join("docs/SUMMARY.md"));
    let readme = read(&root().join("README.md"));
    for page in pages() {
        let name = page.file_name().expect("it is a file").to_string_lossy().into_owned();
        if page.parent() != Some(&*guide) {
            continue;
        }
        let from_summary = format!("guide/{name}");
        assert!(
            links(&summary).contains(&(&*from_summary, None)),
            "SUMMARY.md does not lead to {from_summary}"
        );
        let from_readme = format!("docs/guide/{name}");
        let listed = links(&readme).contains(&(&*from_readme, None)) || name == "introduction.md";
        assert!(listed, "README.md does not lead to {from_readme}");
    }
}

/// mdBook makes pages of the files in the summary, and of no others.
#[test]
fn pages_of_the_book_lead_to_pages_of_the_book() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let page = |path: &str| docs.join(path).canonicalize().unwrap_or_else(|error| panic!("{path}: {error}"));
    let book: Vec<PathBuf> = links(&summary).into_iter().map(|(path, _)| page(path)).collect();
    for page in &book {
        let folder = page.parent().expect("it lies in a folder");
        for (path, _) in links(&read(page)).into_iter().filter(|(path, _)| !path.is_empty()) {
            let target = folder.join(path).canonicalize();
            let target = target.unwrap_or_else(|error| panic!("{}: {path}: {error}", page.display()));
            let is_drawing = target.extension().is_some_and(|extension| extension == "svg");
            assert!(
                is_drawing || book.contains(&target),
                "{}: {path} is no page of the book",
                page.display()
            );
        }
    }
}

/// A fenced block, a comment before it, a wrong one.
#[test]
fn a_wrong_block_is_found() {
    let right = "text\n\n<!-- output: calls -->\n```text\n3 left\nnot that many\n2 left\n```\nmore\n";
    assert_eq!(rewritten(right), (right.into(), vec![]));
    let (page, problems) = rewritten(&right.replace("3 left", "4 left"));
    assert_eq!((page.as_str(), problems.len()), (right, 1));
    let part = "<!-- output, in part: calls -->\n```text\n2 left\n3 left\n```\n";
    assert_eq!(rewritten(part).1.len(), 1, "not in this order");
    assert_eq!(rewritten("```rust\nfn main() {}\n```\n").1.len(), 1, "no program");
    assert_eq!(rewritten("<!-- program: calls#nowhere -->\n```rust\n```\n").1.len(), 1, "no such part");
}
