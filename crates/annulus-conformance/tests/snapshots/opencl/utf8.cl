// The handler of kernel `utf8`, written from crates/annulus-conformance/src/kernels/real/text.rs:+0 (module annulus_conformance::kernels::real::text).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct Valid {
    u8 bytes;
    u8 characters;
} Valid;
typedef char ann_size_of_Valid[sizeof(Valid) == 2 ? 1 : -1];

typedef struct Option_u64 { u8 tag; u64 some; } Option_u64;

typedef struct Tuple_u8_u8 { u8 field_0; u8 field_1; } Tuple_u8_u8;

typedef struct Tuple_u64_Tuple_u8_u8 { u64 field_0; Tuple_u8_u8 field_1; } Tuple_u64_Tuple_u8_u8;

// text.rs:-37: character
static u32 fn_character(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE Option_u64 *ann_result, PRIVATE u32 *ann_budget) {
    // text.rs:-36
    if (bytes_len == 0ul) {
        Option_u64 given;
        given.tag = 0; // None
        *ann_result = given;
        return 0u;
    }
    u8 first = bytes[0];
    // text.rs:-34
    Tuple_u64_Tuple_u8_u8 chosen;
    if (first <= 127) {
        // text.rs:-33
        Option_u64 option;
        option.tag = 1; // Some
        option.some = 1ul;
        *ann_result = option;
        return 0u;
    } else if ((first >= 194) && (first <= 223)) {
        // text.rs:-32
        Tuple_u8_u8 tuple;
        tuple.field_0 = 128;
        tuple.field_1 = 191;
        chosen.field_0 = 2ul;
        chosen.field_1 = tuple;
    } else if (first == 224) {
        // text.rs:-31
        Tuple_u8_u8 tuple;
        tuple.field_0 = 160;
        tuple.field_1 = 191;
        chosen.field_0 = 3ul;
        chosen.field_1 = tuple;
    } else if (first == 237) {
        // text.rs:-30
        Tuple_u8_u8 tuple;
        tuple.field_0 = 128;
        tuple.field_1 = 159;
        chosen.field_0 = 3ul;
        chosen.field_1 = tuple;
    } else if ((first >= 225) && (first <= 239)) {
        // text.rs:-29
        Tuple_u8_u8 tuple;
        tuple.field_0 = 128;
        tuple.field_1 = 191;
        chosen.field_0 = 3ul;
        chosen.field_1 = tuple;
    } else if (first == 240) {
        // text.rs:-28
        Tuple_u8_u8 tuple;
        tuple.field_0 = 144;
        tuple.field_1 = 191;
        chosen.field_0 = 4ul;
        chosen.field_1 = tuple;
    } else if ((first >= 241) && (first <= 243)) {
        // text.rs:-27
        Tuple_u8_u8 tuple;
        tuple.field_0 = 128;
        tuple.field_1 = 191;
        chosen.field_0 = 4ul;
        chosen.field_1 = tuple;
    } else if (first == 244) {
        // text.rs:-26
        Tuple_u8_u8 tuple;
        tuple.field_0 = 128;
        tuple.field_1 = 143;
        chosen.field_0 = 4ul;
        chosen.field_1 = tuple;
    } else {
        // text.rs:-25
        Option_u64 option;
        option.tag = 0; // None
        *ann_result = option;
        return 0u;
    }
    u64 len = chosen.field_0;
    Tuple_u8_u8 second = chosen.field_1;
    // text.rs:-23
    u8 low = second.field_0;
    u8 high = second.field_1;
    // text.rs:-22
    if (1ul >= bytes_len) {
        Option_u64 given_2;
        given_2.tag = 0; // None
        *ann_result = given_2;
        return 0u;
    }
    u8 next = bytes[1];
    // text.rs:-21
    if ((next < low) || (next > high)) {
        // text.rs:-20
        Option_u64 option;
        option.tag = 0; // None
        *ann_result = option;
        return 0u;
    }
    // text.rs:-18
    u64 len_2 = len - 2ul;
    if (!((2ul <= len) && (len <= bytes_len))) {
        Option_u64 given_3;
        given_3.tag = 0; // None
        *ann_result = given_3;
        return 0u;
    }
    for (u64 i = 0ul; i < len_2; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 2ul + i;
        // text.rs:-17
        if ((bytes[at] & 192) != 128) {
            // text.rs:-16
            Option_u64 option;
            option.tag = 0; // None
            *ann_result = option;
            return 0u;
        }
    }
    // text.rs:-13
    Option_u64 option;
    option.tag = 1; // Some
    option.some = len;
    *ann_result = option;
    return 0u;
}

static u32 handle_utf8(GLOBAL const Bytes *text, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // text.rs:+1
    u64 end = rs_min_u64((u64)text->len, 31ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 31ul) return 0xFF04u; // index out of bounds
    // text.rs:+2
    u64 at = 0ul;
    // text.rs:+3
    u8 characters = 0;
    // text.rs:+4
    for (;;) {
        u64 start = at;
        if (start > end) return 0xFF04u; // index out of bounds
        u64 len = end - start;
        Option_u64 character;
        RS_TRY(fn_character(&text->bytes.at[start], len, &character, &ann_budget));
        if (character.tag != 1) {
            break;
        }
        u64 len_2 = character.some;
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // text.rs:+5
        at = at + len_2;
        // text.rs:+6
        characters = rs_add_u8(characters, 1);
    }
    // text.rs:+8
    Valid valid;
    valid.bytes = (u8)at;
    valid.characters = characters;
    {
        GLOBAL Valid *ann_slot = (GLOBAL Valid *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = valid;
    }
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Valid
#define ANN_OUTPUT_BYTES 2
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_utf8(message, outbox)
