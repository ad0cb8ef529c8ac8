// The handler of kernel `choose_mutable`, written from crates/annulus-conformance/src/kernels/chosen.rs:+0 (module annulus_conformance::kernels::chosen).
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

// chosen.rs:-16: add
static u32 fn_add(PRIVATE u32 *to, u32 value) {
    // chosen.rs:-15
    (*to) = (*to) + value;
    // chosen.rs:-14
    return (*to);
}

static u32 handle_choose_mutable(GLOBAL const Choice *choice, PRIVATE Kept *kept, PRIVATE ann_outbox *out) {
    // chosen.rs:+1
    u32_x16 words;
    for (u64 i = 0ul; i < 16ul; i += 1) {
        words.at[i] = 0u;
    }
    // chosen.rs:+2
    u32 value = (u32)choice->value;
    // chosen.rs:+3
    u64 ann_way_3;
    if ((choice->which % 2) == 1) {
        ann_way_3 = 0ul;
    } else {
        ann_way_3 = 1ul;
    }
    // chosen.rs:+4
    u64 next = (u64)(*(ann_way_3 == 0 ? &kept->odd : &kept->even)).len;
    // chosen.rs:+5
    if (next == 4ul) {
        // chosen.rs:+6
        u64 at = (u64)(choice->at % 4);
        if (at >= 4ul) return 0xFF04u; // index out of bounds
        words.at[0] = (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).items.at[at];
        // chosen.rs:+7
        (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).len = 0u;
    } else {
        // chosen.rs:+9
        if (next >= 4ul) return 0xFF04u; // index out of bounds
        (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).items.at[next] = value;
        // chosen.rs:+10
        (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).len = (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).len + 1u;
    }
    // chosen.rs:+12
    words.at[1] = (*(ann_way_3 == 0 ? &kept->odd : &kept->even)).len;
    // chosen.rs:+13
    u8 subject = choice->which % 3;
    u64 ann_way_7;
    if (subject == 0) {
        // chosen.rs:+14
        ann_way_7 = 0ul;
    } else if (subject == 1) {
        // chosen.rs:+15
        ann_way_7 = 1ul;
    } else {
        // chosen.rs:+16
        ann_way_7 = 2ul;
    }
    // chosen.rs:+18
    (*(ann_way_7 == 0 ? &kept->first : ann_way_7 == 1 ? &kept->last : &kept->alone.a)) = (*(ann_way_7 == 0 ? &kept->first : ann_way_7 == 1 ? &kept->last : &kept->alone.a)) + value;
    // chosen.rs:+19
    words.at[2] = (*(ann_way_7 == 0 ? &kept->first : ann_way_7 == 1 ? &kept->last : &kept->alone.a));
    // chosen.rs:+21
    u8 subject_2 = choice->which % 4;
    u64 ann_way_11;
    u64 ann_at_12;
    u64 ann_at_13;
    if (subject_2 == 0) {
        // chosen.rs:+22
        u64 at = (u64)(choice->at % 3);
        if (at >= 3ul) return 0xFF04u; // index out of bounds
        ann_at_12 = at;
        ann_way_11 = 0ul;
    } else if (subject_2 == 1) {
        // chosen.rs:+23
        ann_way_11 = 1ul;
    } else if (subject_2 == 2) {
        // chosen.rs:+24
        ann_way_11 = 2ul;
    } else {
        // chosen.rs:+26
        u64 next_2 = (u64)(rs_add_u8(choice->at, 1) % 3);
        // chosen.rs:+27
        if (next_2 >= 3ul) return 0xFF04u; // index out of bounds
        ann_at_13 = next_2;
        ann_way_11 = 3ul;
    }
    // chosen.rs:+30
    (*(ann_way_11 == 0 ? &kept->twos.at[ann_at_12] : ann_way_11 == 1 ? &kept->twos.at[1] : ann_way_11 == 2 ? &kept->alone : &kept->twos.at[ann_at_13])).b = (*(ann_way_11 == 0 ? &kept->twos.at[ann_at_12] : ann_way_11 == 1 ? &kept->twos.at[1] : ann_way_11 == 2 ? &kept->alone : &kept->twos.at[ann_at_13])).b ^ value;
    // chosen.rs:+31
    if (value > 100u) {
    } else {
        Chose chose;
        chose.words = words;
        {
            GLOBAL Chose *ann_slot = (GLOBAL Chose *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = chose;
        }
        return 0u;
    }
    // chosen.rs:+32
    u64 at = (u64)(choice->at % 2);
    if (at >= 2ul) return 0xFF04u; // index out of bounds
    (*(ann_way_11 == 0 ? &kept->twos.at[ann_at_12] : ann_way_11 == 1 ? &kept->twos.at[1] : ann_way_11 == 2 ? &kept->alone : &kept->twos.at[ann_at_13])).more.at[at] = choice->value;
    // chosen.rs:+33
    words.at[3] = (*(ann_way_11 == 0 ? &kept->twos.at[ann_at_12] : ann_way_11 == 1 ? &kept->twos.at[1] : ann_way_11 == 2 ? &kept->alone : &kept->twos.at[ann_at_13])).b;
    // chosen.rs:+34
    u64 ann_way_16;
    if (choice->at > 100) {
        ann_way_16 = 0ul;
    } else {
        ann_way_16 = 1ul;
    }
    u32 add = fn_add(&(*(ann_way_16 == 0 ? &kept->first : &kept->twos.at[0].a)), 7u);
    words.at[4] = add;
    // chosen.rs:+36
    u64 ann_way_18;
    if (choice->which > 128) {
        ann_way_18 = 0ul;
    } else {
        ann_way_18 = 1ul;
    }
    // chosen.rs:+37
    u64 ann_way_19;
    u64 ann_at_20;
    u64 ann_at_21;
    if ((choice->which % 2) == 0) {
        ann_at_20 = ann_way_18;
        ann_way_19 = 0ul;
    } else {
        ann_at_21 = ann_way_18;
        ann_way_19 = 1ul;
    }
    // chosen.rs:+38
    (*(ann_way_19 == 0 ? &(*(ann_at_20 == 0 ? &kept->alone : &kept->twos.at[2])).a : &(*(ann_at_21 == 0 ? &kept->alone : &kept->twos.at[2])).b)) = ((*(ann_way_19 == 0 ? &(*(ann_at_20 == 0 ? &kept->alone : &kept->twos.at[2])).a : &(*(ann_at_21 == 0 ? &kept->alone : &kept->twos.at[2])).b)) * 3u) + 1u;
    // chosen.rs:+39
    words.at[5] = (*(ann_way_18 == 0 ? &kept->alone : &kept->twos.at[2])).a;
    // chosen.rs:+40
    words.at[6] = (*(ann_way_18 == 0 ? &kept->alone : &kept->twos.at[2])).b;
    // chosen.rs:+41
    u16_x2 items;
    items.at[0] = 1;
    items.at[1] = 2;
    Two pair;
    pair.a = value;
    pair.b = 2u * value;
    pair.more = items;
    // chosen.rs:+42
    u64 ann_way_24;
    if ((choice->at % 2) == 0) {
        ann_way_24 = 0ul;
    } else {
        ann_way_24 = 1ul;
    }
    // chosen.rs:+43
    (*(ann_way_24 == 0 ? &pair.a : &pair.b)) = (*(ann_way_24 == 0 ? &pair.a : &pair.b)) + 1u;
    // chosen.rs:+44
    u32 before = (*(ann_way_24 == 0 ? &pair.a : &pair.b));
    // chosen.rs:+45
    u64 ann_at_26;
    if ((value % 2u) == 0u) {
        ann_at_26 = 0ul;
    } else {
        ann_at_26 = 1ul;
    }
    // chosen.rs:+46
    pair.more.at[ann_at_26] = rs_add_u16(pair.more.at[ann_at_26], 10);
    // chosen.rs:+47
    words.at[7] = before;
    // chosen.rs:+48
    words.at[8] = pair.a;
    // chosen.rs:+49
    words.at[9] = pair.b;
    // chosen.rs:+50
    words.at[10] = (((u32)pair.more.at[0]) << 16u) | ((u32)pair.more.at[1]);
    // chosen.rs:+51
    words.at[11] = kept->first;
    // chosen.rs:+52
    words.at[12] = kept->last;
    // chosen.rs:+53
    words.at[13] = (kept->odd.len * 10u) + kept->even.len;
    // chosen.rs:+54
    words.at[14] = ((u32)kept->alone.more.at[0]) | (((u32)kept->twos.at[1].more.at[1]) << 16u);
    // chosen.rs:+55
    words.at[15] = ((kept->twos.at[0].b ^ kept->twos.at[1].b) ^ kept->twos.at[2].b) ^ kept->alone.b;
    // chosen.rs:+56
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
#define ANN_CALL(cx, message, state, outbox) handle_choose_mutable(message, state, outbox)
