// The handler of kernel `base64_decode`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x44 { u8 at[44]; } u8_x44;

typedef struct Letters {
    u8 len;
    u8_x44 letters;
} Letters;
typedef char ann_size_of_Letters[sizeof(Letters) == 45 ? 1 : -1];

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef union Decoded {
    u32 tag; // 0u Bytes, 1u Wrong
    struct {
        u32 ann_tag;
        u8 len;
        u8_x31 bytes;
    } Bytes;
    struct {
        u32 ann_tag;
        u8 at;
        u8 ann_pad0[31];
    } Wrong;
} Decoded;
typedef char ann_size_of_Decoded[sizeof(Decoded) == 36 ? 1 : -1];
typedef char ann_size_of_Decoded_Bytes[sizeof(((PRIVATE Decoded *)0)->Bytes) == 36 ? 1 : -1];
typedef char ann_size_of_Decoded_Wrong[sizeof(((PRIVATE Decoded *)0)->Wrong) == 36 ? 1 : -1];

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

// codes.rs:-14: sextet
static Option_u32 fn_sextet(u8 letter) {
    // codes.rs:-13
    u8 value;
    if ((letter >= 65) && (letter <= 90)) {
        // codes.rs:-12
        value = rs_sub_u8(letter, 65);
    } else if ((letter >= 97) && (letter <= 122)) {
        // codes.rs:-11
        value = rs_add_u8(rs_sub_u8(letter, 97), 26);
    } else if ((letter >= 48) && (letter <= 57)) {
        // codes.rs:-10
        value = rs_add_u8(rs_sub_u8(letter, 48), 52);
    } else if (letter == 43) {
        // codes.rs:-9
        value = 62;
    } else if (letter == 47) {
        // codes.rs:-8
        value = 63;
    } else {
        // codes.rs:-7
        Option_u32 option;
        option.tag = 0; // None
        return option;
    }
    // codes.rs:-5
    Option_u32 option;
    option.tag = 1; // Some
    option.some = (u32)value;
    return option;
}

static u32 handle_base64_decode(GLOBAL const Letters *text, PRIVATE ann_outbox *decoded) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u64 len = rs_min_u64((u64)text->len, 40ul);
    // codes.rs:+2
    u8_x31 bytes;
    for (u64 i = 0ul; i < 31ul; i += 1) {
        bytes.at[i] = 0;
    }
    // codes.rs:+3
    u64 filled = 0ul;
    // codes.rs:+4
    if (0ul > len) return 0xFF04u; // index out of bounds
    if (len > 44ul) return 0xFF04u; // index out of bounds
    u64 count = (len == 0ul) ? 0ul : (((len - 1ul) / 4ul) + 1ul);
    for (u64 quad_ = 0ul; quad_ < count; quad_ += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 first = quad_ * 4ul;
        u64 count_2 = rs_min_u64(4ul, len - first);
        // codes.rs:+5
        bool last = ((quad_ * 4ul) + 4ul) >= len;
        // codes.rs:+6
        u32 word = 0u;
        // codes.rs:+7
        u64 count_3 = 0ul;
        // codes.rs:+8
        for (u64 i = 0ul; i < count_2; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = first + i;
            // codes.rs:+9
            Option_u32 sextet = fn_sextet(text->letters.at[at]);
            if ((sextet.tag == 1) && (count_3 == i)) {
                // codes.rs:+10
                u32 value = sextet.some;
                // codes.rs:+11
                word = word | rs_shl_u32(value, (u32)(18ul - (6ul * i)));
                // codes.rs:+12
                count_3 = count_3 + 1ul;
            } else if ((sextet.tag == 0) && ((last && (text->letters.at[at] == 61)) && (i >= 2ul))) {
            } else {
                // codes.rs:+16
                Decoded decoded_2;
                decoded_2.tag = 1u; // Wrong
                decoded_2.Wrong.at = (u8)((quad_ * 4ul) + i);
                {
                    GLOBAL Decoded *ann_slot = (GLOBAL Decoded *)ann_outbox_next(decoded);
                    if (ann_slot) *ann_slot = decoded_2;
                }
                // codes.rs:+17
                return 0u;
            }
        }
        // codes.rs:+21
        if (count_2 < 4ul) {
            // codes.rs:+22
            Decoded decoded_2;
            decoded_2.tag = 1u; // Wrong
            decoded_2.Wrong.at = (u8)len;
            {
                GLOBAL Decoded *ann_slot = (GLOBAL Decoded *)ann_outbox_next(decoded);
                if (ann_slot) *ann_slot = decoded_2;
            }
            // codes.rs:+23
            return 0u;
        }
        // codes.rs:+25
        u64 end = count_3;
        for (u64 i = 1ul; i < end; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:+26
            if (filled >= 31ul) return 0xFF04u; // index out of bounds
            bytes.at[filled] = (u8)rs_shr_u32(word, (u32)(24ul - (8ul * i)));
            // codes.rs:+27
            filled = filled + 1ul;
        }
    }
    // codes.rs:+30
    Decoded decoded_2;
    decoded_2.tag = 0u; // Bytes
    decoded_2.Bytes.len = (u8)filled;
    decoded_2.Bytes.bytes = bytes;
    {
        GLOBAL Decoded *ann_slot = (GLOBAL Decoded *)ann_outbox_next(decoded);
        if (ann_slot) *ann_slot = decoded_2;
    }
    return 0u;
}

#define ANN_MESSAGE Letters
#define ANN_MESSAGE_BYTES 45
#define ANN_OUTPUT Decoded
#define ANN_OUTPUT_BYTES 36
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_base64_decode(message, outbox)
