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

/// Methods of [`METHODS`] that are never taken for a type's own.
#[rustfmt::skip] // A table.
const STANDARD_ONLY: &[&str] = &[
    // Of ranges and results.
    "is_err", "is_ok", "rev", "step_by",
    // Its type is not that of what it is called on.
    "into",
];

/// Whether a method of this name, which the language has, may also be one of a type of the user's.
pub fn may_be_own(method: &str) -> bool {
    METHODS.contains(&method) && !STANDARD_ONLY.contains(&method)
}

/// A number for a function's name (FNV-1a, 128 bits), by which traits tell the functions of a type apart.
pub fn number(function: &str) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    function.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}
