//! Names of types as people write them.

use std::fmt;

/// A type's name as [`type_name`](std::any::type_name) gives it, shown without the paths to it and to what it holds.
pub(crate) struct Short(pub(crate) &'static str);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_of_a_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let mut rest = self.0;
        while let Some(first) = rest.chars().next() {
            let end = match is_of_a_name(first) {
                true => rest.find(|c| !is_of_a_name(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (part, behind) = rest.split_at(end);
            f.write_str(part.rsplit("::").next().unwrap_or(part))?;
            rest = behind;
        }
        Ok(())
    }
}

/// Two types, shown with their paths if they differ by these alone.
pub(crate) fn short_both(one: &'static str, other: &'static str) -> (String, String) {
    let (short, its) = (Short(one).to_string(), Short(other).to_string());
    if short == its && one != other { (one.into(), other.into()) } else { (short, its) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_its_paths() {
        let shown = |name| Short(name).to_string();
        assert_eq!(shown("u32"), "u32");
        assert_eq!(shown("alloc::string::String"), "String");
        assert_eq!(shown("core::option::Option<my_app::orders::Order>"), "Option<Order>");
        assert_eq!(
            shown("(alloc::vec::Vec<a::B>, [c::D; 4], &'static str)"),
            "(Vec<B>, [D; 4], &'static str)"
        );
    }

    #[test]
    fn types_of_one_name_keep_their_paths() {
        assert_eq!(short_both("a::Order", "b::Order"), ("a::Order".into(), "b::Order".into()));
        assert_eq!(short_both("a::Order", "b::Bill"), ("Order".into(), "Bill".into()));
        assert_eq!(short_both("a::Order", "a::Order"), ("Order".into(), "Order".into()));
    }
}
