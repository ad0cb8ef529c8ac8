// The handler of kernel `list_reads`, written from crates/annulus-conformance/src/kernels/lists.rs:+0 (module annulus_conformance::kernels::lists).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Lot {
    i16 price;
    u8 amount;
    u8 ann_pad0[1];
} Lot;
typedef char ann_size_of_Lot[sizeof(Lot) == 4 ? 1 : -1];

typedef struct Lot_x3 { Lot at[3]; } Lot_x3;

typedef struct List {
    u32 len;
    Lot_x3 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u8_x5 { u8 at[5]; } u8_x5;

typedef struct List_2 {
    u32 len;
    u8_x5 items;
    u8 ann_pad0[3];
} List_2;
typedef char ann_size_of_List_2[sizeof(List_2) == 12 ? 1 : -1];

typedef struct Given {
    u32 key;
    u8 what;
    u8 at;
    Lot lot;
    u8 ann_pad0[2];
    List lots;
    List_2 bytes;
} Given;
typedef char ann_size_of_Given[sizeof(Given) == 40 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Option_u8 { u8 tag; u8 some; } Option_u8;

typedef struct u64_x2 { u64 at[2]; } u64_x2;

static u32 handle_list_reads(GLOBAL const Given *given, PRIVATE List_2 *best, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // lists.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // lists.rs:+2
    u64 at = (u64)(given->at % 7);
    // lists.rs:+3
    u64 len = rs_min_u64((u64)given->bytes.len, 5ul);
    for (u64 i = 0ul; i < len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // lists.rs:+4
        words.at[0] = (words.at[0] * 31u) ^ rs_shl_u32((u32)given->bytes.items.at[i], (u32)i);
    }
    // lists.rs:+6
    u64 len_2 = rs_min_u64((u64)given->bytes.len, 5ul);
    for (u64 i = 0ul; i < len_2; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // lists.rs:+7
        words.at[1] = (words.at[1] * 7u) ^ ((u32)given->bytes.items.at[i]);
    }
    // lists.rs:+10
    List_2 list = given->bytes;
    // lists.rs:+11
    List_2 items = list;
    u64 len_3 = rs_min_u64((u64)items.len, 5ul);
    for (u64 i = 0ul; i < len_3; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 byte = items.items.at[i];
        // lists.rs:+12
        u64 len_4 = rs_min_u64((u64)list.len, 5ul);
        list.len = 0u;
        // lists.rs:+13
        words.at[2] = words.at[2] + ((u32)byte);
    }
    // lists.rs:+15
    List_2 bytes = given->bytes;
    // lists.rs:+16
    u64 len_4 = rs_min_u64((u64)bytes.len, 5ul);
    for (u64 i = 0ul; i < len_4; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // lists.rs:+17
        bytes.items.at[i] = rs_add_u8(bytes.items.at[i], 1);
    }
    // lists.rs:+19
    u64 len_5 = rs_min_u64((u64)bytes.len, 5ul);
    u64 count = rs_min_u64(len_5, 1ul);
    u64 count_2 = len_5 - count;
    for (u64 i = 0ul; i < count_2; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_2 = count + i;
        // lists.rs:+20
        bytes.items.at[at_2] = bytes.items.at[at_2] ^ 5;
    }
    // lists.rs:+22
    u64 len_6 = rs_min_u64((u64)bytes.len, 5ul);
    for (u64 i = 0ul; i < len_6; i += 1) {
        u8 inserted = bytes.items.at[i];
        u64 at_2 = i;
        for (;;) {
            if (at_2 == 0ul) {
                break;
            }
            u64 before = at_2 - 1ul;
            if (bytes.items.at[before] <= inserted) {
                break;
            }
            bytes.items.at[at_2] = bytes.items.at[before];
            at_2 = before;
        }
        bytes.items.at[at_2] = inserted;
    }
    // lists.rs:+23
    u64 len_7 = rs_min_u64((u64)bytes.len, 5ul);
    u64 count_3 = len_7 / 2ul;
    for (u64 i = 0ul; i < count_3; i += 1) {
        u8 before = bytes.items.at[i];
        bytes.items.at[i] = bytes.items.at[(len_7 - 1ul) - i];
        bytes.items.at[(len_7 - 1ul) - i] = before;
    }
    // lists.rs:+24
    u64 len_8 = rs_min_u64((u64)bytes.len, 5ul);
    u8 wanted = given->at;
    bool contains = false;
    for (u64 i = 0ul; i < len_8; i += 1) {
        if (bytes.items.at[i] == wanted) {
            contains = true;
            break;
        }
    }
    u64 len_9 = rs_min_u64((u64)bytes.len, 5ul);
    bool there = len_9 != 0ul;
    u8 copy;
    if (there) {
        copy = bytes.items.at[0];
    }
    Option_u8 option;
    if (there) {
        option.tag = 1; // Some
        option.some = copy;
    } else {
        option.tag = 0; // None
    }
    Option_u8 option_2;
    option_2.tag = 1; // Some
    option_2.some = 9;
    words.at[3] = ((u32)contains) | (((u32)((option.tag == option_2.tag) && ((option.tag != 1) || (option.some == option_2.some)))) << 1u);
    // lists.rs:+25
    u64 len_10 = rs_min_u64((u64)bytes.len, 5ul);
    bool there_2 = at < len_10;
    u32 mapped;
    if (there_2) {
        mapped = (u32)bytes.items.at[at];
    } else {
        mapped = 300u;
    }
    words.at[4] = mapped;
    // lists.rs:+26
    u64 len_11 = rs_min_u64((u64)bytes.len, 5ul);
    if (len_11 > 2ul) {
        // lists.rs:+27
        u64 len_12 = rs_min_u64((u64)bytes.len, 5ul);
        if (0ul >= len_12) return 0xFF04u; // index out of bounds
        u64 len_13 = rs_min_u64((u64)bytes.len, 5ul);
        if (2ul >= len_13) return 0xFF04u; // index out of bounds
        u64 len_14 = rs_min_u64((u64)bytes.len, 5ul);
        if (1ul >= len_14) return 0xFF04u; // index out of bounds
        bytes.items.at[1] = rs_add_u8(bytes.items.at[0], bytes.items.at[2]);
        // lists.rs:+28
        u64 len_15 = rs_min_u64((u64)bytes.len, 5ul);
        u64 len_16 = rs_min_u64((u64)bytes.len, 5ul);
        if (0ul >= len_16) return 0xFF04u; // index out of bounds
        bytes.items.at[0] = rs_add_u8(bytes.items.at[0], ((u8)len_15) % 2);
        // lists.rs:+29
        u64 len_17 = rs_min_u64((u64)bytes.len, 5ul);
        if (0ul >= len_17) return 0xFF04u; // index out of bounds
        if (1ul >= len_17) return 0xFF04u; // index out of bounds
        u8 before = bytes.items.at[0];
        bytes.items.at[0] = bytes.items.at[1];
        bytes.items.at[1] = before;
        // lists.rs:+30
        u64 len_18 = rs_min_u64((u64)bytes.len, 5ul);
        if (1ul > len_18) return 0xFF04u; // index out of bounds
        u64 len_19 = len_18 - 1ul;
        bool any_ = false;
        for (u64 i = 0ul; i < len_19; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at_2 = 1ul + i;
            u64 len_20 = rs_min_u64((u64)bytes.len, 5ul);
            if (0ul >= len_20) return 0xFF04u; // index out of bounds
            if (bytes.items.at[at_2] == bytes.items.at[0]) {
                any_ = true;
                break;
            }
        }
        words.at[4] = words.at[4] ^ (((u32)any_) << 16u);
    }
    // lists.rs:+33
    u64 len_12 = rs_min_u64((u64)bytes.len, 5ul);
    u64 len_13 = rs_min_u64((u64)given->bytes.len, 5ul);
    u64 len_14 = rs_min_u64((u64)bytes.len, 5ul);
    bool same = len_14 == len_13;
    if (same) {
        for (u64 i = 0ul; i < len_13; i += 1) {
            if (bytes.items.at[i] != given->bytes.items.at[i]) {
                same = false;
                break;
            }
        }
    }
    words.at[5] = ((u32)len_12) | (((u32)same) << 8u);
    // lists.rs:+34
    u64 len_15 = rs_min_u64((u64)bytes.len, 5ul);
    u64 len_16 = rs_min_u64((u64)bytes.len, 5ul);
    u64 middle = len_16 / 2ul;
    if (middle > len_15) return 0xFF01u; // panicked
    u64 len_17 = len_15 - middle;
    // lists.rs:+35
    words.at[6] = ((u32)middle) | (((u32)len_17) << 8u);
    // lists.rs:+36
    u64 len_18 = rs_min_u64((u64)bytes.len, 5ul);
    u8 item = given->what;
    for (u64 i = 0ul; i < len_18; i += 1) {
        bytes.items.at[i] = item;
    }
    // lists.rs:+37
    u64 len_19 = rs_min_u64((u64)given->lots.len, 3ul);
    u64 len_20 = rs_min_u64((u64)bytes.len, 5ul);
    u64_x2 items_2;
    items_2.at[0] = len_19;
    items_2.at[1] = len_20;
    bool found = false;
    u64 best_2;
    u64 kept;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 value = items_2.at[i];
        if ((!found) || (value >= best_2)) {
            kept = value;
            best_2 = value;
            found = true;
        }
    }
    u64 longest = found ? kept : 0ul;
    // lists.rs:+38
    u64 len_21 = rs_min_u64((u64)given->bytes.len, 5ul);
    if (at >= len_21) return 0xFF04u; // index out of bounds
    words.at[7] = (((u32)longest) | (((u32)given->bytes.items.at[at]) << 8u)) | (bytes.len << 16u);
    // lists.rs:+39
    i8 order = 0;
    u64 len_22 = rs_min_u64((u64)bytes.len, 5ul);
    u64 len_23 = rs_min_u64((u64)best->len, 5ul);
    u64 count_4 = rs_min_u64(len_22, len_23);
    for (u64 i = 0ul; i < count_4; i += 1) {
        order = (bytes.items.at[i] < best->items.at[i]) ? (-1) : ((bytes.items.at[i] > best->items.at[i]) ? 1 : 0);
        if (order != 0) {
            break;
        }
    }
    if (order == 0) {
        order = (len_22 < len_23) ? (-1) : ((len_22 > len_23) ? 1 : 0);
    }
    if (order == 1) {
        // lists.rs:+40
        (*best) = bytes;
    }
    // lists.rs:+42
    u64 len_24 = rs_min_u64((u64)given->lots.len, 3ul);
    u32 sum = 0u;
    for (u64 i = 0ul; i < len_24; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        Lot lot = given->lots.items.at[i];
        sum = sum + ((u32)lot.amount);
    }
    u32 lots = sum;
    // lists.rs:+43
    u64 len_25 = rs_min_u64((u64)given->lots.len, 3ul);
    Answer answer;
    answer.words = words;
    answer.sum = (i64)lots;
    answer.x = 0.0f;
    answer.on = len_25 == 3ul;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // lists.rs:+44
    return 0u;
}

#define ANN_MESSAGE Given
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE List_2
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_list_reads(message, state, outbox)
