//! The words of `#[ring_kernel(..)]` that say how a kernel is launched unless its launch says otherwise.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, ExprLit, Lit, Meta};

use crate::{errors::Errors, types};

/// What a word's value is.
enum Value {
    /// An integer from the first to the second.
    Number(u32, u32),
    /// A power of two, 16 to 1,048,576.
    Capacity,
    /// `true` or `false`.
    Switch,
    /// A time such as `"250 ms"`.
    Time,
    /// A part of all: from 0 to 1.
    Part,
    /// A variant of the enum, which is Annulus's own.
    Variant(&'static str, &'static [&'static str]),
}

const STRATEGIES: &[&str] = &["Block", "Reject", "DropOldest", "DropNew"];
const IDENTITIES: &[&str] = &["Off", "ById", "ByPayload"];

const CONSISTENCIES: &[&str] = &["Relaxed", "ReleaseAcquire", "Sequential"];
const RUN_MODES: &[&str] = &["Persistent", "EventDriven"];

/// Each word is the method of `LaunchOptions` of the same name. The limits are those that `LaunchOptions`
/// documents.
const WORDS: [(&str, Value); 37] = [
    ("capacity", Value::Capacity),
    ("output_capacity", Value::Capacity),
    ("backpressure", Value::Variant("Backpressure", STRATEGIES)),
    ("deduplication", Value::Variant("Deduplication", IDENTITIES)),
    ("deduplication_window", Value::Number(16, 1024)),
    ("priority", Value::Switch),
    ("expiry", Value::Time),
    ("max_payload", Value::Number(64, 65_536)),
    ("timestamps", Value::Switch),
    ("calls", Value::Switch),
    ("track_latency", Value::Switch),
    ("dead_letters", Value::Number(0, u32::MAX)),
    ("active", Value::Switch),
    ("grid", Value::Number(1, 65_536)),
    ("block", Value::Number(1, 1024)),
    ("actors", Value::Number(1, u32::MAX)),
    ("sparse_keys", Value::Switch),
    ("evict_actors", Value::Switch),
    ("run_mode", Value::Variant("RunMode", RUN_MODES)),
    ("leave_after", Value::Number(1, u32::MAX)),
    ("spin", Value::Time),
    ("consistency", Value::Variant("Consistency", CONSISTENCIES)),
    ("causal_ordering", Value::Switch),
    ("sealed", Value::Switch),
    ("count_turns", Value::Switch),
    ("slow_after", Value::Time),
    ("black_box", Value::Switch),
    ("causal", Value::Switch),
    ("tracing", Value::Switch),
    ("trace_sample", Value::Part),
    ("supersteps", Value::Switch),
    ("rounds", Value::Switch),
    ("connectable", Value::Switch),
    ("into_variants", Value::Switch),
    ("through", Value::Number(1, 4096)),
    ("hold", Value::Number(1, 65_536)),
    ("topics", Value::Number(1, 65_536)),
];

/// Every word, for an error.
pub(super) fn list() -> String {
    let words: Vec<_> = WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
    words.join(", ")
}

pub(super) fn is(word: &str) -> bool {
    WORDS.iter().any(|(known, _)| *known == word)
}

/// The method call that the word stands for, such as `.capacity(256)`.
pub(super) fn call(word: &str, value: &Expr) -> syn::Result<TokenStream> {
    let (name, kind) = WORDS.iter().find(|(known, _)| *known == word).expect("asked for with `is` before");
    let method = format_ident!("{name}", span = Span::mixed_site());
    let error = |message: String| syn::Error::new_spanned(value, message);
    match kind {
        Value::Number(least, most) => {
            let number =
                integer(value).filter(|number| (u64::from(*least)..=u64::from(*most)).contains(number));
            let range = if *most == u32::MAX {
                format!("from {least} on")
            } else {
                format!("from {least} to {most}")
            };
            let number =
                number.ok_or_else(|| error(format!("`{word}` is an integer literal {range}")))? as u32;
            // Methods take `u32` or `u64`: an unsuffixed literal is either.
            let number = proc_macro2::Literal::u32_unsuffixed(number);
            Ok(quote!(.#method(#number)))
        }
        Value::Capacity => {
            let slots =
                integer(value).filter(|slots| slots.is_power_of_two() && (16..=1 << 20).contains(slots));
            let slots = slots.ok_or_else(|| {
                let valid = integer(value).map_or(256, |slots| slots.clamp(16, 1 << 20).next_power_of_two());
                error(format!("`{word}` is a power of two from 16 to 1048576: write `{word} = {valid}`"))
            })? as u32;
            Ok(quote!(.#method(#slots)))
        }
        Value::Switch => match value {
            Expr::Lit(ExprLit { lit: Lit::Bool(on), .. }) => Ok(quote!(.#method(#on))),
            _ => Err(error(format!("`{word}` is `true` or `false`"))),
        },
        Value::Time => {
            let time = time(value).ok_or_else(|| {
                error(format!("`{word}` is a time above zero with its unit (ns, us, ms, s, min): write `{word} = \"250 ms\"`"))
            })?;
            Ok(quote!(.#method(::core::time::Duration::from_nanos(#time))))
        }
        Value::Part => {
            let part = part(value).ok_or_else(|| {
                error(format!("`{word}` is a literal from 0, none, to 1, all: write `{word} = 0.01` for one in a hundred"))
            })?;
            Ok(quote!(.#method(#part)))
        }
        Value::Variant(of, variants) => {
            let said = types::text(value);
            let Some(variant) = variants.iter().find(|variant| **variant == said) else {
                let known: Vec<_> = variants.iter().map(|variant| format!("`{variant}`")).collect();
                return Err(error(format!(
                    "`{said}` is no value of `{word}`: they are {}",
                    known.join(", ")
                )));
            };
            let (of, variant) = (format_ident!("{of}"), Ident::new(variant, Span::mixed_site()));
            Ok(quote!(.#method(::annulus::__private::#of::#variant)))
        }
    }
}

/// The nanoseconds of a literal such as `"250 ms"`: a whole number above zero and a unit.
pub(super) fn time(value: &Expr) -> Option<u64> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = value else { return None };
    let text = text.value();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim_start() {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|&time| time != 0)
}

/// A part of what is followed is about kernels that follow.
pub(super) fn check<'a>(metas: impl Iterator<Item = &'a Meta> + Clone, errors: &mut Errors) {
    let said = |word: &str| metas.clone().find(|meta| meta.path().is_ident(word));
    let is_on = |meta: &Meta| match meta {
        Meta::NameValue(pair) => {
            !matches!(&pair.value, Expr::Lit(ExprLit { lit: Lit::Bool(on), .. }) if !on.value)
        }
        _ => false,
    };
    if let Some(sample) = said("trace_sample")
        && !said("tracing").is_some_and(is_on)
    {
        errors.at(
            sample,
            "nothing is followed, so no part of it: add `tracing = true`, or leave `trace_sample` out",
        );
    }
}

/// `0.01`, `0` or `1`.
fn part(value: &Expr) -> Option<f64> {
    let part = match value {
        Expr::Lit(ExprLit { lit: Lit::Float(literal), .. }) if literal.suffix().is_empty() => {
            literal.base10_parse().ok()?
        }
        _ => integer(value)? as f64,
    };
    (0.0..=1.0).contains(&part).then_some(part)
}

fn integer(value: &Expr) -> Option<u64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        _ => None,
    }
}
