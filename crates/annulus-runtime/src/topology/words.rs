//! Errors in words for users of a topology in TOML, who have keys and no code.

use super::file::OPTIONS;

/// A message of the library, with keys of TOML instead of methods: `through = 64` for `LaunchOptions::through(64)`.
#[doc(hidden)]
pub fn in_toml(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(next) = rest.chars().next() {
        let is_inside = text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match (!is_inside).then(|| option(rest)).flatten() {
            Some((key, len)) => {
                text += &key;
                rest = &rest[len..];
            }
            None => {
                text.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    text.replace("invalid launch options: ", "")
}

/// An option of a launch that the text begins with, as TOML writes it, and how long it is in the text.
fn option(text: &str) -> Option<(String, usize)> {
    const PREFIX: &str = "LaunchOptions::";
    let (is_named, after) = match (text.strip_prefix(PREFIX), text.strip_prefix('.')) {
        (Some(after), _) => (true, after),
        (None, Some(after)) => (false, after),
        (None, None) => (false, text),
    };
    let end = after.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(after.len());
    let (name, after) = after.split_at(end);
    let value = after.strip_prefix('(').and_then(|after| after.split_once(')')).map(|(value, _)| value);
    let len = text.len() - after.len();
    match value {
        // No other call looks like one of these.
        Some(value) if OPTIONS.contains(&name) => Some((format!("{name} = {value}"), len + value.len() + 2)),
        _ if is_named && !name.is_empty() => Some((name.into(), len)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::in_toml;

    #[test]
    fn methods_become_keys() {
        for (said, expected) in [
            ("launch it with LaunchOptions::through(64), or more", "launch it with through = 64, or more"),
            ("how many keys there are with .actors(n)", "how many keys there are with actors = n"),
            ("say hold(12) at least", "say hold = 12 at least"),
            ("leave supersteps(false) out, or rounds", "leave supersteps = false out, or rounds"),
            ("raise LaunchOptions::actors, or", "raise actors, or"),
            (
                "mark it with #[ring(key)], `actors` (8) of `shop.price`",
                "mark it with #[ring(key)], `actors` (8) of `shop.price`",
            ),
            ("connect_along(..), port(..).connect(..)", "connect_along(..), port(..).connect(..)"),
        ] {
            assert_eq!(in_toml(said), expected);
        }
    }
}
