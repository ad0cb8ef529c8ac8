//! The word that somebody may have meant.

/// That of the words which needs the fewest letters changed, if these are few: two, and not more than a third of it.
pub(crate) fn nearest<'a>(said: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = words.map(|word| (distance(said, word), word));
    let near = near.filter(|&(distance, word)| distance <= 2 && 3 * distance <= word.len());
    near.min_by_key(|&(distance, _)| distance).map(|(_, word)| word)
}

/// How many letters are to be put in, taken out or replaced, to come from one to the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (above, a) in from.chars().enumerate() {
        let mut before = above;
        row[0] = above + 1;
        for (at, b) in to.chars().enumerate() {
            let replaced = before + usize::from(a != b);
            before = row[at + 1];
            row[at + 1] = replaced.min(before + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn words_are_near_by_their_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "ab"), distance("ab", ""), distance("ab", "ab")), (2, 2, 0));
        let words = || ["max_outputs", "grid", "block", "timers", "max_timers"].into_iter();
        assert_eq!(nearest("max_output", words()), Some("max_outputs"));
        assert_eq!(nearest("gird", words()), None, "two letters of four");
        assert_eq!(nearest("blocks", words()), Some("block"));
        assert_eq!(nearest("timer", words()), Some("timers"));
        assert_eq!(nearest("colour", words()), None);
    }
}
