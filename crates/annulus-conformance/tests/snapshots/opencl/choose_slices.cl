// The handler of kernel `choose_slices`, written from crates/annulus-conformance/src/kernels/chosen.rs:+0 (module annulus_conformance::kernels::chosen).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct u16_x5 { u16 at[5]; } u16_x5;

typedef struct List {
    u32 len;
    u16_x5 items;
    u8 ann_pad0[2];
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u16_x2 { u16 at[2]; } u16_x2;

typedef struct Two {
    u32 a;
    u32 b;
    u16_x2 more;
} Two;
typedef char ann_size_of_Two[sizeof(Two) == 12 ? 1 : -1];

typedef struct Two_x3 { Two at[3]; } Two_x3;

typedef struct Choice {
    u32 key;
    u8 which;
    u8 at;
    u16 value;
    u32_x6 left;
    u32_x6 right;
    List some;
    List others;
    Two_x3 pairs;
} Choice;
typedef char ann_size_of_Choice[sizeof(Choice) == 124 ? 1 : -1];

typedef struct u32_x16 { u32 at[16]; } u32_x16;

typedef struct Chose {
    u32_x16 words;
} Chose;
typedef char ann_size_of_Chose[sizeof(Chose) == 64 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct List_2 {
    u32 len;
    u32_x4 items;
} List_2;
typedef char ann_size_of_List_2[sizeof(List_2) == 20 ? 1 : -1];

typedef struct Kept {
    List_2 odd;
    List_2 even;
    u32 first;
    u32 last;
    Two_x3 twos;
    Two alone;
} Kept;
typedef char ann_size_of_Kept[sizeof(Kept) == 96 ? 1 : -1];

// chosen.rs:-71: sum
static u32 fn_sum(GLOBAL const u32 *of, u64 of_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // chosen.rs:-70
    u32 sum = 0u;
    // chosen.rs:-69
    for (u64 i = 0ul; i < of_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // chosen.rs:-68
        sum = (sum * 31u) + of[i];
    }
    // chosen.rs:-66
    *ann_result = sum;
    return 0u;
}

// chosen.rs:-71: sum
static u32 fn_sum_2(PRIVATE const u32 *of, u64 of_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // chosen.rs:-70
    u32 sum = 0u;
    // chosen.rs:-69
    for (u64 i = 0ul; i < of_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // chosen.rs:-68
        sum = (sum * 31u) + of[i];
    }
    // chosen.rs:-66
    *ann_result = sum;
    return 0u;
}

static u32 handle_choose_slices(GLOBAL const Choice *choice, PRIVATE Kept *kept, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // chosen.rs:+1
    u32_x16 words;
    for (u64 i = 0ul; i < 16ul; i += 1) {
        words.at[i] = 0u;
    }
    // chosen.rs:+2
    u64 at = (u64)(choice->at % 5);
    // chosen.rs:+3
    u64 ann_way_4;
    u64 ann_start_5;
    u64 ann_len_6;
    if ((choice->which % 2) == 0) {
        ann_way_4 = 0ul;
        ann_start_5 = 0ul;
        ann_len_6 = 6ul;
    } else {
        if (at > 6ul) return 0xFF04u; // index out of bounds
        u64 len = 6ul - at;
        ann_way_4 = 1ul;
        ann_start_5 = at;
        ann_len_6 = len;
    }
    // chosen.rs:+4
    u32 sum;
    RS_TRY(fn_sum(&(*(ann_way_4 == 0 ? &choice->left : &choice->right)).at[ann_start_5], ann_len_6, &sum, &ann_budget));
    words.at[0] = sum;
    // chosen.rs:+5
    words.at[1] = (u32)ann_len_6;
    // chosen.rs:+6
    u64 at_2 = ann_len_6 - 1ul;
    if (at_2 >= ann_len_6) return 0xFF04u; // index out of bounds
    words.at[2] = (*(ann_way_4 == 0 ? &choice->left : &choice->right)).at[ann_start_5 + at_2];
    // chosen.rs:+7
    u64 ann_way_11;
    u64 ann_start_12;
    u64 ann_len_13;
    if ((choice->which % 3) == 0) {
        u64 len = rs_min_u64((u64)choice->some.len, 5ul);
        ann_way_11 = 0ul;
        ann_start_12 = 0ul;
        ann_len_13 = len;
    } else {
        u64 len = rs_min_u64((u64)choice->others.len, 5ul);
        ann_way_11 = 1ul;
        ann_start_12 = 0ul;
        ann_len_13 = len;
    }
    // chosen.rs:+8
    words.at[3] = (u32)ann_len_13;
    // chosen.rs:+9
    for (u64 i = 0ul; i < ann_len_13; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_3 = ann_start_12 + i;
        // chosen.rs:+10
        words.at[4] = (words.at[4] * 7u) + ((u32)(*(ann_way_11 == 0 ? &choice->some.items : &choice->others.items)).at[at_3]);
    }
    // chosen.rs:+12
    bool found = false;
    u32 best;
    u32 kept_2;
    for (u64 i = 0ul; i < ann_len_13; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_3 = ann_start_12 + i;
        u32 value = (u32)(*(ann_way_11 == 0 ? &choice->some.items : &choice->others.items)).at[at_3];
        if ((!found) || (value >= best)) {
            kept_2 = value;
            best = value;
            found = true;
        }
    }
    words.at[5] = found ? kept_2 : 3u;
    // chosen.rs:+13
    u32_x6 whole;
    if (choice->which > 50) {
        whole = choice->left;
    } else {
        whole = choice->right;
    }
    // chosen.rs:+14
    if (at >= 6ul) return 0xFF04u; // index out of bounds
    words.at[6] = whole.at[at];
    // chosen.rs:+15
    u8 subject = choice->which % 4;
    u64 ann_way_26;
    u64 ann_start_27;
    u64 ann_len_28;
    if (subject == 0) {
        // chosen.rs:+16
        ann_way_26 = 0ul;
        ann_start_27 = 0ul;
        ann_len_28 = 4ul;
    } else if (subject == 1) {
        // chosen.rs:+17
        ann_way_26 = 1ul;
        ann_start_27 = 1ul;
        ann_len_28 = 3ul;
    } else if (subject == 2) {
        // chosen.rs:+18
        u64 end = rs_min_u64(at, 4ul);
        if (0ul > end) return 0xFF04u; // index out of bounds
        if (end > 4ul) return 0xFF04u; // index out of bounds
        ann_way_26 = 2ul;
        ann_start_27 = 0ul;
        ann_len_28 = end;
    } else {
        // chosen.rs:+19
        Chose chose;
        chose.words = words;
        {
            GLOBAL Chose *ann_slot = (GLOBAL Chose *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = chose;
        }
        return 0u;
    }
    // chosen.rs:+21
    bool there = ann_len_28 != 0ul;
    if (there) {
        // chosen.rs:+22
        (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27] = (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27] + 1u;
    }
    // chosen.rs:+24
    for (u64 i = 0ul; i < ann_len_28; i += 1) {
        u32 inserted = (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27 + i];
        u64 at_3 = i;
        for (;;) {
            if (at_3 == 0ul) {
                break;
            }
            u64 before = at_3 - 1ul;
            if ((*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27 + before] <= inserted) {
                break;
            }
            (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27 + at_3] = (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27 + before];
            at_3 = before;
        }
        (*(ann_way_26 == 0 ? &kept->odd.items : ann_way_26 == 1 ? &kept->even.items : &kept->odd.items)).at[ann_start_27 + at_3] = inserted;
    }
    // chosen.rs:+25
    words.at[7] = (u32)ann_len_28;
    // chosen.rs:+26
    u64 ann_way_35;
    u64 ann_at_36;
    u64 ann_start_37;
    u64 ann_len_38;
    if ((choice->at % 2) == 0) {
        // chosen.rs:+27
        ann_way_35 = 0ul;
        ann_start_37 = 0ul;
        ann_len_38 = 2ul;
    } else {
        // chosen.rs:+29
        u64 at_3 = (u64)(choice->at % 3);
        if (at_3 >= 3ul) return 0xFF04u; // index out of bounds
        ann_at_36 = at_3;
        ann_way_35 = 1ul;
        ann_start_37 = 0ul;
        ann_len_38 = 2ul;
    }
    // chosen.rs:+31
    if (0ul >= ann_len_38) return 0xFF04u; // index out of bounds
    if (1ul >= ann_len_38) return 0xFF04u; // index out of bounds
    (*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37 + 1ul] = rs_add_u16((*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37], choice->value);
    // chosen.rs:+32
    if (0ul >= ann_len_38) return 0xFF04u; // index out of bounds
    if (1ul >= ann_len_38) return 0xFF04u; // index out of bounds
    u16 before = (*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37];
    (*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37] = (*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37 + 1ul];
    (*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37 + 1ul] = before;
    // chosen.rs:+33
    if (0ul >= ann_len_38) return 0xFF04u; // index out of bounds
    if (1ul >= ann_len_38) return 0xFF04u; // index out of bounds
    words.at[8] = (((u32)(*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37]) << 16u) | ((u32)(*(ann_way_35 == 0 ? &kept->alone.more : &kept->twos.at[ann_at_36].more)).at[ann_start_37 + 1ul]);
    // chosen.rs:+34
    Two pair;
    if ((choice->value % 2) == 0) {
        // chosen.rs:+35
        pair = choice->pairs.at[0];
    } else {
        u64 at_3 = (u64)(choice->at % 3);
        if (at_3 >= 3ul) return 0xFF04u; // index out of bounds
        pair = choice->pairs.at[at_3];
    }
    // chosen.rs:+36
    words.at[9] = pair.a;
    // chosen.rs:+37
    words.at[10] = (u32)pair.more.at[1];
    // chosen.rs:+38
    u32 named;
    if ((choice->value % 3) == 0) {
        named = choice->pairs.at[1].a;
    } else {
        named = choice->left.at[2];
    }
    // chosen.rs:+39
    words.at[11] = named;
    // chosen.rs:+40
    u64 at_3 = at % 4ul;
    if (at_3 >= 4ul) return 0xFF04u; // index out of bounds
    kept->odd.items.at[at_3] = kept->odd.items.at[at_3] ^ words.at[0];
    // chosen.rs:+41
    u64 at_4 = at % 4ul;
    if (at_4 >= 4ul) return 0xFF04u; // index out of bounds
    kept->even.items.at[at_4] = kept->even.items.at[at_4] ^ words.at[4];
    // chosen.rs:+42
    u32 sum_2;
    RS_TRY(fn_sum_2(kept->odd.items.at, 4ul, &sum_2, &ann_budget));
    words.at[12] = sum_2;
    // chosen.rs:+43
    Chose chose;
    chose.words = words;
    {
        GLOBAL Chose *ann_slot = (GLOBAL Chose *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = chose;
    }
    return 0u;
}

#define ANN_MESSAGE Choice
#define ANN_MESSAGE_BYTES 124
#define ANN_OUTPUT Chose
#define ANN_OUTPUT_BYTES 64
#define ANN_STATE Kept
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_choose_slices(message, state, outbox)
