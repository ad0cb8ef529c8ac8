//! The guide's table of methods and functions has exactly the names that the language knows.

use std::{collections::BTreeSet, fs};

use annulus_tree::names;

const CHAPTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/language.md");
const HEADING: &str = "## Methods and functions of the standard library\n";

#[test]
fn the_guide_lists_all_names() {
    let Ok(chapter) = fs::read_to_string(CHAPTER) else {
        return println!("skipped: this is a package, without its repository");
    };
    let (_, section) = chapter.split_once(HEADING).expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    // Of a row, what stands in its second column; the first two rows are the table's head.
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = rows.filter_map(|row| row.split('|').nth(2));
    let listed: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let tables = [
        names::METHODS,
        names::FUNCTIONS,
        names::BY_PATH,
        names::CALLING,
        names::ENDS,
        names::STARTS,
        names::PARTS,
        names::ADAPTERS,
        names::COUNTING,
        names::CLOSING,
        names::PAIRING,
        names::TYPED,
    ];
    let known: BTreeSet<&str> = tables.concat().into_iter().collect();
    let missing: Vec<_> = known.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&known).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}; unknown: {unknown:?}");
}
