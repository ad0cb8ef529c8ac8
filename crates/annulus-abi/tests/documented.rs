//! The guide has the codes of failures as they are here.

use std::{fs, path::Path};

use annulus_abi::{
    error::{FIRST_OWN, TIMERS_FULL, TOO_MANY_OUTPUTS, UNKNOWN_ACTOR, UNKNOWN_LATER_ACTOR, describe},
    launch::MOST_ASKS,
};

/// Each code of this crate's own is a row of the table in the guide's chapter on the language, with its name and number; and no
/// row is about a code that is not there.
#[test]
fn the_guide_has_every_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(page) = fs::read_to_string(root.join("../../docs/guide/language.md")) else {
        return println!("skipped: this is a package, without its repository");
    };
    let source = fs::read_to_string(root.join("src/error.rs")).unwrap();
    let constants =
        source.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(": u16 = 0x"));
    let mut named: Vec<(u16, &str)> = constants
        .map(|(name, value)| (u16::from_str_radix(value.trim_end_matches(';'), 16).unwrap(), name))
        .filter(|(code, _)| *code != FIRST_OWN)
        .collect();
    named.sort_unstable();
    let is_known = |code: &u16| !matches!(describe(*code), "an unknown error");
    let described: Vec<u16> = (FIRST_OWN..=u16::MAX).filter(is_known).collect();
    assert_eq!(named.iter().map(|(code, _)| *code).collect::<Vec<_>>(), described, "each has a description");
    let rows = page.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` 0x")?;
        Some((u16::from_str_radix(rest.get(..4)?, 16).ok()?, name))
    });
    assert_eq!(rows.collect::<Vec<_>>(), named, "docs/guide/language.md, under Failures");
}

/// A code with several causes names each of them, with what helps.
#[test]
fn a_code_names_all_of_its_causes() {
    let says = |code, parts: &[&str]| {
        for part in parts {
            assert!(describe(code).contains(part), "`{part}` is not in: {}", describe(code));
        }
    };
    says(
        TIMERS_FULL,
        &["max_timers = …", "timers = …", &format!("more than {MOST_ASKS} asks"), "more blocks"],
    );
    says(TOO_MANY_OUTPUTS, &["max_outputs = …", "a reply or an ask", "cx.is_leader()"]);
    says(UNKNOWN_ACTOR, &["LaunchOptions::actors", "LaunchOptions::sparse_keys"]);
    // Of a kernel with timers this stands behind it.
    for part in ["of another block", "grid(1)"] {
        assert!(UNKNOWN_LATER_ACTOR.contains(part), "`{part}` is not in: {UNKNOWN_LATER_ACTOR}");
    }
}
