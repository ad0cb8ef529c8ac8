//! The names that the language knows: the macro refuses others at their place, and lowering gives these their meaning.

/// Methods, whatever they are called on.
#[rustfmt::skip] // A table.
pub const METHODS: &[&str] = &[
    // Integers.
    "abs_diff", "count_ones", "count_zeros", "div_euclid", "is_negative", "is_positive", "is_power_of_two",
    "leading_ones", "leading_zeros", "pow", "rem_euclid", "rotate_left", "rotate_right", "saturating_add",
    "saturating_mul", "saturating_sub", "swap_bytes", "trailing_ones", "trailing_zeros", "unsigned_abs",
    "wrapping_abs", "wrapping_add", "wrapping_div", "wrapping_mul", "wrapping_neg", "wrapping_pow", "wrapping_rem",
    "wrapping_shl", "wrapping_shr", "wrapping_sub",
    // Floats.
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "cosh", "exp", "exp2", "floor", "fract",
    "hypot", "is_finite", "is_infinite", "is_nan", "is_sign_negative", "is_sign_positive", "ln", "log10", "log2",
    "mul_add", "powf", "powi", "recip", "round", "sin", "sinh", "sqrt", "tan", "tanh", "to_bits", "to_degrees",
    "to_radians", "trunc",
    // Both.
    "abs", "clamp", "into", "max", "min", "signum",
    // Arrays and slices.
    "is_empty", "len",
    // Atomics.
    "compare_exchange", "compare_exchange_weak", "fetch_add", "fetch_and", "fetch_max", "fetch_min", "fetch_or",
    "fetch_sub", "fetch_xor", "is_err", "is_ok", "load", "store", "swap",
    // Ranges.
    "rev", "step_by",
    // The handler's own parameters, and failures.
    "block_index", "code", "grid_size", "send", "thread_index",
];

/// Functions of a type that are not methods: `u64::from(x)`.
pub const FUNCTIONS: &[&str] = &["from", "from_bits", "of"];
