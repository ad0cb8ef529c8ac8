// What Rust's operators and methods mean, in C that has no undefined behaviour: the same text for every
// dialect.
//
// The prelude before it defines u8 .. i64, f32 and (where the device has it) f64, and GLOBAL, PRIVATE,
// CONSTANT. A function's name is rs_<method>_<type>. Overflow wraps; rs_<method>_overflows_<type> says where
// it would.

#if defined(__OPENCL_VERSION__)
#define RS_FN static
#define RS_MATH_F32(name) name
#define RS_MATH_F64(name) name
#define RS_EXACT_F32 RS_MATH_F32
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#define RS_HAS_F64 1
#endif
#elif defined(__METAL_VERSION__)
#define RS_FN static inline
#define RS_MATH_F32(name) metal::precise::name
// What is exact has no variant that is more so.
#define RS_EXACT_F32(name) metal::name
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define RS_FN static __device__ inline
#define RS_MATH_F32(name) name##f
#define RS_MATH_F64(name) name
#define RS_EXACT_F32 RS_MATH_F32
#define RS_HAS_F64 1
#else
#define RS_FN static inline
#define RS_MATH_F32(name) name##f
#define RS_MATH_F64(name) name
#define RS_EXACT_F32 RS_MATH_F32
#define RS_HAS_F64 1
#endif

// What a pointer to a constant of the program points to.
#if defined(__OPENCL_VERSION__)
#define RS_CONSTANT __constant
#elif defined(__METAL_VERSION__)
#define RS_CONSTANT constant
#else
#define RS_CONSTANT
#endif

// A function that may fail returns a code, or 0: who calls it fails with the same.
#define RS_TRY(call)                                                                                                       \
    do {                                                                                                                   \
        u32 rs_code = (call);                                                                                              \
        if (rs_code != 0u) return rs_code;                                                                                 \
    } while (0)

// In initialisers, where no function can be called.
#if defined(__OPENCL_VERSION__) || defined(__METAL_VERSION__)
#define RS_INFINITY_F32 INFINITY
#define RS_NAN_F32 NAN
#else
#define RS_INFINITY_F32 (1.0f / 0.0f)
#define RS_NAN_F32 (0.0f / 0.0f)
#endif
#define RS_INFINITY_F64 (1.0 / 0.0)
#define RS_NAN_F64 (0.0 / 0.0)

// Integers. T: the type; U: unsigned, as wide; W: unsigned, as wide and not narrower than u32, in which is
// calculated.

#define RS_INTEGER(T, U, W, BITS)                                                                                          \
    RS_FN T rs_add_##T(T a, T b) { return (T)((W)a + (W)b); }                                                              \
    RS_FN T rs_sub_##T(T a, T b) { return (T)((W)a - (W)b); }                                                              \
    RS_FN T rs_mul_##T(T a, T b) { return (T)((W)a * (W)b); }                                                              \
    RS_FN T rs_neg_##T(T a) { return (T)((W)0 - (W)a); }                                                                   \
    RS_FN T rs_shl_##T(T a, u32 n) { return (T)((W)(U)a << (n & (BITS - 1u))); }                                           \
    RS_FN T rs_min_##T(T a, T b) { return b < a ? b : a; }                                                                 \
    RS_FN T rs_max_##T(T a, T b) { return b < a ? a : b; }                                                                 \
    RS_FN T rs_rotate_left_##T(T a, u32 n) {                                                                               \
        W bits = (W)(U)a;                                                                                                  \
        n &= BITS - 1u;                                                                                                    \
        return n == 0u ? a : (T)(U)((bits << n) | (bits >> (BITS - n)));                                                   \
    }                                                                                                                      \
    RS_FN T rs_rotate_right_##T(T a, u32 n) { return rs_rotate_left_##T(a, (BITS - (n & (BITS - 1u))) & (BITS - 1u)); }    \
    RS_FN u32 rs_count_ones_##T(T a) {                                                                                     \
        u64 bits = (u64)(U)a;                                                                                              \
        bits -= (bits >> 1) & 0x5555555555555555u;                                                                         \
        bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);                                         \
        bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;                                                                 \
        return (u32)((bits * 0x0101010101010101u) >> 56);                                                                  \
    }                                                                                                                      \
    RS_FN u32 rs_leading_zeros_##T(T a) {                                                                                  \
        u64 bits = (u64)(U)a;                                                                                              \
        bits |= bits >> 1;                                                                                                 \
        bits |= bits >> 2;                                                                                                 \
        bits |= bits >> 4;                                                                                                 \
        bits |= bits >> 8;                                                                                                 \
        bits |= bits >> 16;                                                                                                \
        bits |= bits >> 32;                                                                                                \
        return BITS - rs_count_ones_##T((T)(U)bits);                                                                       \
    }                                                                                                                      \
    RS_FN u32 rs_trailing_zeros_##T(T a) {                                                                                 \
        W bits = (W)(U)a;                                                                                                  \
        return bits == 0 ? BITS : rs_count_ones_##T((T)(U)(~bits & (bits - 1)));                                           \
    }                                                                                                                      \
    RS_FN T rs_swap_bytes_##T(T a) {                                                                                       \
        W from = (W)(U)a;                                                                                                  \
        W to = 0;                                                                                                          \
        for (u32 i = 0; i < BITS; i += 8u) to |= ((from >> i) & 0xFFu) << (BITS - 8u - i);                                 \
        return (T)(U)to;                                                                                                   \
    }                                                                                                                      \
    RS_FN T rs_pow_##T(T base, u32 exponent) {                                                                             \
        W result = 1;                                                                                                      \
        W square = (W)base;                                                                                                \
        for (; exponent != 0u; exponent >>= 1) {                                                                           \
            if (exponent & 1u) result *= square;                                                                           \
            square *= square;                                                                                              \
        }                                                                                                                  \
        return (T)(U)result;                                                                                               \
    }                                                                                                                      \
    RS_FN U rs_abs_diff_##T(T a, T b) { return (U)(a < b ? (W)b - (W)a : (W)a - (W)b); }                                   \
    /* What `for` counts with: the value before, how far it is to the last, and `step` further. */                         \
    RS_FN T rs_before_##T(T a) { return (T)((W)a - 1u); }                                                                  \
    RS_FN u64 rs_distance_##T(T from, T to) { return (u64)(U)((W)to - (W)from); }                                          \
    RS_FN T rs_advance_##T(T a, u64 step) { return (T)((W)a + (W)step); }                                                  \
    RS_FN T rs_retreat_##T(T a, u64 step) { return (T)((W)a - (W)step); }

#define RS_UNSIGNED(T, W, BITS)                                                                                            \
    RS_INTEGER(T, T, W, BITS)                                                                                              \
    RS_FN T rs_shr_##T(T a, u32 n) { return (T)((W)a >> (n & (BITS - 1u))); }                                              \
    RS_FN bool rs_is_multiple_of_##T(T a, T b) { return b == 0 ? a == 0 : a % b == 0; }                                     \
    RS_FN bool rs_is_power_of_two_##T(T a) { return a != 0 && ((W)a & ((W)a - 1u)) == 0; }                                 \
    RS_FN T rs_saturating_add_##T(T a, T b) {                                                                              \
        T sum = rs_add_##T(a, b);                                                                                          \
        return sum < a ? (T)~(T)0 : sum;                                                                                   \
    }                                                                                                                      \
    RS_FN T rs_saturating_sub_##T(T a, T b) { return a < b ? (T)0 : (T)(a - b); }                                          \
    RS_FN T rs_saturating_mul_##T(T a, T b) {                                                                              \
        return b != 0 && a > (T)((T)~(T)0 / b) ? (T)~(T)0 : rs_mul_##T(a, b);                                              \
    }

// MIN and MAX are given without a cast that could overflow.
#define RS_SIGNED(T, U, W, BITS, MIN, MAX)                                                                                 \
    RS_INTEGER(T, U, W, BITS)                                                                                              \
    /* Shifted as unsigned, with the sign drawn in: C leaves `>>` of negative numbers to the compiler. */                  \
    RS_FN T rs_shr_##T(T a, u32 n) {                                                                                       \
        n &= BITS - 1u;                                                                                                    \
        return a < 0 ? (T)(U)~((W)(U)~a >> n) : (T)(U)((W)(U)a >> n);                                                      \
    }                                                                                                                      \
    RS_FN T rs_abs_##T(T a) { return a < 0 ? rs_neg_##T(a) : a; }                                                          \
    RS_FN U rs_unsigned_abs_##T(T a) { return (U)(a < 0 ? (W)0 - (W)a : (W)a); }                                           \
    RS_FN T rs_signum_##T(T a) { return (T)((a > 0) - (a < 0)); }                                                          \
    RS_FN T rs_saturating_add_##T(T a, T b) {                                                                              \
        T sum = rs_add_##T(a, b);                                                                                          \
        return b < 0 ? (sum > a ? MIN : sum) : (sum < a ? MAX : sum);                                                      \
    }                                                                                                                      \
    RS_FN T rs_saturating_sub_##T(T a, T b) {                                                                              \
        T difference = rs_sub_##T(a, b);                                                                                   \
        return b < 0 ? (difference < a ? MAX : difference) : (difference > a ? MIN : difference);                          \
    }                                                                                                                      \
    RS_FN T rs_saturating_mul_##T(T a, T b) {                                                                              \
        U most = (a < 0) == (b < 0) ? (U)MAX : (U)((W)(U)MAX + 1u);                                                        \
        U x = rs_unsigned_abs_##T(a), y = rs_unsigned_abs_##T(b);                                                          \
        if (y != 0 && x > (U)(most / y)) return (a < 0) == (b < 0) ? MAX : MIN;                                            \
        return rs_mul_##T(a, b);                                                                                           \
    }                                                                                                                      \
    /* The divisor is not 0; MIN / -1 was checked where it is an error. */                                                 \
    RS_FN T rs_wrapping_div_##T(T a, T b) { return b == -1 ? rs_neg_##T(a) : (T)(a / b); }                                 \
    RS_FN T rs_wrapping_rem_##T(T a, T b) { return b == -1 ? (T)0 : (T)(a % b); }                                          \
    RS_FN T rs_rem_euclid_##T(T a, T b) {                                                                                  \
        T rest = rs_wrapping_rem_##T(a, b);                                                                                \
        return rest < 0 ? (b < 0 ? rs_sub_##T(rest, b) : rs_add_##T(rest, b)) : rest;                                      \
    }                                                                                                                      \
    RS_FN T rs_div_euclid_##T(T a, T b) {                                                                                  \
        T quotient = rs_wrapping_div_##T(a, b);                                                                            \
        return rs_wrapping_rem_##T(a, b) < 0 ? (b > 0 ? rs_sub_##T(quotient, 1) : rs_add_##T(quotient, 1)) : quotient;     \
    }

RS_UNSIGNED(u8, u32, 8u)
RS_UNSIGNED(u16, u32, 16u)
RS_UNSIGNED(u32, u32, 32u)
RS_UNSIGNED(u64, u64, 64u)
RS_SIGNED(i8, u8, u32, 8u, (i8)(-128), (i8)127)
RS_SIGNED(i16, u16, u32, 16u, (i16)(-32768), (i16)32767)
RS_SIGNED(i32, u32, u32, 32u, (-2147483647 - 1), 2147483647)
RS_SIGNED(i64, u64, u64, 64u, ((i64)(-9223372036854775807) - 1), (i64)9223372036854775807)

// Where a calculation leaves its type's range. The bits of a product above the lower 64:
#if defined(__OPENCL_VERSION__)
RS_FN u64 rs_mul_high_u64(u64 a, u64 b) { return mul_hi(a, b); }
#elif defined(__METAL_VERSION__)
RS_FN u64 rs_mul_high_u64(u64 a, u64 b) { return mulhi(a, b); }
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
RS_FN u64 rs_mul_high_u64(u64 a, u64 b) { return __umul64hi(a, b); }
#else
RS_FN u64 rs_mul_high_u64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
#endif

#define RS_POW_OVERFLOWS(T)                                                                                                \
    RS_FN bool rs_pow_overflows_##T(T base, u32 exponent) {                                                                \
        T result = 1;                                                                                                      \
        for (; exponent != 0u; base = rs_mul_##T(base, base)) {                                                            \
            if ((exponent & 1u) && rs_mul_overflows_##T(result, base)) return true;                                        \
            if (exponent & 1u) result = rs_mul_##T(result, base);                                                          \
            exponent >>= 1;                                                                                                \
            if (exponent != 0u && rs_mul_overflows_##T(base, base)) return true;                                           \
        }                                                                                                                  \
        return false;                                                                                                      \
    }

#define RS_UNSIGNED_OVERFLOWS(T, MUL)                                                                                      \
    RS_FN bool rs_add_overflows_##T(T a, T b) { return rs_add_##T(a, b) < a; }                                             \
    RS_FN bool rs_sub_overflows_##T(T a, T b) { return a < b; }                                                            \
    RS_FN bool rs_mul_overflows_##T(T a, T b) { return MUL; }                                                              \
    RS_POW_OVERFLOWS(T)

#define RS_SIGNED_OVERFLOWS(T, U, MIN, MUL)                                                                                \
    RS_FN bool rs_add_overflows_##T(T a, T b) { return b < 0 ? rs_add_##T(a, b) > a : rs_add_##T(a, b) < a; }              \
    RS_FN bool rs_sub_overflows_##T(T a, T b) { return b < 0 ? rs_sub_##T(a, b) < a : rs_sub_##T(a, b) > a; }              \
    RS_FN bool rs_neg_overflows_##T(T a) { return a == MIN; }                                                              \
    RS_FN bool rs_mul_overflows_##T(T a, T b) {                                                                            \
        U x = rs_unsigned_abs_##T(a), y = rs_unsigned_abs_##T(b);                                                          \
        u64 most = (u64)(U)MIN - ((a < 0) == (b < 0) ? 1u : 0u);                                                           \
        return MUL;                                                                                                        \
    }                                                                                                                      \
    RS_POW_OVERFLOWS(T)

RS_UNSIGNED_OVERFLOWS(u8, (u32)a * b > 0xFFu)
RS_UNSIGNED_OVERFLOWS(u16, (u32)a * b > 0xFFFFu)
RS_UNSIGNED_OVERFLOWS(u32, (u64)a * b > 0xFFFFFFFFu)
RS_UNSIGNED_OVERFLOWS(u64, rs_mul_high_u64(a, b) != 0)
RS_SIGNED_OVERFLOWS(i8, u8, (i8)(-128), (u64)x * y > most)
RS_SIGNED_OVERFLOWS(i16, u16, (i16)(-32768), (u64)x * y > most)
RS_SIGNED_OVERFLOWS(i32, u32, (-2147483647 - 1), (u64)x * y > most)
RS_SIGNED_OVERFLOWS(i64, u64, ((i64)(-9223372036854775807) - 1), rs_mul_high_u64(x, y) != 0 || x * y > most)

// Floats.

#if defined(__OPENCL_VERSION__)
RS_FN u32 rs_to_bits_f32(f32 x) { return as_uint(x); }
RS_FN f32 rs_from_bits_f32(u32 x) { return as_float(x); }
#ifdef RS_HAS_F64
RS_FN u64 rs_to_bits_f64(f64 x) { return as_ulong(x); }
RS_FN f64 rs_from_bits_f64(u64 x) { return as_double(x); }
#endif
#elif defined(__METAL_VERSION__)
RS_FN u32 rs_to_bits_f32(f32 x) { return as_type<u32>(x); }
RS_FN f32 rs_from_bits_f32(u32 x) { return as_type<f32>(x); }
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
RS_FN u32 rs_to_bits_f32(f32 x) { return __float_as_uint(x); }
RS_FN f32 rs_from_bits_f32(u32 x) { return __uint_as_float(x); }
RS_FN u64 rs_to_bits_f64(f64 x) { return (u64)__double_as_longlong(x); }
RS_FN f64 rs_from_bits_f64(u64 x) { return __longlong_as_double((i64)x); }
#else
RS_FN u32 rs_to_bits_f32(f32 x) { u32 bits; __builtin_memcpy(&bits, &x, 4); return bits; }
RS_FN f32 rs_from_bits_f32(u32 bits) { f32 x; __builtin_memcpy(&x, &bits, 4); return x; }
RS_FN u64 rs_to_bits_f64(f64 x) { u64 bits; __builtin_memcpy(&bits, &x, 8); return bits; }
RS_FN f64 rs_from_bits_f64(u64 bits) { f64 x; __builtin_memcpy(&x, &bits, 8); return x; }
#endif

// What a function gives for x, and NaN for NaN: PoCL 3.1's own are compiled as if there were none, and give
// anything for one that the compiler knows.
#if defined(__OPENCL_VERSION__)
#define RS_NUMBER(x, value) ((x) != (x) ? (x) : (value))
#else
#define RS_NUMBER(x, value) (value)
#endif

// F: the type; B: unsigned, as wide; SIGN, EXPONENT: those bits; N: a number in F.
#define RS_FLOAT(F, B, SIGN, EXPONENT, RS_MATH, RS_EXACT, N)                                                               \
    RS_FN bool rs_is_nan_##F(F x) { return x != x; }                                                                       \
    RS_FN bool rs_is_infinite_##F(F x) { return (rs_to_bits_##F(x) & ~(SIGN)) == (EXPONENT); }                             \
    RS_FN bool rs_is_finite_##F(F x) { return (rs_to_bits_##F(x) & (EXPONENT)) != (EXPONENT); }                            \
    RS_FN bool rs_is_sign_negative_##F(F x) { return (rs_to_bits_##F(x) & (SIGN)) != 0; }                                  \
    RS_FN bool rs_is_sign_positive_##F(F x) { return (rs_to_bits_##F(x) & (SIGN)) == 0; }                                  \
    RS_FN F rs_abs_##F(F x) { return rs_from_bits_##F(rs_to_bits_##F(x) & ~(SIGN)); }                                      \
    RS_FN F rs_copysign_##F(F x, F s) {                                                                                    \
        return rs_from_bits_##F((rs_to_bits_##F(x) & ~(SIGN)) | (rs_to_bits_##F(s) & (SIGN)));                             \
    }                                                                                                                      \
    RS_FN F rs_signum_##F(F x) { return x != x ? x : rs_copysign_##F(N(1.0), x); }                                         \
    RS_FN F rs_min_##F(F a, F b) { return a != a ? b : b != b ? a : b < a ? b : a; }                                       \
    RS_FN F rs_max_##F(F a, F b) { return a != a ? b : b != b ? a : a < b ? b : a; }                                       \
    RS_FN F rs_clamp_##F(F x, F low, F high) { return x < low ? low : x > high ? high : x; }                               \
    RS_FN F rs_recip_##F(F x) { return N(1.0) / x; }                                                                       \
    RS_FN F rs_rem_##F(F a, F b) { return RS_MATH(fmod)(a, b); }                                                           \
    RS_FN F rs_sqrt_##F(F x) { return RS_MATH(sqrt)(x); }                                                                  \
    RS_FN F rs_mul_add_##F(F a, F b, F c) { return RS_EXACT(fma)(a, b, c); }                                               \
    RS_FN F rs_floor_##F(F x) { return RS_NUMBER(x, RS_EXACT(floor)(x)); }                                                 \
    RS_FN F rs_ceil_##F(F x) { return RS_NUMBER(x, RS_EXACT(ceil)(x)); }                                                   \
    RS_FN F rs_trunc_##F(F x) { return RS_NUMBER(x, RS_EXACT(trunc)(x)); }                                                 \
    RS_FN F rs_round_##F(F x) { return RS_NUMBER(x, RS_EXACT(round)(x)); }                                                 \
    RS_FN F rs_fract_##F(F x) { return x - rs_trunc_##F(x); }                                                              \
    RS_FN F rs_exp_##F(F x) { return RS_NUMBER(x, RS_MATH(exp)(x)); }                                                      \
    RS_FN F rs_exp2_##F(F x) { return RS_NUMBER(x, RS_MATH(exp2)(x)); }                                                    \
    RS_FN F rs_ln_##F(F x) { return RS_MATH(log)(x); }                                                                     \
    RS_FN F rs_log2_##F(F x) { return RS_MATH(log2)(x); }                                                                  \
    RS_FN F rs_log10_##F(F x) { return RS_MATH(log10)(x); }                                                                \
    RS_FN F rs_sin_##F(F x) { return RS_MATH(sin)(x); }                                                                    \
    RS_FN F rs_cos_##F(F x) { return RS_MATH(cos)(x); }                                                                    \
    RS_FN F rs_tan_##F(F x) { return RS_MATH(tan)(x); }                                                                    \
    RS_FN F rs_asin_##F(F x) { return RS_MATH(asin)(x); }                                                                  \
    RS_FN F rs_acos_##F(F x) { return RS_MATH(acos)(x); }                                                                  \
    RS_FN F rs_atan_##F(F x) { return RS_MATH(atan)(x); }                                                                  \
    RS_FN F rs_atan2_##F(F y, F x) { return RS_MATH(atan2)(y, x); }                                                        \
    RS_FN F rs_sinh_##F(F x) { return RS_NUMBER(x, RS_MATH(sinh)(x)); }                                                    \
    RS_FN F rs_cosh_##F(F x) { return RS_MATH(cosh)(x); }                                                                  \
    RS_FN F rs_tanh_##F(F x) { return RS_NUMBER(x, RS_MATH(tanh)(x)); }                                                    \
    RS_FN F rs_powf_##F(F x, F y) { return RS_MATH(pow)(x, y); }                                                           \
    RS_FN F rs_powi_##F(F x, i32 n) {                                                                                      \
        F result = N(1.0);                                                                                                 \
        F square = x;                                                                                                      \
        for (u32 left = rs_unsigned_abs_i32(n);; square *= square) {                                                       \
            if (left & 1u) result *= square;                                                                               \
            left >>= 1;                                                                                                    \
            if (left == 0u) break;                                                                                         \
        }                                                                                                                  \
        return n < 0 ? N(1.0) / result : result;                                                                           \
    }                                                                                                                      \
    RS_FN F rs_to_radians_##F(F x) { return x * N(0.017453292519943295769236907684886); }                                  \
    RS_FN F rs_rem_euclid_##F(F a, F b) {                                                                                  \
        F rest = rs_rem_##F(a, b);                                                                                         \
        return rest < N(0.0) ? rest + rs_abs_##F(b) : rest;                                                                \
    }                                                                                                                      \
    RS_FN F rs_div_euclid_##F(F a, F b) {                                                                                  \
        F quotient = rs_trunc_##F(a / b);                                                                                  \
        if (rs_rem_##F(a, b) < N(0.0)) return b > N(0.0) ? quotient - N(1.0) : quotient + N(1.0);                          \
        return quotient;                                                                                                   \
    }                                                                                                                      \
    RS_TO_INTEGER(i8, F, N(-128.0), N(127.0), (i8)(-128), (i8)127)                                                         \
    RS_TO_INTEGER(i16, F, N(-32768.0), N(32767.0), (i16)(-32768), (i16)32767)                                              \
    RS_TO_INTEGER(u8, F, N(0.0), N(255.0), (u8)0, (u8)255)                                                                 \
    RS_TO_INTEGER(u16, F, N(0.0), N(65535.0), (u16)0, (u16)65535)                                                          \
    RS_TO_INTEGER(i32, F, N(-2147483648.0), N(2147483647.0), (-2147483647 - 1), 2147483647)                                \
    RS_TO_INTEGER(u32, F, N(0.0), N(4294967295.0), 0u, 4294967295u)                                                        \
    RS_TO_INTEGER(i64, F, N(-9223372036854775808.0), N(9223372036854775807.0), ((i64)(-9223372036854775807) - 1),          \
                  (i64)9223372036854775807)                                                                                \
    RS_TO_INTEGER(u64, F, N(0.0), N(18446744073709551615.0), (u64)0, ~(u64)0)

// `as`: towards zero, to the nearest value that there is, and NaN to 0. LOW and HIGH are the bounds as
// floats; where the upper one was rounded up it is beyond MAX, so `>=` is right in either case.
#define RS_TO_INTEGER(T, F, LOW, HIGH, MIN, MAX)                                                                           \
    RS_FN T rs_##T##_from_##F(F x) { return x != x ? (T)0 : x <= LOW ? MIN : x >= HIGH ? MAX : (T)x; }

#define RS_N32(x) (x##f)
#define RS_N64(x) (x)

RS_FLOAT(f32, u32, 0x80000000u, 0x7F800000u, RS_MATH_F32, RS_EXACT_F32, RS_N32)
RS_FN f32 rs_to_degrees_f32(f32 x) { return x * 57.2957795130823208767981548141051703f; }
#if !defined(__METAL_VERSION__)
RS_FN f32 rs_hypot_f32(f32 x, f32 y) { return RS_MATH_F32(hypot)(x, y); }
RS_FN f32 rs_cbrt_f32(f32 x) { return RS_MATH_F32(cbrt)(x); }
RS_FN f32 rs_exp_m1_f32(f32 x) { return RS_MATH_F32(expm1)(x); }
RS_FN f32 rs_ln_1p_f32(f32 x) { return RS_MATH_F32(log1p)(x); }
#endif
#ifdef RS_HAS_F64
RS_FLOAT(f64, u64, 0x8000000000000000u, 0x7FF0000000000000u, RS_MATH_F64, RS_MATH_F64, RS_N64)
RS_FN f64 rs_to_degrees_f64(f64 x) { return x * (180.0 / 3.14159265358979323846264338327950288); }
RS_FN f64 rs_hypot_f64(f64 x, f64 y) { return RS_MATH_F64(hypot)(x, y); }
RS_FN f64 rs_cbrt_f64(f64 x) { return RS_MATH_F64(cbrt)(x); }
RS_FN f64 rs_exp_m1_f64(f64 x) { return RS_MATH_F64(expm1)(x); }
RS_FN f64 rs_ln_1p_f64(f64 x) { return RS_MATH_F64(log1p)(x); }
#endif

// Atomics on memory that all blocks share.

#define RS_RELAXED 0
#if defined(__METAL_VERSION__) && __METAL_VERSION__ < 320
// Without fences there is no order: what asks for one is not compiled.
#define RS_ACQUIRE atomics_that_are_not_relaxed_need_metal_3_2
#define RS_RELEASE atomics_that_are_not_relaxed_need_metal_3_2
#define RS_ACQ_REL atomics_that_are_not_relaxed_need_metal_3_2
#define RS_SEQ_CST atomics_that_are_not_relaxed_need_metal_3_2
#else
#define RS_ACQUIRE 1
#define RS_RELEASE 2
#define RS_ACQ_REL 3
#define RS_SEQ_CST 4
#endif

#if defined(__OPENCL_VERSION__)
// OpenCL C 1.2: relaxed operations, and fences where the order asks for them.
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define RS_HAS_ATOMIC64 1
#endif
#define RS_BEFORE(order) if ((order) >= RS_RELEASE) mem_fence(CLK_GLOBAL_MEM_FENCE)
#define RS_AFTER(order) if ((order) != RS_RELAXED && (order) != RS_RELEASE) mem_fence(CLK_GLOBAL_MEM_FENCE)
#define RS_ATOMIC_OP(T, NAME, CALL)                                                                                        \
    RS_FN T rs_atomic_##NAME##_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        RS_BEFORE(order);                                                                                                  \
        T seen = CALL;                                                                                                     \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
#define RS_ATOMIC(T, OP)                                                                                                   \
    RS_ATOMIC_OP(T, fetch_add, OP##_add(p, value))                                                                         \
    RS_ATOMIC_OP(T, fetch_sub, OP##_sub(p, value))                                                                         \
    RS_ATOMIC_OP(T, fetch_and, OP##_and(p, value))                                                                         \
    RS_ATOMIC_OP(T, fetch_or, OP##_or(p, value))                                                                           \
    RS_ATOMIC_OP(T, fetch_xor, OP##_xor(p, value))                                                                         \
    RS_ATOMIC_OP(T, fetch_min, OP##_min(p, value))                                                                         \
    RS_ATOMIC_OP(T, fetch_max, OP##_max(p, value))                                                                         \
    RS_ATOMIC_OP(T, swap, OP##_xchg(p, value))                                                                             \
    RS_FN T rs_atomic_load_##T(volatile GLOBAL T *p, int order) { return rs_atomic_fetch_or_##T(p, 0, order); }            \
    RS_FN void rs_atomic_store_##T(volatile GLOBAL T *p, T value, int order) { rs_atomic_swap_##T(p, value, order); }      \
    RS_FN T rs_atomic_compare_exchange_##T(volatile GLOBAL T *p, T expected, T value, int order) {                         \
        RS_BEFORE(order);                                                                                                  \
        T seen = OP##_cmpxchg(p, expected, value);                                                                         \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
RS_ATOMIC(u32, atomic)
RS_ATOMIC(i32, atomic)
#ifdef RS_HAS_ATOMIC64
RS_ATOMIC(u64, atom)
RS_ATOMIC(i64, atom)
#endif
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
// Relaxed operations, and fences where the order asks for them. Signed 64-bit words are counted as unsigned
// ones, but compared as signed.
#define RS_BEFORE(order) if ((order) >= RS_RELEASE) __threadfence()
#define RS_AFTER(order) if ((order) != RS_RELAXED && (order) != RS_RELEASE) __threadfence()
#define RS_ATOMIC_OP(T, U, NAME, FUNCTION)                                                                                 \
    RS_FN T rs_atomic_##NAME##_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        RS_BEFORE(order);                                                                                                  \
        T seen = (T)FUNCTION((U *)p, (U)value);                                                                            \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
#define RS_ATOMIC(T, U)                                                                                                    \
    RS_ATOMIC_OP(T, U, fetch_add, atomicAdd)                                                                               \
    RS_FN T rs_atomic_fetch_sub_##T(volatile GLOBAL T *p, T value, int order) {                                            \
        return rs_atomic_fetch_add_##T(p, rs_neg_##T(value), order);                                                       \
    }                                                                                                                      \
    RS_ATOMIC_OP(T, U, fetch_and, atomicAnd)                                                                               \
    RS_ATOMIC_OP(T, U, fetch_or, atomicOr)                                                                                 \
    RS_ATOMIC_OP(T, U, fetch_xor, atomicXor)                                                                               \
    RS_ATOMIC_OP(T, T, fetch_min, atomicMin)                                                                               \
    RS_ATOMIC_OP(T, T, fetch_max, atomicMax)                                                                               \
    RS_ATOMIC_OP(T, U, swap, atomicExch)                                                                                   \
    RS_FN T rs_atomic_load_##T(volatile GLOBAL T *p, int order) {                                                          \
        RS_BEFORE(order);                                                                                                  \
        T seen = *p;                                                                                                       \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }                                                                                                                      \
    RS_FN void rs_atomic_store_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        RS_BEFORE(order);                                                                                                  \
        *p = value;                                                                                                        \
        RS_AFTER(order);                                                                                                   \
    }                                                                                                                      \
    RS_FN T rs_atomic_compare_exchange_##T(volatile GLOBAL T *p, T expected, T value, int order) {                         \
        RS_BEFORE(order);                                                                                                  \
        T seen = (T)atomicCAS((U *)p, (U)expected, (U)value);                                                              \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
RS_ATOMIC(u32, u32)
RS_ATOMIC(i32, u32)
RS_ATOMIC(u64, u64)
RS_ATOMIC(i64, u64)
#elif defined(__METAL_VERSION__)
// Relaxed operations, of 32 bits alone, and fences where the order asks for them. Until Metal 4.1 a fence is
// sequentially consistent or none.
#if __METAL_VERSION__ < 320
#define RS_BEFORE(order)
#define RS_AFTER(order)
#else
#define RS_FENCE()                                                                                                         \
    metal::atomic_thread_fence(metal::mem_flags::mem_device, metal::memory_order_seq_cst, metal::thread_scope_device)
#define RS_BEFORE(order) if ((order) >= RS_RELEASE) RS_FENCE()
#define RS_AFTER(order) if ((order) != RS_RELAXED && (order) != RS_RELEASE) RS_FENCE()
#endif
#define RS_ATOMIC_OP(T, A, NAME, FUNCTION)                                                                                 \
    RS_FN T rs_atomic_##NAME##_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        RS_BEFORE(order);                                                                                                  \
        T seen = metal::FUNCTION((volatile device A *)p, value, metal::memory_order_relaxed);                              \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
#define RS_ATOMIC(T, A)                                                                                                    \
    RS_ATOMIC_OP(T, A, fetch_add, atomic_fetch_add_explicit)                                                               \
    RS_ATOMIC_OP(T, A, fetch_sub, atomic_fetch_sub_explicit)                                                               \
    RS_ATOMIC_OP(T, A, fetch_and, atomic_fetch_and_explicit)                                                               \
    RS_ATOMIC_OP(T, A, fetch_or, atomic_fetch_or_explicit)                                                                 \
    RS_ATOMIC_OP(T, A, fetch_xor, atomic_fetch_xor_explicit)                                                               \
    RS_ATOMIC_OP(T, A, fetch_min, atomic_fetch_min_explicit)                                                               \
    RS_ATOMIC_OP(T, A, fetch_max, atomic_fetch_max_explicit)                                                               \
    RS_ATOMIC_OP(T, A, swap, atomic_exchange_explicit)                                                                     \
    RS_FN T rs_atomic_load_##T(volatile GLOBAL T *p, int order) {                                                          \
        RS_BEFORE(order);                                                                                                  \
        T seen = metal::atomic_load_explicit((volatile device A *)p, metal::memory_order_relaxed);                         \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }                                                                                                                      \
    RS_FN void rs_atomic_store_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        RS_BEFORE(order);                                                                                                  \
        metal::atomic_store_explicit((volatile device A *)p, value, metal::memory_order_relaxed);                          \
        RS_AFTER(order);                                                                                                   \
    }                                                                                                                      \
    /* Its exchange may fail although it sees what is expected: then it is made again. */                                  \
    RS_FN T rs_atomic_compare_exchange_##T(volatile GLOBAL T *p, T expected, T value, int order) {                         \
        RS_BEFORE(order);                                                                                                  \
        T seen = expected;                                                                                                 \
        while (!metal::atomic_compare_exchange_weak_explicit((volatile device A *)p, &seen, value,                         \
                                                             metal::memory_order_relaxed, metal::memory_order_relaxed)     \
               && seen == expected) {}                                                                                     \
        RS_AFTER(order);                                                                                                   \
        return seen;                                                                                                       \
    }
RS_ATOMIC(u32, metal::atomic_uint)
RS_ATOMIC(i32, metal::atomic_int)
#else
// A C compiler with the builtins of gcc and clang: always sequentially consistent.
#define RS_ATOMIC_OP(T, NAME, CALL)                                                                                        \
    RS_FN T rs_atomic_##NAME##_##T(volatile GLOBAL T *p, T value, int order) { (void)order; return CALL; }
#define RS_ATOMIC_LOOP(T, NAME, NEXT)                                                                                      \
    RS_FN T rs_atomic_##NAME##_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        T seen = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                     \
        (void)order;                                                                                                       \
        while (!__atomic_compare_exchange_n(p, &seen, NEXT, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}                     \
        return seen;                                                                                                       \
    }
#define RS_ATOMIC(T)                                                                                                       \
    RS_ATOMIC_OP(T, fetch_add, __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST))                                             \
    RS_ATOMIC_OP(T, fetch_sub, __atomic_fetch_sub(p, value, __ATOMIC_SEQ_CST))                                             \
    RS_ATOMIC_OP(T, fetch_and, __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST))                                             \
    RS_ATOMIC_OP(T, fetch_or, __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST))                                               \
    RS_ATOMIC_OP(T, fetch_xor, __atomic_fetch_xor(p, value, __ATOMIC_SEQ_CST))                                             \
    RS_ATOMIC_OP(T, swap, __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST))                                                 \
    RS_ATOMIC_LOOP(T, fetch_min, (value < seen ? value : seen))                                                            \
    RS_ATOMIC_LOOP(T, fetch_max, (seen < value ? value : seen))                                                            \
    RS_FN T rs_atomic_load_##T(volatile GLOBAL T *p, int order) { (void)order; return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
    RS_FN void rs_atomic_store_##T(volatile GLOBAL T *p, T value, int order) {                                             \
        (void)order;                                                                                                       \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                      \
    }                                                                                                                      \
    RS_FN T rs_atomic_compare_exchange_##T(volatile GLOBAL T *p, T expected, T value, int order) {                         \
        (void)order;                                                                                                       \
        __atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                           \
        return expected;                                                                                                   \
    }
RS_ATOMIC(u32)
RS_ATOMIC(i32)
RS_ATOMIC(u64)
RS_ATOMIC(i64)
#endif
