// Where integers overflow, and what else Rust's methods ask of their bits. T, U, W, BITS are those of
// RS_INTEGER.

#define RS_BITS(T, U, W, BITS)                                                                                             \
    RS_FN T rs_reverse_bits_##T(T a) {                                                                                     \
        W from = (W)(U)a;                                                                                                  \
        W to = 0;                                                                                                          \
        for (u32 i = 0; i < BITS; i += 1u) to |= ((from >> i) & 1u) << (BITS - 1u - i);                                    \
        return (T)(U)to;                                                                                                   \
    }                                                                                                                      \
    /* A square that overflows is too much once it is needed: what it is multiplied with is not 0, and -1 has no such. */  \
    RS_FN bool rs_overflows_pow_##T(T base, u32 exponent) {                                                                \
        T result = (T)1;                                                                                                   \
        T square = base;                                                                                                   \
        bool too_much = false;                                                                                             \
        for (; exponent != 0u; exponent >>= 1) {                                                                           \
            if (exponent & 1u) {                                                                                           \
                if (too_much || rs_overflows_mul_##T(result, square)) return true;                                         \
                result = rs_mul_##T(result, square);                                                                       \
            }                                                                                                              \
            too_much = too_much || rs_overflows_mul_##T(square, square);                                                   \
            square = rs_mul_##T(square, square);                                                                           \
        }                                                                                                                  \
        return false;                                                                                                      \
    }

#define RS_UNSIGNED_CHECKS(T, W, BITS)                                                                                     \
    RS_FN bool rs_overflows_add_##T(T a, T b) { return rs_add_##T(a, b) < a; }                                             \
    RS_FN bool rs_overflows_sub_##T(T a, T b) { return a < b; }                                                            \
    RS_FN bool rs_overflows_mul_##T(T a, T b) { return b != 0 && a > (T)((T)~(T)0 / b); }                                  \
    RS_BITS(T, T, W, BITS)                                                                                                 \
    /* 0 where it overflows. */                                                                                            \
    RS_FN T rs_next_power_of_two_##T(T a) {                                                                                \
        u32 n = a <= 1 ? 0u : BITS - rs_leading_zeros_##T((T)(a - 1));                                                     \
        return n == BITS ? (T)0 : (T)((W)1 << n);                                                                          \
    }                                                                                                                      \
    RS_FN T rs_isqrt_##T(T a) {                                                                                            \
        W rest = (W)a, root = 0;                                                                                           \
        for (W bit = (W)1 << (BITS - 2u); bit != 0; bit >>= 2) {                                                           \
            bool fits = rest >= root + bit;                                                                                \
            if (fits) rest -= root + bit;                                                                                  \
            root = (root >> 1) + (fits ? bit : (W)0);                                                                      \
        }                                                                                                                  \
        return (T)root;                                                                                                    \
    }                                                                                                                      \
    /* The divisor is not 0. */                                                                                            \
    RS_FN T rs_div_ceil_##T(T a, T b) { return (T)(a / b + (a % b != 0 ? 1 : 0)); }                                        \
    RS_FN T rs_next_multiple_of_##T(T a, T b) { return a % b == 0 ? a : rs_add_##T(a, (T)(b - a % b)); }                   \
    RS_FN bool rs_next_power_of_two_overflows_##T(T a) { return a != 0 && rs_next_power_of_two_##T(a) == 0; }              \
    RS_FN bool rs_next_multiple_of_overflows_##T(T a, T b) { return rs_next_multiple_of_##T(a, b) < a; }

#define RS_SIGNED_CHECKS(T, U, W, BITS, MAX)                                                                               \
    RS_FN bool rs_overflows_add_##T(T a, T b) {                                                                            \
        T sum = rs_add_##T(a, b);                                                                                          \
        return b < 0 ? sum > a : sum < a;                                                                                  \
    }                                                                                                                      \
    RS_FN bool rs_overflows_sub_##T(T a, T b) {                                                                            \
        T difference = rs_sub_##T(a, b);                                                                                   \
        return b < 0 ? difference < a : difference > a;                                                                    \
    }                                                                                                                      \
    RS_FN bool rs_overflows_mul_##T(T a, T b) {                                                                            \
        U most = (a < 0) == (b < 0) ? (U)MAX : (U)((W)(U)MAX + 1u);                                                        \
        U x = rs_unsigned_abs_##T(a), y = rs_unsigned_abs_##T(b);                                                          \
        return y != 0 && x > (U)(most / y);                                                                                \
    }                                                                                                                      \
    RS_BITS(T, U, W, BITS)

RS_UNSIGNED_CHECKS(u8, u32, 8u)
RS_UNSIGNED_CHECKS(u16, u32, 16u)
RS_UNSIGNED_CHECKS(u32, u32, 32u)
RS_UNSIGNED_CHECKS(u64, u64, 64u)
RS_SIGNED_CHECKS(i8, u8, u32, 8u, (i8)127)
RS_SIGNED_CHECKS(i16, u16, u32, 16u, (i16)32767)
RS_SIGNED_CHECKS(i32, u32, u32, 32u, 2147483647)
RS_SIGNED_CHECKS(i64, u64, u64, 64u, (i64)9223372036854775807)
