//! The names that the language knows: the macro refuses others at their place, and lowering gives these their
//! meaning.

/// Methods, whatever they are called on.
#[rustfmt::skip] // A table.
pub const METHODS: &[&str] = &[
    // Integers.
    "abs_diff", "cast_signed", "cast_unsigned", "checked_abs", "checked_add", "checked_add_signed", "checked_div",
    "checked_div_euclid", "checked_mul", "checked_neg", "checked_next_power_of_two", "checked_pow", "checked_rem",
    "checked_rem_euclid", "checked_shl", "checked_shr", "checked_sub", "count_ones", "count_zeros", "div_ceil",
    "div_euclid", "ilog10", "ilog2", "is_multiple_of", "is_negative", "is_positive", "is_power_of_two", "leading_ones",
    "leading_zeros", "midpoint", "next_multiple_of", "next_power_of_two", "overflowing_abs", "overflowing_add", "overflowing_add_signed",
    "overflowing_div", "overflowing_div_euclid", "overflowing_mul", "overflowing_neg", "overflowing_pow",
    "overflowing_rem", "overflowing_rem_euclid", "overflowing_shl", "overflowing_shr", "overflowing_sub", "pow",
    "rem_euclid", "reverse_bits", "rotate_left", "rotate_right", "saturating_abs", "saturating_add",
    "saturating_add_signed", "saturating_div", "saturating_mul", "saturating_neg", "saturating_pow", "saturating_sub",
    "swap_bytes", "to_be", "to_be_bytes", "to_le", "to_le_bytes", "to_ne_bytes", "trailing_ones", "trailing_zeros",
    "unsigned_abs", "wrapping_abs", "wrapping_add", "wrapping_add_signed", "wrapping_div", "wrapping_div_euclid",
    "wrapping_mul", "wrapping_neg", "wrapping_pow", "wrapping_rem", "wrapping_rem_euclid", "wrapping_shl",
    "wrapping_shr", "wrapping_sub",
    "isqrt",
    // `u8`.
    "eq_ignore_ascii_case", "is_ascii", "is_ascii_alphabetic", "is_ascii_alphanumeric", "is_ascii_control", "is_ascii_digit",
    "is_ascii_graphic", "is_ascii_hexdigit", "is_ascii_lowercase", "is_ascii_punctuation", "is_ascii_uppercase",
    "is_ascii_whitespace", "make_ascii_lowercase", "make_ascii_uppercase", "to_ascii_lowercase", "to_ascii_uppercase",
    // `bool`.
    "then_some",
    // Floats.
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "cosh", "exp", "exp2", "exp_m1", "floor", "fract",
    "hypot", "is_finite", "is_infinite", "is_nan", "is_sign_negative", "is_sign_positive", "ln", "ln_1p", "log10", "log2",
    "mul_add", "powf", "powi", "recip", "round", "sin", "sin_cos", "sinh", "sqrt", "tan", "tanh", "to_bits", "to_degrees",
    "to_radians", "trunc",
    // Both.
    "abs", "clamp", "into", "max", "min", "signum", "try_into",
    // Whatever is copied.
    "clone",
    // Arrays and slices.
    "as_bytes", "as_mut_slice", "as_slice", "binary_search", "contains", "copy_from_slice", "copy_within", "ends_with", "fill", "first", "first_mut", "get", "get_mut", "is_empty", "last", "last_mut", "len",
    "reverse", "sort", "sort_unstable", "split_at", "split_at_mut", "split_first", "split_first_mut", "split_last", "split_last_mut", "starts_with",
    // Lists.
    "clear", "insert", "is_full", "pop", "push", "remove", "swap_remove", "truncate",
    // Numbers of archives.
    "to_native",
    // `Option` and `Result`.
    "as_mut", "as_ref", "cloned", "copied", "err", "expect", "expect_err", "flatten", "get_or_insert", "is_none", "is_some", "ok",
    "ok_or", "or", "replace", "take", "unwrap", "unwrap_err", "unwrap_or", "unwrap_or_default", "zip",
    // Atomics.
    "compare_exchange", "compare_exchange_weak", "fetch_add", "fetch_and", "fetch_max", "fetch_min", "fetch_or",
    "fetch_sub", "fetch_xor", "is_err", "is_ok", "load", "store", "swap",
    // Comparisons, and what they give.
    "cmp", "is_eq", "is_ge", "is_gt", "is_le", "is_lt", "is_ne", "partial_cmp", "then", "total_cmp",
    // The handler's own parameters, and failures.
    "block_index", "code", "end", "fence", "grid_size", "now", "queue", "send", "send_after", "stamp", "thread_index",
    // What the threads of a block do together.
    "all", "any", "ballot", "barrier", "block_dim", "is_leader", "lane", "set", "shuffle", "shuffle_down", "shuffle_up",
    "shuffle_xor", "warp", "warp_barrier",
    // What they take messages from.
    "end_kernel", "found", "try_recv",
];

/// Methods of `Option`, `Result`, `bool`, `Ordering` and slices, and of a block's threads, whose last argument is
/// called: a closure, or the name of a function.
#[rustfmt::skip] // A table.
pub const CALLING: &[&str] = &[
    "and_then", "block_reduce", "block_scan", "block_scan_exclusive", "filter", "get_or_insert_with", "is_err_and", "is_none_or", "is_ok_and", "is_some_and", "map", "map_err", "map_or", "map_or_else",
    "ok_or_else", "or_else", "partition_point", "retain", "sort_by", "sort_by_key", "then", "then_with", "unwrap_or_else",
    "warp_reduce",
];

/// Methods that use an iterator up.
#[rustfmt::skip] // A table.
pub const ENDS: &[&str] = &[
    "all", "any", "count", "eq", "find", "find_map", "fold", "for_each", "last", "max", "max_by", "max_by_key", "min",
    "min_by", "min_by_key", "position", "product", "rposition", "sum",
];

/// Methods that make an iterator of an array or a slice.
pub const STARTS: &[&str] = &["iter", "iter_mut", "into_iter"];

/// The same, with a number of elements.
pub const PARTS: &[&str] = &["chunks", "chunks_exact", "chunks_exact_mut", "chunks_mut", "windows"];

/// Methods that make an iterator of another one.
pub const ADAPTERS: &[&str] = &["cloned", "copied", "enumerate", "flatten", "rev"];

/// The same, with a number.
pub const COUNTING: &[&str] = &["skip", "step_by", "take"];

/// The same, with a closure.
pub const CLOSING: &[&str] =
    &["filter", "filter_map", "inspect", "map", "map_while", "skip_while", "take_while"];

/// The same, with another iterator.
pub const PAIRING: &[&str] = &["chain", "zip"];

/// Methods that are read apart, since the type of what they give is asked for.
pub const TYPED: &[&str] = &["shared"];

/// Functions of a type that are not methods: `u64::from(x)`.
#[rustfmt::skip] // A table.
pub const FUNCTIONS: &[&str] = &[
    "from", "from_be", "from_be_bytes", "from_bits", "from_le", "from_le_bytes", "from_ne_bytes", "of",
];

/// The name of a pattern of an array or a slice that has as many elements as the pattern: `[a, b]`.
pub const SLICE: &str = "[]";

/// The name of one that may have more: `[a, ..]`.
pub const OPEN_SLICE: &str = "[..]";

/// The name of the part that `rest @ ..` stands for, in such a pattern.
pub const REST: &str = "..";

/// Functions that are read by their paths: `T::default()`, `T::try_from(x)`, `std::mem::replace(…)`,
/// `std::cmp::max(…)`, `std::array::from_fn(…)`.
pub const BY_PATH: &[&str] = &["default", "from_fn", "max", "min", "replace", "swap", "take", "try_from"];

/// Traits of operators and conversions that a type of the user's may have, and their functions.
#[rustfmt::skip] // A table.
pub const OPERATORS: &[(&str, &str)] = &[
    ("Add", "add"), ("AddAssign", "add_assign"), ("BitAnd", "bitand"), ("BitAndAssign", "bitand_assign"),
    ("BitOr", "bitor"), ("BitOrAssign", "bitor_assign"), ("BitXor", "bitxor"), ("BitXorAssign", "bitxor_assign"),
    ("Div", "div"), ("DivAssign", "div_assign"), ("From", "from"), ("Mul", "mul"), ("MulAssign", "mul_assign"),
    ("Neg", "neg"), ("Not", "not"), ("PartialEq", "eq"), ("PartialOrd", "partial_cmp"), ("Rem", "rem"), ("RemAssign", "rem_assign"), ("Shl", "shl"),
    ("ShlAssign", "shl_assign"), ("Shr", "shr"), ("ShrAssign", "shr_assign"), ("Sub", "sub"), ("SubAssign", "sub_assign"),
];

/// Methods of [`METHODS`] that are never taken for a type's own.
#[rustfmt::skip] // A table.
const STANDARD_ONLY: &[&str] = &[
    // Their types are not that of what they are called on.
    "into", "try_into",
    // They move an `Option` or `Result`, which may hold a reference that cannot be copied.
    "err", "expect", "expect_err", "ok", "ok_or", "unwrap", "unwrap_err", "unwrap_or", "unwrap_or_default",
];

/// Whether a method of this name, which the language has, may also be one of a type of the user's.
pub fn may_be_own(method: &str) -> bool {
    METHODS.contains(&method) && !STANDARD_ONLY.contains(&method)
}

/// Whether no number and no `Option` has a method of this name: whatever it is called on, it may be the user's.
pub fn may_be_own_anywhere(method: &str) -> bool {
    matches!(
        method,
        "clear" | "end" | "insert" | "is_full" | "pop" | "push" | "remove" | "swap_remove" | "truncate"
    )
}

/// A number for a function's name (FNV-1a, 128 bits), by which traits tell the functions of a type apart.
pub fn number(function: &str) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    function.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}
