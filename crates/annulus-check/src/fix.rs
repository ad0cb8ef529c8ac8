//! Puts fixes into files.

use std::{fs, io};

use crate::{finding::Edit, project::Checked, source::Source};

/// What was done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// How many findings were put right.
    pub count: usize,
    /// The text as it is now.
    pub text: String,
}

/// Puts the fixes of a file that leave its meaning as it is into it; `None` if there are none. Of two that
/// touch each other the first is made: check again for the other.
///
/// # Errors
///
/// The file has changed since it was read, or cannot be written. It is written whole or not at all.
pub fn fix(file: &Checked) -> io::Result<Option<Fixed>> {
    let source = &file.source;
    let safe = file.findings.iter().filter_map(|finding| finding.fixes.iter().find(|fix| fix.is_safe));
    let Some(fixed) = apply(&source.text, safe.map(|fix| &fix.edits[..])) else { return Ok(None) };
    let changed = |what: &str| io::Error::other(format!("{}: {what}: nothing was changed", source.shown));
    // A fix that makes nonsense is ours to be ashamed of, not the user's to clean up.
    Source::parse(source.path.clone(), source.shown.clone(), fixed.text.clone())
        .map_err(|_| changed("a fix is no Rust"))?;
    if fs::read_to_string(&source.path)? != source.text {
        return Err(changed("it has changed meanwhile"));
    }
    let beside = source.path.with_extension("rs.annulus-check");
    fs::write(&beside, &fixed.text)?;
    fs::set_permissions(&beside, fs::metadata(&source.path)?.permissions())?;
    fs::rename(&beside, &source.path)?;
    Ok(Some(fixed))
}

/// The text with these changes, less those that touch one before.
fn apply<'a>(text: &str, fixes: impl Iterator<Item = &'a [Edit]>) -> Option<Fixed> {
    let (mut edits, mut count) = (Vec::<&Edit>::new(), 0);
    for fix in fixes {
        let touches = |edit: &Edit| {
            edits.iter().any(|made| edit.span.start < made.span.end && made.span.start < edit.span.end)
        };
        if !fix.iter().any(touches) {
            edits.extend(fix);
            count += 1;
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    let mut fixed = text.to_owned();
    for edit in edits.into_iter().rev() {
        fixed.replace_range(edit.span.clone(), &edit.replacement);
    }
    (count > 0).then_some(Fixed { count, text: fixed })
}
