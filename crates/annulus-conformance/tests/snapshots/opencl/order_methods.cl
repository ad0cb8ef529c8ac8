// The handler of kernel `order_methods`, written from crates/annulus-conformance/src/kernels/ordered.rs:+0 (module annulus_conformance::kernels::ordered).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u16_x3 { u16 at[3]; } u16_x3;

typedef struct Version {
    i8 major;
    u8 pre;
    u16_x3 parts;
} Version;
typedef char ann_size_of_Version[sizeof(Version) == 8 ? 1 : -1];

typedef struct Version_x3 { Version at[3]; } Version_x3;

typedef union Rank {
    i16 tag; // 7 Last, (-2) Between, (-1) Other, (-300) First
    struct {
        i16 ann_tag;
        Version field_0;
        u8 field_1;
        u8 ann_pad0[13];
    } Between;
    struct {
        i16 ann_tag;
        u8 ann_pad0[6];
        u64 wide;
        i8 small;
        u8 ann_pad1[7];
    } Other;
} Rank;
typedef char ann_size_of_Rank[sizeof(Rank) == 24 ? 1 : -1];
typedef char ann_size_of_Rank_Between[sizeof(((PRIVATE Rank *)0)->Between) == 24 ? 1 : -1];
typedef char ann_size_of_Rank_Other[sizeof(((PRIVATE Rank *)0)->Other) == 24 ? 1 : -1];

typedef struct Rank_x3 { Rank at[3]; } Rank_x3;

typedef struct Point {
    f32 x;
    f32 y;
    u8 rank;
    u8 ann_pad0[3];
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 12 ? 1 : -1];

typedef struct Point_x2 { Point at[2]; } Point_x2;

typedef struct Empty {
    u8 ann_nothing;
} Empty;

typedef struct i16_x2 { i16 at[2]; } i16_x2;

typedef struct Both {
    i16 field_0;
    i16_x2 field_2;
} Both;
typedef char ann_size_of_Both[sizeof(Both) == 6 ? 1 : -1];

typedef struct Both_x2 { Both at[2]; } Both_x2;

typedef struct Digit {
    u32 field_0;
} Digit;
typedef char ann_size_of_Digit[sizeof(Digit) == 4 ? 1 : -1];

typedef struct Digit_x2 { Digit at[2]; } Digit_x2;

typedef union Ordering {
    i8 tag; // (-1) Less, 0 Equal, 1 Greater
} Ordering;
typedef char ann_size_of_Ordering[sizeof(Ordering) == 1 ? 1 : -1];

typedef struct Ranked {
    u32 key;
    Version_x3 versions;
    u8 ann_pad0[4];
    Rank_x3 ranks;
    Point_x2 points;
    Both_x2 both;
    Digit_x2 digits;
    Ordering order;
    u8 ann_pad1[3];
    i32 number;
    u8 ann_pad2[4];
    f64 float_;
} Ranked;
typedef char ann_size_of_Ranked[sizeof(Ranked) == 168 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Version_x2 { Version at[2]; } Version_x2;

typedef struct Option_Version { u8 tag; Version some; } Option_Version;

typedef struct Option_Ordering { u8 tag; Ordering some; } Option_Ordering;

typedef struct Tuple_Version_i32 { Version field_0; i32 field_1; } Tuple_Version_i32;

// ordered.rs:-71: word
static u32 fn_word(Ordering order) {
    // ordered.rs:-70
    u32 chosen;
    if (order.tag == (-1)) {
        // ordered.rs:-69
        chosen = 1u;
    } else if (order.tag == 0) {
        // ordered.rs:-68
        chosen = 2u;
    } else {
        // ordered.rs:-67
        chosen = 3u;
    }
    return chosen;
}

// ordered.rs:-62: perhaps
static u32 fn_perhaps(Option_Ordering order) {
    // ordered.rs:-61
    u32 chosen;
    if (order.tag == 1) {
        // ordered.rs:-60
        Ordering order_2 = order.some;
        chosen = fn_word(order_2);
    } else {
        // ordered.rs:-59
        chosen = 0u;
    }
    return chosen;
}

// ordered.rs:-96: Digit::cmp
static Ordering fn_Digit_cmp(GLOBAL const Digit *self, GLOBAL const Digit *other) {
    // ordered.rs:-95
    u32 value = other->field_0 % 10u;
    u32 value_2 = self->field_0 % 10u;
    i8 order = 0;
    order = (value_2 < value) ? (-1) : ((value_2 > value) ? 1 : 0);
    Ordering ordering;
    if (order == (-1)) {
        ordering.tag = (-1); // Less
    } else if (order == 1) {
        ordering.tag = 1; // Greater
    } else {
        ordering.tag = 0; // Equal
    }
    return ordering;
}

// ordered.rs:-106: Digit::partial_cmp
static Option_Ordering fn_Digit_partial_cmp(GLOBAL const Digit *self, GLOBAL const Digit *other) {
    // ordered.rs:-105
    if ((self->field_0 == 77u) || (other->field_0 == 77u)) {
        // ordered.rs:-104
        Option_Ordering option;
        option.tag = 0; // None
        return option;
    }
    // ordered.rs:-102
    u32 value = other->field_0 % 10u;
    u32 value_2 = self->field_0 % 10u;
    i8 order = 0;
    order = (value_2 < value) ? (-1) : ((value_2 > value) ? 1 : 0);
    Ordering ordering;
    if (order == (-1)) {
        ordering.tag = (-1); // Less
    } else if (order == 1) {
        ordering.tag = 1; // Greater
    } else {
        ordering.tag = 0; // Equal
    }
    Option_Ordering option;
    option.tag = 1; // Some
    option.some = ordering;
    return option;
}

// ordered.rs:-92: Digit::max
static Digit fn_Digit_max(Digit self, Digit other) {
    // ordered.rs:-91
    Digit chosen;
    if (self.field_0 > other.field_0) {
        chosen = self;
    } else {
        chosen = other;
    }
    return chosen;
}

static u32 handle_order_methods(GLOBAL const Ranked *ranked, PRIVATE Version *largest, PRIVATE ann_outbox *answers) {
    // ordered.rs:+5
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // ordered.rs:+6
    Version a = ranked->versions.at[0];
    Version b = ranked->versions.at[1];
    Version c = ranked->versions.at[2];
    // ordered.rs:+7
    Version near = a;
    // ordered.rs:+8
    near.parts.at[1] = c.parts.at[1];
    // ordered.rs:+9
    i8 order = 0;
    order = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
    if (order == 0) {
        order = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
        if (order == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                if (order != 0) {
                    break;
                }
            }
        }
    }
    Ordering ordering;
    if (order == (-1)) {
        ordering.tag = (-1); // Less
    } else if (order == 1) {
        ordering.tag = 1; // Greater
    } else {
        ordering.tag = 0; // Equal
    }
    u32 word = fn_word(ordering);
    i8 order_2 = 0;
    order_2 = (a.major < near.major) ? (-1) : ((a.major > near.major) ? 1 : 0);
    if (order_2 == 0) {
        order_2 = (a.pre < near.pre) ? (-1) : ((a.pre > near.pre) ? 1 : 0);
        if (order_2 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_2 = (a.parts.at[i] < near.parts.at[i]) ? (-1) : ((a.parts.at[i] > near.parts.at[i]) ? 1 : 0);
                if (order_2 != 0) {
                    break;
                }
            }
        }
    }
    Ordering ordering_2;
    if (order_2 == (-1)) {
        ordering_2.tag = (-1); // Less
    } else if (order_2 == 1) {
        ordering_2.tag = 1; // Greater
    } else {
        ordering_2.tag = 0; // Equal
    }
    u32 word_2 = fn_word(ordering_2);
    i32 value = 3;
    i8 order_3 = 0;
    order_3 = (ranked->number < value) ? (-1) : ((ranked->number > value) ? 1 : 0);
    Ordering ordering_3;
    if (order_3 == (-1)) {
        ordering_3.tag = (-1); // Less
    } else if (order_3 == 1) {
        ordering_3.tag = 1; // Greater
    } else {
        ordering_3.tag = 0; // Equal
    }
    u32 word_3 = fn_word(ordering_3);
    words.at[0] = (word | (word_2 << 2u)) | (word_3 << 4u);
    // ordered.rs:+10
    i8 order_4 = 0;
    order_4 = (ranked->points.at[0].x < ranked->points.at[1].x) ? (-1) : ((ranked->points.at[0].x > ranked->points.at[1].x) ? 1 : ((ranked->points.at[0].x == ranked->points.at[1].x) ? 0 : 2));
    if (order_4 == 0) {
        order_4 = (ranked->points.at[0].y < ranked->points.at[1].y) ? (-1) : ((ranked->points.at[0].y > ranked->points.at[1].y) ? 1 : ((ranked->points.at[0].y == ranked->points.at[1].y) ? 0 : 2));
        if (order_4 == 0) {
            order_4 = (ranked->points.at[0].rank < ranked->points.at[1].rank) ? (-1) : ((ranked->points.at[0].rank > ranked->points.at[1].rank) ? 1 : 0);
        }
    }
    Ordering ordering_4;
    if (order_4 == (-1)) {
        ordering_4.tag = (-1); // Less
    } else if (order_4 == 1) {
        ordering_4.tag = 1; // Greater
    } else {
        ordering_4.tag = 0; // Equal
    }
    Option_Ordering option;
    if (order_4 != 2) {
        option.tag = 1; // Some
        option.some = ordering_4;
    } else {
        option.tag = 0; // None
    }
    u32 perhaps = fn_perhaps(option);
    words.at[0] = words.at[0] | (perhaps << 6u);
    // ordered.rs:+11
    f64 value_2 = 1.5;
    i8 order_5 = 0;
    order_5 = (ranked->float_ < value_2) ? (-1) : ((ranked->float_ > value_2) ? 1 : ((ranked->float_ == value_2) ? 0 : 2));
    Ordering ordering_5;
    if (order_5 == (-1)) {
        ordering_5.tag = (-1); // Less
    } else if (order_5 == 1) {
        ordering_5.tag = 1; // Greater
    } else {
        ordering_5.tag = 0; // Equal
    }
    Option_Ordering option_2;
    if (order_5 != 2) {
        option_2.tag = 1; // Some
        option_2.some = ordering_5;
    } else {
        option_2.tag = 0; // None
    }
    u32 perhaps_2 = fn_perhaps(option_2);
    i8 order_6 = 0;
    order_6 = (a.major < near.major) ? (-1) : ((a.major > near.major) ? 1 : 0);
    if (order_6 == 0) {
        order_6 = (a.pre < near.pre) ? (-1) : ((a.pre > near.pre) ? 1 : 0);
        if (order_6 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_6 = (a.parts.at[i] < near.parts.at[i]) ? (-1) : ((a.parts.at[i] > near.parts.at[i]) ? 1 : 0);
                if (order_6 != 0) {
                    break;
                }
            }
        }
    }
    Ordering ordering_6;
    if (order_6 == (-1)) {
        ordering_6.tag = (-1); // Less
    } else if (order_6 == 1) {
        ordering_6.tag = 1; // Greater
    } else {
        ordering_6.tag = 0; // Equal
    }
    Option_Ordering option_3;
    if (order_6 != 2) {
        option_3.tag = 1; // Some
        option_3.some = ordering_6;
    } else {
        option_3.tag = 0; // None
    }
    u32 perhaps_3 = fn_perhaps(option_3);
    words.at[0] = words.at[0] | ((perhaps_2 << 8u) | (perhaps_3 << 10u));
    // ordered.rs:+12
    i8 order_7 = 0;
    order_7 = (ranked->ranks.at[0].tag < ranked->ranks.at[1].tag) ? (-1) : ((ranked->ranks.at[0].tag > ranked->ranks.at[1].tag) ? 1 : 0);
    if ((order_7 == 0) && (ranked->ranks.at[0].tag == (-2))) {
        order_7 = (ranked->ranks.at[0].Between.field_0.major < ranked->ranks.at[1].Between.field_0.major) ? (-1) : ((ranked->ranks.at[0].Between.field_0.major > ranked->ranks.at[1].Between.field_0.major) ? 1 : 0);
        if (order_7 == 0) {
            order_7 = (ranked->ranks.at[0].Between.field_0.pre < ranked->ranks.at[1].Between.field_0.pre) ? (-1) : ((ranked->ranks.at[0].Between.field_0.pre > ranked->ranks.at[1].Between.field_0.pre) ? 1 : 0);
            if (order_7 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_7 = (ranked->ranks.at[0].Between.field_0.parts.at[i] < ranked->ranks.at[1].Between.field_0.parts.at[i]) ? (-1) : ((ranked->ranks.at[0].Between.field_0.parts.at[i] > ranked->ranks.at[1].Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_7 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_7 == 0) {
            order_7 = (ranked->ranks.at[0].Between.field_1 < ranked->ranks.at[1].Between.field_1) ? (-1) : ((ranked->ranks.at[0].Between.field_1 > ranked->ranks.at[1].Between.field_1) ? 1 : 0);
        }
    }
    if ((order_7 == 0) && (ranked->ranks.at[0].tag == (-1))) {
        order_7 = (ranked->ranks.at[0].Other.wide < ranked->ranks.at[1].Other.wide) ? (-1) : ((ranked->ranks.at[0].Other.wide > ranked->ranks.at[1].Other.wide) ? 1 : 0);
        if (order_7 == 0) {
            order_7 = (ranked->ranks.at[0].Other.small < ranked->ranks.at[1].Other.small) ? (-1) : ((ranked->ranks.at[0].Other.small > ranked->ranks.at[1].Other.small) ? 1 : 0);
        }
    }
    Ordering ordering_7;
    if (order_7 == (-1)) {
        ordering_7.tag = (-1); // Less
    } else if (order_7 == 1) {
        ordering_7.tag = 1; // Greater
    } else {
        ordering_7.tag = 0; // Equal
    }
    u32 word_4 = fn_word(ordering_7);
    words.at[0] = words.at[0] | (word_4 << 12u);
    // ordered.rs:+13
    Tuple_Version_i32 tuple;
    tuple.field_0 = a;
    tuple.field_1 = ranked->number;
    Tuple_Version_i32 tuple_2;
    tuple_2.field_0 = near;
    tuple_2.field_1 = 3;
    Tuple_Version_i32 value_3 = tuple_2;
    i8 order_8 = 0;
    order_8 = (tuple.field_0.major < value_3.field_0.major) ? (-1) : ((tuple.field_0.major > value_3.field_0.major) ? 1 : 0);
    if (order_8 == 0) {
        order_8 = (tuple.field_0.pre < value_3.field_0.pre) ? (-1) : ((tuple.field_0.pre > value_3.field_0.pre) ? 1 : 0);
        if (order_8 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_8 = (tuple.field_0.parts.at[i] < value_3.field_0.parts.at[i]) ? (-1) : ((tuple.field_0.parts.at[i] > value_3.field_0.parts.at[i]) ? 1 : 0);
                if (order_8 != 0) {
                    break;
                }
            }
        }
    }
    if (order_8 == 0) {
        order_8 = (tuple.field_1 < value_3.field_1) ? (-1) : ((tuple.field_1 > value_3.field_1) ? 1 : 0);
    }
    Ordering ordering_8;
    if (order_8 == (-1)) {
        ordering_8.tag = (-1); // Less
    } else if (order_8 == 1) {
        ordering_8.tag = 1; // Greater
    } else {
        ordering_8.tag = 0; // Equal
    }
    u32 word_5 = fn_word(ordering_8);
    Version_x2 items;
    items.at[0] = b;
    items.at[1] = c;
    Version_x2 items_2;
    items_2.at[0] = near;
    items_2.at[1] = a;
    Version_x2 value_4 = items_2;
    i8 order_9 = 0;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        order_9 = (items.at[i].major < value_4.at[i].major) ? (-1) : ((items.at[i].major > value_4.at[i].major) ? 1 : 0);
        if (order_9 == 0) {
            order_9 = (items.at[i].pre < value_4.at[i].pre) ? (-1) : ((items.at[i].pre > value_4.at[i].pre) ? 1 : 0);
            if (order_9 == 0) {
                for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
                    order_9 = (items.at[i].parts.at[i_2] < value_4.at[i].parts.at[i_2]) ? (-1) : ((items.at[i].parts.at[i_2] > value_4.at[i].parts.at[i_2]) ? 1 : 0);
                    if (order_9 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_9 != 0) {
            break;
        }
    }
    Ordering ordering_9;
    if (order_9 == (-1)) {
        ordering_9.tag = (-1); // Less
    } else if (order_9 == 1) {
        ordering_9.tag = 1; // Greater
    } else {
        ordering_9.tag = 0; // Equal
    }
    u32 word_6 = fn_word(ordering_9);
    words.at[0] = words.at[0] | ((word_5 << 14u) | (word_6 << 16u));
    // ordered.rs:+14
    Option_Version option_4;
    option_4.tag = 1; // Some
    option_4.some = a;
    Option_Version option_5;
    option_5.tag = 0; // None
    Option_Version value_5 = option_5;
    i8 order_10 = 0;
    order_10 = (option_4.tag < value_5.tag) ? (-1) : ((option_4.tag > value_5.tag) ? 1 : 0);
    if ((order_10 == 0) && (option_4.tag == 1)) {
        order_10 = (option_4.some.major < value_5.some.major) ? (-1) : ((option_4.some.major > value_5.some.major) ? 1 : 0);
        if (order_10 == 0) {
            order_10 = (option_4.some.pre < value_5.some.pre) ? (-1) : ((option_4.some.pre > value_5.some.pre) ? 1 : 0);
            if (order_10 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_10 = (option_4.some.parts.at[i] < value_5.some.parts.at[i]) ? (-1) : ((option_4.some.parts.at[i] > value_5.some.parts.at[i]) ? 1 : 0);
                    if (order_10 != 0) {
                        break;
                    }
                }
            }
        }
    }
    Ordering ordering_10;
    if (order_10 == (-1)) {
        ordering_10.tag = (-1); // Less
    } else if (order_10 == 1) {
        ordering_10.tag = 1; // Greater
    } else {
        ordering_10.tag = 0; // Equal
    }
    u32 word_7 = fn_word(ordering_10);
    words.at[0] = words.at[0] | (word_7 << 18u);
    // ordered.rs:+15
    i8 order_11 = 0;
    order_11 = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
    if (order_11 == 0) {
        order_11 = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
        if (order_11 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_11 = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                if (order_11 != 0) {
                    break;
                }
            }
        }
    }
    Ordering ordering_11;
    if (order_11 == (-1)) {
        ordering_11.tag = (-1); // Less
    } else if (order_11 == 1) {
        ordering_11.tag = 1; // Greater
    } else {
        ordering_11.tag = 0; // Equal
    }
    Ordering order_12 = ordering_11;
    // ordered.rs:+16
    Ordering ordering_12;
    ordering_12.tag = (-1); // Less
    Ordering ordering_13;
    if (((0 < order_12.tag) ? (-1) : ((0 > order_12.tag) ? 1 : 0)) == (-1)) {
        ordering_13.tag = (-1); // Less
    } else if (((0 < order_12.tag) ? (-1) : ((0 > order_12.tag) ? 1 : 0)) == 1) {
        ordering_13.tag = 1; // Greater
    } else {
        ordering_13.tag = 0; // Equal
    }
    u32 word_8 = fn_word(ordering_13);
    u32 word_9 = fn_word(ranked->order);
    Ordering chosen;
    if (ranked->order.tag == 0) {
        chosen = order_12;
    } else {
        chosen = ranked->order;
    }
    u32 word_10 = fn_word(chosen);
    i8 order_13 = 0;
    order_13 = (order_12.tag < ranked->order.tag) ? (-1) : ((order_12.tag > ranked->order.tag) ? 1 : 0);
    words.at[1] = (((((((((((u32)(order_12.tag < 0)) | (((u32)(order_12.tag <= 0)) << 1u)) | (((u32)(order_12.tag > 0)) << 2u)) | (((u32)(order_12.tag >= 0)) << 3u)) | (((u32)(order_12.tag == 0)) << 4u)) | (((u32)(order_12.tag != 0)) << 5u)) | (((u32)(order_12.tag == ordering_12.tag)) << 6u)) | (word_8 << 7u)) | (word_9 << 9u)) | (word_10 << 11u)) | (((u32)(order_13 < 0)) << 13u);
    // ordered.rs:+27
    i8 order_14 = 0;
    order_14 = (a.major < near.major) ? (-1) : ((a.major > near.major) ? 1 : 0);
    if (order_14 == 0) {
        order_14 = (a.pre < near.pre) ? (-1) : ((a.pre > near.pre) ? 1 : 0);
        if (order_14 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_14 = (a.parts.at[i] < near.parts.at[i]) ? (-1) : ((a.parts.at[i] > near.parts.at[i]) ? 1 : 0);
                if (order_14 != 0) {
                    break;
                }
            }
        }
    }
    Ordering ordering_14;
    if (order_14 == (-1)) {
        ordering_14.tag = (-1); // Less
    } else if (order_14 == 1) {
        ordering_14.tag = 1; // Greater
    } else {
        ordering_14.tag = 0; // Equal
    }
    Ordering subject = ordering_14;
    u32 chosen_2;
    if (subject.tag == 0) {
        // ordered.rs:+28
        chosen_2 = 1u;
    } else if ((subject.tag == (-1)) && (ranked->number > 0)) {
        // ordered.rs:+29
        chosen_2 = 2u;
    } else {
        // ordered.rs:+30
        chosen_2 = 3u;
    }
    words.at[2] = chosen_2;
    // ordered.rs:+32
    i8 order_15 = 0;
    order_15 = (b.major < a.major) ? (-1) : ((b.major > a.major) ? 1 : 0);
    if (order_15 == 0) {
        order_15 = (b.pre < a.pre) ? (-1) : ((b.pre > a.pre) ? 1 : 0);
        if (order_15 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_15 = (b.parts.at[i] < a.parts.at[i]) ? (-1) : ((b.parts.at[i] > a.parts.at[i]) ? 1 : 0);
                if (order_15 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_3;
    if (order_15 < 0) {
        chosen_3 = a;
    } else {
        chosen_3 = b;
    }
    i8 order_16 = 0;
    order_16 = (b.major < a.major) ? (-1) : ((b.major > a.major) ? 1 : 0);
    if (order_16 == 0) {
        order_16 = (b.pre < a.pre) ? (-1) : ((b.pre > a.pre) ? 1 : 0);
        if (order_16 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_16 = (b.parts.at[i] < a.parts.at[i]) ? (-1) : ((b.parts.at[i] > a.parts.at[i]) ? 1 : 0);
                if (order_16 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_4;
    if (order_16 < 0) {
        chosen_4 = b;
    } else {
        chosen_4 = a;
    }
    Version_x2 items_3;
    items_3.at[0] = chosen_3;
    items_3.at[1] = chosen_4;
    Version most = items_3.at[0];
    Version least = items_3.at[1];
    // ordered.rs:+33
    words.at[3] = ((u32)most.parts.at[0]) | (((u32)least.parts.at[2]) << 16u);
    // ordered.rs:+34
    i8 order_17 = 0;
    order_17 = (most.major < least.major) ? (-1) : ((most.major > least.major) ? 1 : 0);
    if (order_17 == 0) {
        order_17 = (most.pre < least.pre) ? (-1) : ((most.pre > least.pre) ? 1 : 0);
        if (order_17 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_17 = (most.parts.at[i] < least.parts.at[i]) ? (-1) : ((most.parts.at[i] > least.parts.at[i]) ? 1 : 0);
                if (order_17 != 0) {
                    break;
                }
            }
        }
    }
    if (order_17 < 0) return 0xFF01u; // panicked
    i8 order_18 = 0;
    order_18 = (c.major < least.major) ? (-1) : ((c.major > least.major) ? 1 : 0);
    if (order_18 == 0) {
        order_18 = (c.pre < least.pre) ? (-1) : ((c.pre > least.pre) ? 1 : 0);
        if (order_18 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_18 = (c.parts.at[i] < least.parts.at[i]) ? (-1) : ((c.parts.at[i] > least.parts.at[i]) ? 1 : 0);
                if (order_18 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_5;
    if (order_18 < 0) {
        chosen_5 = least;
    } else {
        chosen_5 = c;
    }
    i8 order_19 = 0;
    order_19 = (most.major < c.major) ? (-1) : ((most.major > c.major) ? 1 : 0);
    if (order_19 == 0) {
        order_19 = (most.pre < c.pre) ? (-1) : ((most.pre > c.pre) ? 1 : 0);
        if (order_19 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_19 = (most.parts.at[i] < c.parts.at[i]) ? (-1) : ((most.parts.at[i] > c.parts.at[i]) ? 1 : 0);
                if (order_19 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_6;
    if (order_19 < 0) {
        chosen_6 = most;
    } else {
        chosen_6 = chosen_5;
    }
    // ordered.rs:+35
    words.at[4] = ((u32)chosen_6.parts.at[1]) | (((u32)chosen_6.pre) << 16u);
    // ordered.rs:+36
    i8 order_20 = 0;
    order_20 = (c.major < a.major) ? (-1) : ((c.major > a.major) ? 1 : 0);
    if (order_20 == 0) {
        order_20 = (c.pre < a.pre) ? (-1) : ((c.pre > a.pre) ? 1 : 0);
        if (order_20 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_20 = (c.parts.at[i] < a.parts.at[i]) ? (-1) : ((c.parts.at[i] > a.parts.at[i]) ? 1 : 0);
                if (order_20 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_7;
    if (order_20 < 0) {
        chosen_7 = a;
    } else {
        chosen_7 = c;
    }
    i8 order_21 = 0;
    order_21 = (c.major < a.major) ? (-1) : ((c.major > a.major) ? 1 : 0);
    if (order_21 == 0) {
        order_21 = (c.pre < a.pre) ? (-1) : ((c.pre > a.pre) ? 1 : 0);
        if (order_21 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_21 = (c.parts.at[i] < a.parts.at[i]) ? (-1) : ((c.parts.at[i] > a.parts.at[i]) ? 1 : 0);
                if (order_21 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_8;
    if (order_21 < 0) {
        chosen_8 = c;
    } else {
        chosen_8 = a;
    }
    words.at[5] = ((u32)chosen_7.parts.at[0]) | (((u32)chosen_8.parts.at[0]) << 16u);
    // ordered.rs:+37
    i8 order_22 = 0;
    order_22 = (ranked->both.at[1].field_0 < ranked->both.at[0].field_0) ? (-1) : ((ranked->both.at[1].field_0 > ranked->both.at[0].field_0) ? 1 : 0);
    if (order_22 == 0) {
        if (order_22 == 0) {
            for (u64 i = 0ul; i < 2ul; i += 1) {
                order_22 = (ranked->both.at[1].field_2.at[i] < ranked->both.at[0].field_2.at[i]) ? (-1) : ((ranked->both.at[1].field_2.at[i] > ranked->both.at[0].field_2.at[i]) ? 1 : 0);
                if (order_22 != 0) {
                    break;
                }
            }
        }
    }
    Both chosen_9;
    if (order_22 < 0) {
        chosen_9 = ranked->both.at[0];
    } else {
        chosen_9 = ranked->both.at[1];
    }
    bool same = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (chosen_9.field_2.at[i] != ranked->both.at[0].field_2.at[i]) {
            same = false;
            break;
        }
    }
    u32 before = (u32)(((chosen_9.field_0 == ranked->both.at[0].field_0) && true) && same);
    Ordering cmp = fn_Digit_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    u32 word_11 = fn_word(cmp);
    Option_Ordering partial_cmp = fn_Digit_partial_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    u32 perhaps_4 = fn_perhaps(partial_cmp);
    words.at[6] = (before | (word_11 << 1u)) | (perhaps_4 << 3u);
    // ordered.rs:+40
    Digit max_ = fn_Digit_max(ranked->digits.at[0], ranked->digits.at[1]);
    words.at[7] = max_.field_0;
    // ordered.rs:+42
    i8 order_23 = 0;
    order_23 = (ranked->ranks.at[2].tag < ranked->ranks.at[0].tag) ? (-1) : ((ranked->ranks.at[2].tag > ranked->ranks.at[0].tag) ? 1 : 0);
    if ((order_23 == 0) && (ranked->ranks.at[2].tag == (-2))) {
        order_23 = (ranked->ranks.at[2].Between.field_0.major < ranked->ranks.at[0].Between.field_0.major) ? (-1) : ((ranked->ranks.at[2].Between.field_0.major > ranked->ranks.at[0].Between.field_0.major) ? 1 : 0);
        if (order_23 == 0) {
            order_23 = (ranked->ranks.at[2].Between.field_0.pre < ranked->ranks.at[0].Between.field_0.pre) ? (-1) : ((ranked->ranks.at[2].Between.field_0.pre > ranked->ranks.at[0].Between.field_0.pre) ? 1 : 0);
            if (order_23 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_23 = (ranked->ranks.at[2].Between.field_0.parts.at[i] < ranked->ranks.at[0].Between.field_0.parts.at[i]) ? (-1) : ((ranked->ranks.at[2].Between.field_0.parts.at[i] > ranked->ranks.at[0].Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_23 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_23 == 0) {
            order_23 = (ranked->ranks.at[2].Between.field_1 < ranked->ranks.at[0].Between.field_1) ? (-1) : ((ranked->ranks.at[2].Between.field_1 > ranked->ranks.at[0].Between.field_1) ? 1 : 0);
        }
    }
    if ((order_23 == 0) && (ranked->ranks.at[2].tag == (-1))) {
        order_23 = (ranked->ranks.at[2].Other.wide < ranked->ranks.at[0].Other.wide) ? (-1) : ((ranked->ranks.at[2].Other.wide > ranked->ranks.at[0].Other.wide) ? 1 : 0);
        if (order_23 == 0) {
            order_23 = (ranked->ranks.at[2].Other.small < ranked->ranks.at[0].Other.small) ? (-1) : ((ranked->ranks.at[2].Other.small > ranked->ranks.at[0].Other.small) ? 1 : 0);
        }
    }
    Rank chosen_10;
    if (order_23 < 0) {
        chosen_10 = ranked->ranks.at[0];
    } else {
        chosen_10 = ranked->ranks.at[2];
    }
    Rank value_6 = chosen_10;
    bool same_2 = value_6.tag == ranked->ranks.at[0].tag;
    if (same_2 && (value_6.tag == (-2))) {
        bool same_3 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (value_6.Between.field_0.parts.at[i] != ranked->ranks.at[0].Between.field_0.parts.at[i]) {
                same_3 = false;
                break;
            }
        }
        same_2 = (((value_6.Between.field_0.major == ranked->ranks.at[0].Between.field_0.major) && (value_6.Between.field_0.pre == ranked->ranks.at[0].Between.field_0.pre)) && same_3) && (value_6.Between.field_1 == ranked->ranks.at[0].Between.field_1);
    }
    words.at[7] = words.at[7] | (((u32)(same_2 && ((value_6.tag != (-1)) || ((value_6.Other.wide == ranked->ranks.at[0].Other.wide) && (value_6.Other.small == ranked->ranks.at[0].Other.small))))) << 31u);
    // ordered.rs:+43
    i8 order_24 = 0;
    order_24 = (a.major < largest->major) ? (-1) : ((a.major > largest->major) ? 1 : 0);
    if (order_24 == 0) {
        order_24 = (a.pre < largest->pre) ? (-1) : ((a.pre > largest->pre) ? 1 : 0);
        if (order_24 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_24 = (a.parts.at[i] < largest->parts.at[i]) ? (-1) : ((a.parts.at[i] > largest->parts.at[i]) ? 1 : 0);
                if (order_24 != 0) {
                    break;
                }
            }
        }
    }
    Version chosen_11;
    if (order_24 < 0) {
        chosen_11 = (*largest);
    } else {
        chosen_11 = a;
    }
    (*largest) = chosen_11;
    // ordered.rs:+44
    if (ranked->number == 5) {
        // ordered.rs:+46
        i8 order_25 = 0;
        order_25 = (c.major < b.major) ? (-1) : ((c.major > b.major) ? 1 : 0);
        if (order_25 == 0) {
            order_25 = (c.pre < b.pre) ? (-1) : ((c.pre > b.pre) ? 1 : 0);
            if (order_25 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_25 = (c.parts.at[i] < b.parts.at[i]) ? (-1) : ((c.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                    if (order_25 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_25 < 0) return 0xFF01u; // panicked
        i8 order_26 = 0;
        order_26 = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
        if (order_26 == 0) {
            order_26 = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
            if (order_26 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_26 = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                    if (order_26 != 0) {
                        break;
                    }
                }
            }
        }
        Version chosen_13;
        if (order_26 < 0) {
            chosen_13 = b;
        } else {
            chosen_13 = a;
        }
        i8 order_27 = 0;
        order_27 = (c.major < a.major) ? (-1) : ((c.major > a.major) ? 1 : 0);
        if (order_27 == 0) {
            order_27 = (c.pre < a.pre) ? (-1) : ((c.pre > a.pre) ? 1 : 0);
            if (order_27 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_27 = (c.parts.at[i] < a.parts.at[i]) ? (-1) : ((c.parts.at[i] > a.parts.at[i]) ? 1 : 0);
                    if (order_27 != 0) {
                        break;
                    }
                }
            }
        }
        Version chosen_14;
        if (order_27 < 0) {
            chosen_14 = c;
        } else {
            chosen_14 = chosen_13;
        }
        (*largest) = chosen_14;
    }
    // ordered.rs:+48
    bool same_3 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (largest->parts.at[i] != a.parts.at[i]) {
            same_3 = false;
            break;
        }
    }
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = ((largest->major == a.major) && (largest->pre == a.pre)) && same_3;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // ordered.rs:+49
    return 0u;
}

#define ANN_MESSAGE Ranked
#define ANN_MESSAGE_BYTES 168
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Version
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_order_methods(message, state, outbox)
