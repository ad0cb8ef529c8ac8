//! The guide's chapter on the lints says what they say of themselves. `UPDATE_GUIDE=1` writes it anew.

use std::{fmt::Write as _, fs, path::Path};

use annulus_check::LINTS;

/// What stands between the two marks.
fn described() -> String {
    let mut text = String::from("| code | name | level | what it finds |\n|---|---|---|---|\n");
    for lint in LINTS {
        let _ = writeln!(
            text,
            "| {} | [`{}`](#{}) | {} | {} |",
            lint.code, lint.name, lint.name, lint.level, lint.summary
        );
    }
    for lint in LINTS {
        let explanation = lint.explanation().replace("```rust", "```rust,ignore");
        let _ = write!(text, "\n## {}\n\n{}: {}.\n\n{explanation}", lint.name, lint.code, lint.summary);
    }
    text
}

/// A-01 to A-05: the specification's names stand beside those of this crate, with the same levels.
#[test]
fn a01_a05_the_guide_names_the_rules_of_the_specification() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/check.md");
    let Ok(page) = fs::read_to_string(&path) else {
        return println!("skipped: this is a package, without its repository");
    };
    let mut found = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| DC0")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (code, rest) = cells[1].split_once(" `").expect("a code and a name");
        let lint = annulus_check::find(code).unwrap_or_else(|| panic!("{row}"));
        assert_eq!((rest.split('`').next(), &*lint.level.to_string()), (Some(lint.name), cells[2]), "{row}");
        found.push(cells[0].split(' ').next().unwrap());
    }
    assert_eq!(found, ["DC014", "DC015", "DC016", "DC017"]);
}

/// A-01: every rule is in the guide.
#[test]
fn a01_the_guide_describes_every_lint() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/check.md");
    let Ok(page) = fs::read_to_string(&path) else {
        return println!("skipped: this is a package, without its repository");
    };
    let (begin, end) = ("<!-- lints -->\n", "<!-- end of lints -->\n");
    let (before, rest) = page.split_once(begin).expect("a mark");
    let (_, after) = rest.split_once(end).expect("a mark");
    let wanted = format!("{before}{begin}{}{end}{after}", described());
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        fs::write(&path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/guide/check.md is not what the lints say: UPDATE_GUIDE=1 writes it");
    }
}
