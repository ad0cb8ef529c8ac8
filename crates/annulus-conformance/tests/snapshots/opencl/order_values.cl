// The handler of kernel `order_values`, written from crates/annulus-conformance/src/kernels/ordered.rs:+0 (module annulus_conformance::kernels::ordered).
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

typedef struct Option_Rank { u8 tag; Rank some; } Option_Rank;

typedef struct f64_x2 { f64 at[2]; } f64_x2;

typedef struct Option_Ordering { u8 tag; Ordering some; } Option_Ordering;

typedef struct Tuple_Point_Version { Point field_0; Version field_1; } Tuple_Point_Version;

typedef struct Tuple_i32_Version_x2 { i32 field_0; Version_x2 field_1; } Tuple_i32_Version_x2;

CONSTANT const Empty Empty_2 = {  };

// ordered.rs:-10: comparisons::<annulus_conformance::kernels::ordered::Version>
static u32 fn_comparisons_Version(Version a, Version b) {
    // ordered.rs:-9
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
    i8 order_2 = 0;
    order_2 = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
    if (order_2 == 0) {
        order_2 = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
        if (order_2 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_2 = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                if (order_2 != 0) {
                    break;
                }
            }
        }
    }
    i8 order_3 = 0;
    order_3 = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
    if (order_3 == 0) {
        order_3 = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
        if (order_3 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_3 = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                if (order_3 != 0) {
                    break;
                }
            }
        }
    }
    i8 order_4 = 0;
    order_4 = (a.major < b.major) ? (-1) : ((a.major > b.major) ? 1 : 0);
    if (order_4 == 0) {
        order_4 = (a.pre < b.pre) ? (-1) : ((a.pre > b.pre) ? 1 : 0);
        if (order_4 == 0) {
            for (u64 i = 0ul; i < 3ul; i += 1) {
                order_4 = (a.parts.at[i] < b.parts.at[i]) ? (-1) : ((a.parts.at[i] > b.parts.at[i]) ? 1 : 0);
                if (order_4 != 0) {
                    break;
                }
            }
        }
    }
    bool same = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (a.parts.at[i] != b.parts.at[i]) {
            same = false;
            break;
        }
    }
    return (((((u32)(order < 0)) | (((u32)(order_2 <= 0)) << 1u)) | (((u32)(order_3 == 1)) << 2u)) | (((u32)((order_4 == 0) || (order_4 == 1))) << 3u)) | (((u32)(((a.major == b.major) && (a.pre == b.pre)) && same)) << 4u);
}

// ordered.rs:-10: comparisons::<annulus_conformance::kernels::ordered::Rank>
static u32 fn_comparisons_Rank(Rank a, Rank b) {
    // ordered.rs:-9
    i8 order = 0;
    order = (a.tag < b.tag) ? (-1) : ((a.tag > b.tag) ? 1 : 0);
    if ((order == 0) && (a.tag == (-2))) {
        order = (a.Between.field_0.major < b.Between.field_0.major) ? (-1) : ((a.Between.field_0.major > b.Between.field_0.major) ? 1 : 0);
        if (order == 0) {
            order = (a.Between.field_0.pre < b.Between.field_0.pre) ? (-1) : ((a.Between.field_0.pre > b.Between.field_0.pre) ? 1 : 0);
            if (order == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order = (a.Between.field_0.parts.at[i] < b.Between.field_0.parts.at[i]) ? (-1) : ((a.Between.field_0.parts.at[i] > b.Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order != 0) {
                        break;
                    }
                }
            }
        }
        if (order == 0) {
            order = (a.Between.field_1 < b.Between.field_1) ? (-1) : ((a.Between.field_1 > b.Between.field_1) ? 1 : 0);
        }
    }
    if ((order == 0) && (a.tag == (-1))) {
        order = (a.Other.wide < b.Other.wide) ? (-1) : ((a.Other.wide > b.Other.wide) ? 1 : 0);
        if (order == 0) {
            order = (a.Other.small < b.Other.small) ? (-1) : ((a.Other.small > b.Other.small) ? 1 : 0);
        }
    }
    i8 order_2 = 0;
    order_2 = (a.tag < b.tag) ? (-1) : ((a.tag > b.tag) ? 1 : 0);
    if ((order_2 == 0) && (a.tag == (-2))) {
        order_2 = (a.Between.field_0.major < b.Between.field_0.major) ? (-1) : ((a.Between.field_0.major > b.Between.field_0.major) ? 1 : 0);
        if (order_2 == 0) {
            order_2 = (a.Between.field_0.pre < b.Between.field_0.pre) ? (-1) : ((a.Between.field_0.pre > b.Between.field_0.pre) ? 1 : 0);
            if (order_2 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_2 = (a.Between.field_0.parts.at[i] < b.Between.field_0.parts.at[i]) ? (-1) : ((a.Between.field_0.parts.at[i] > b.Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_2 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_2 == 0) {
            order_2 = (a.Between.field_1 < b.Between.field_1) ? (-1) : ((a.Between.field_1 > b.Between.field_1) ? 1 : 0);
        }
    }
    if ((order_2 == 0) && (a.tag == (-1))) {
        order_2 = (a.Other.wide < b.Other.wide) ? (-1) : ((a.Other.wide > b.Other.wide) ? 1 : 0);
        if (order_2 == 0) {
            order_2 = (a.Other.small < b.Other.small) ? (-1) : ((a.Other.small > b.Other.small) ? 1 : 0);
        }
    }
    i8 order_3 = 0;
    order_3 = (a.tag < b.tag) ? (-1) : ((a.tag > b.tag) ? 1 : 0);
    if ((order_3 == 0) && (a.tag == (-2))) {
        order_3 = (a.Between.field_0.major < b.Between.field_0.major) ? (-1) : ((a.Between.field_0.major > b.Between.field_0.major) ? 1 : 0);
        if (order_3 == 0) {
            order_3 = (a.Between.field_0.pre < b.Between.field_0.pre) ? (-1) : ((a.Between.field_0.pre > b.Between.field_0.pre) ? 1 : 0);
            if (order_3 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_3 = (a.Between.field_0.parts.at[i] < b.Between.field_0.parts.at[i]) ? (-1) : ((a.Between.field_0.parts.at[i] > b.Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_3 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_3 == 0) {
            order_3 = (a.Between.field_1 < b.Between.field_1) ? (-1) : ((a.Between.field_1 > b.Between.field_1) ? 1 : 0);
        }
    }
    if ((order_3 == 0) && (a.tag == (-1))) {
        order_3 = (a.Other.wide < b.Other.wide) ? (-1) : ((a.Other.wide > b.Other.wide) ? 1 : 0);
        if (order_3 == 0) {
            order_3 = (a.Other.small < b.Other.small) ? (-1) : ((a.Other.small > b.Other.small) ? 1 : 0);
        }
    }
    i8 order_4 = 0;
    order_4 = (a.tag < b.tag) ? (-1) : ((a.tag > b.tag) ? 1 : 0);
    if ((order_4 == 0) && (a.tag == (-2))) {
        order_4 = (a.Between.field_0.major < b.Between.field_0.major) ? (-1) : ((a.Between.field_0.major > b.Between.field_0.major) ? 1 : 0);
        if (order_4 == 0) {
            order_4 = (a.Between.field_0.pre < b.Between.field_0.pre) ? (-1) : ((a.Between.field_0.pre > b.Between.field_0.pre) ? 1 : 0);
            if (order_4 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_4 = (a.Between.field_0.parts.at[i] < b.Between.field_0.parts.at[i]) ? (-1) : ((a.Between.field_0.parts.at[i] > b.Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_4 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_4 == 0) {
            order_4 = (a.Between.field_1 < b.Between.field_1) ? (-1) : ((a.Between.field_1 > b.Between.field_1) ? 1 : 0);
        }
    }
    if ((order_4 == 0) && (a.tag == (-1))) {
        order_4 = (a.Other.wide < b.Other.wide) ? (-1) : ((a.Other.wide > b.Other.wide) ? 1 : 0);
        if (order_4 == 0) {
            order_4 = (a.Other.small < b.Other.small) ? (-1) : ((a.Other.small > b.Other.small) ? 1 : 0);
        }
    }
    bool same = a.tag == b.tag;
    if (same && (a.tag == (-2))) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (a.Between.field_0.parts.at[i] != b.Between.field_0.parts.at[i]) {
                same_2 = false;
                break;
            }
        }
        same = (((a.Between.field_0.major == b.Between.field_0.major) && (a.Between.field_0.pre == b.Between.field_0.pre)) && same_2) && (a.Between.field_1 == b.Between.field_1);
    }
    return (((((u32)(order < 0)) | (((u32)(order_2 <= 0)) << 1u)) | (((u32)(order_3 == 1)) << 2u)) | (((u32)((order_4 == 0) || (order_4 == 1))) << 3u)) | (((u32)(same && ((a.tag != (-1)) || ((a.Other.wide == b.Other.wide) && (a.Other.small == b.Other.small))))) << 4u);
}

// ordered.rs:-10: comparisons::<annulus_conformance::kernels::ordered::Point>
static u32 fn_comparisons_Point(Point a, Point b) {
    // ordered.rs:-9
    i8 order = 0;
    order = (a.x < b.x) ? (-1) : ((a.x > b.x) ? 1 : ((a.x == b.x) ? 0 : 2));
    if (order == 0) {
        order = (a.y < b.y) ? (-1) : ((a.y > b.y) ? 1 : ((a.y == b.y) ? 0 : 2));
        if (order == 0) {
            order = (a.rank < b.rank) ? (-1) : ((a.rank > b.rank) ? 1 : 0);
        }
    }
    i8 order_2 = 0;
    order_2 = (a.x < b.x) ? (-1) : ((a.x > b.x) ? 1 : ((a.x == b.x) ? 0 : 2));
    if (order_2 == 0) {
        order_2 = (a.y < b.y) ? (-1) : ((a.y > b.y) ? 1 : ((a.y == b.y) ? 0 : 2));
        if (order_2 == 0) {
            order_2 = (a.rank < b.rank) ? (-1) : ((a.rank > b.rank) ? 1 : 0);
        }
    }
    i8 order_3 = 0;
    order_3 = (a.x < b.x) ? (-1) : ((a.x > b.x) ? 1 : ((a.x == b.x) ? 0 : 2));
    if (order_3 == 0) {
        order_3 = (a.y < b.y) ? (-1) : ((a.y > b.y) ? 1 : ((a.y == b.y) ? 0 : 2));
        if (order_3 == 0) {
            order_3 = (a.rank < b.rank) ? (-1) : ((a.rank > b.rank) ? 1 : 0);
        }
    }
    i8 order_4 = 0;
    order_4 = (a.x < b.x) ? (-1) : ((a.x > b.x) ? 1 : ((a.x == b.x) ? 0 : 2));
    if (order_4 == 0) {
        order_4 = (a.y < b.y) ? (-1) : ((a.y > b.y) ? 1 : ((a.y == b.y) ? 0 : 2));
        if (order_4 == 0) {
            order_4 = (a.rank < b.rank) ? (-1) : ((a.rank > b.rank) ? 1 : 0);
        }
    }
    return (((((u32)(order < 0)) | (((u32)(order_2 <= 0)) << 1u)) | (((u32)(order_3 == 1)) << 2u)) | (((u32)((order_4 == 0) || (order_4 == 1))) << 3u)) | (((u32)(((a.x == b.x) && (a.y == b.y)) && (a.rank == b.rank))) << 4u);
}

// ordered.rs:-10: comparisons::<annulus_conformance::kernels::ordered::Both<i16>>
static u32 fn_comparisons_Both_i16(Both a, Both b) {
    // ordered.rs:-9
    i8 order = 0;
    order = (a.field_0 < b.field_0) ? (-1) : ((a.field_0 > b.field_0) ? 1 : 0);
    if (order == 0) {
        if (order == 0) {
            for (u64 i = 0ul; i < 2ul; i += 1) {
                order = (a.field_2.at[i] < b.field_2.at[i]) ? (-1) : ((a.field_2.at[i] > b.field_2.at[i]) ? 1 : 0);
                if (order != 0) {
                    break;
                }
            }
        }
    }
    i8 order_2 = 0;
    order_2 = (a.field_0 < b.field_0) ? (-1) : ((a.field_0 > b.field_0) ? 1 : 0);
    if (order_2 == 0) {
        if (order_2 == 0) {
            for (u64 i = 0ul; i < 2ul; i += 1) {
                order_2 = (a.field_2.at[i] < b.field_2.at[i]) ? (-1) : ((a.field_2.at[i] > b.field_2.at[i]) ? 1 : 0);
                if (order_2 != 0) {
                    break;
                }
            }
        }
    }
    i8 order_3 = 0;
    order_3 = (a.field_0 < b.field_0) ? (-1) : ((a.field_0 > b.field_0) ? 1 : 0);
    if (order_3 == 0) {
        if (order_3 == 0) {
            for (u64 i = 0ul; i < 2ul; i += 1) {
                order_3 = (a.field_2.at[i] < b.field_2.at[i]) ? (-1) : ((a.field_2.at[i] > b.field_2.at[i]) ? 1 : 0);
                if (order_3 != 0) {
                    break;
                }
            }
        }
    }
    i8 order_4 = 0;
    order_4 = (a.field_0 < b.field_0) ? (-1) : ((a.field_0 > b.field_0) ? 1 : 0);
    if (order_4 == 0) {
        if (order_4 == 0) {
            for (u64 i = 0ul; i < 2ul; i += 1) {
                order_4 = (a.field_2.at[i] < b.field_2.at[i]) ? (-1) : ((a.field_2.at[i] > b.field_2.at[i]) ? 1 : 0);
                if (order_4 != 0) {
                    break;
                }
            }
        }
    }
    bool same = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (a.field_2.at[i] != b.field_2.at[i]) {
            same = false;
            break;
        }
    }
    return (((((u32)(order < 0)) | (((u32)(order_2 <= 0)) << 1u)) | (((u32)(order_3 == 1)) << 2u)) | (((u32)((order_4 == 0) || (order_4 == 1))) << 3u)) | (((u32)(((a.field_0 == b.field_0) && true) && same)) << 4u);
}

// ordered.rs:-10: comparisons::<annulus_conformance::kernels::ordered::Empty>
static u32 fn_comparisons_Empty(Empty a, Empty b) {
    // ordered.rs:-9
    i8 order = 0;
    i8 order_2 = 0;
    i8 order_3 = 0;
    i8 order_4 = 0;
    return (((((u32)(order < 0)) | (((u32)(order_2 <= 0)) << 1u)) | (((u32)(order_3 == 1)) << 2u)) | (((u32)((order_4 == 0) || (order_4 == 1))) << 3u)) | (((u32)true) << 4u);
}

// ordered.rs:-10: comparisons::<u32>
static u32 fn_comparisons_u32(u32 a, u32 b) {
    // ordered.rs:-9
    return (((((u32)(a < b)) | (((u32)(a <= b)) << 1u)) | (((u32)(a > b)) << 2u)) | (((u32)(a >= b)) << 3u)) | (((u32)(a == b)) << 4u);
}

// ordered.rs:-63: Digit::partial_cmp
static Option_Ordering fn_Digit_partial_cmp(GLOBAL const Digit *self, GLOBAL const Digit *other) {
    // ordered.rs:-62
    if ((self->field_0 == 77u) || (other->field_0 == 77u)) {
        // ordered.rs:-61
        Option_Ordering option;
        option.tag = 0; // None
        return option;
    }
    // ordered.rs:-59
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

// ordered.rs:-72: Digit::eq
static bool fn_Digit_eq(GLOBAL const Digit *self, GLOBAL const Digit *other) {
    // ordered.rs:-71
    return (self->field_0 % 10u) == (other->field_0 % 10u);
}

// ordered.rs:-63: Digit::partial_cmp
static Option_Ordering fn_Digit_partial_cmp_2(PRIVATE const Digit *self, PRIVATE const Digit *other) {
    // ordered.rs:-62
    if ((self->field_0 == 77u) || (other->field_0 == 77u)) {
        // ordered.rs:-61
        Option_Ordering option;
        option.tag = 0; // None
        return option;
    }
    // ordered.rs:-59
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

static u32 handle_order_values(GLOBAL const Ranked *ranked, PRIVATE Rank *largest, PRIVATE ann_outbox *answers) {
    // ordered.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // ordered.rs:+2
    Version_x3 items;
    items.at[0] = ranked->versions.at[0];
    items.at[1] = ranked->versions.at[1];
    items.at[2] = ranked->versions.at[2];
    Version a = items.at[0];
    Version b = items.at[1];
    Version c = items.at[2];
    // ordered.rs:+3
    Version near = a;
    // ordered.rs:+4
    near.parts.at[2] = b.parts.at[2];
    // ordered.rs:+5
    u32 comparisons = fn_comparisons_Version(a, b);
    u32 comparisons_2 = fn_comparisons_Version(a, near);
    u32 comparisons_3 = fn_comparisons_Version(near, a);
    u32 comparisons_4 = fn_comparisons_Version(a, a);
    words.at[0] = ((comparisons | (comparisons_2 << 5u)) | (comparisons_3 << 10u)) | (comparisons_4 << 15u);
    // ordered.rs:+7
    u32 comparisons_5 = fn_comparisons_Rank(ranked->ranks.at[0], ranked->ranks.at[1]);
    Rank rank;
    rank.tag = (-2); // Between
    rank.Between.field_0 = near;
    rank.Between.field_1 = 3;
    u32 comparisons_6 = fn_comparisons_Rank(ranked->ranks.at[1], rank);
    Rank rank_2;
    rank_2.tag = (-2); // Between
    rank_2.Between.field_0 = a;
    rank_2.Between.field_1 = 3;
    Rank rank_3;
    rank_3.tag = (-2); // Between
    rank_3.Between.field_0 = near;
    rank_3.Between.field_1 = 3;
    u32 comparisons_7 = fn_comparisons_Rank(rank_2, rank_3);
    Rank rank_4;
    rank_4.tag = (-1); // Other
    rank_4.Other.wide = 4ul;
    rank_4.Other.small = ranked->versions.at[2].major;
    u32 comparisons_8 = fn_comparisons_Rank(rank_4, ranked->ranks.at[2]);
    words.at[1] = ((comparisons_5 | (comparisons_6 << 5u)) | (comparisons_7 << 10u)) | (comparisons_8 << 15u);
    // ordered.rs:+11
    Point_x2 items_2;
    items_2.at[0] = ranked->points.at[0];
    items_2.at[1] = ranked->points.at[1];
    Point p = items_2.at[0];
    Point q = items_2.at[1];
    // ordered.rs:+12
    u32 comparisons_9 = fn_comparisons_Point(p, q);
    Point point = q;
    point.x = p.x;
    u32 comparisons_10 = fn_comparisons_Point(p, point);
    Point point_2 = p;
    point_2.rank = 3;
    u32 comparisons_11 = fn_comparisons_Point(point_2, p);
    u32 comparisons_12 = fn_comparisons_Point(p, p);
    words.at[2] = ((comparisons_9 | (comparisons_10 << 5u)) | (comparisons_11 << 10u)) | (comparisons_12 << 15u);
    // ordered.rs:+16
    u32 comparisons_13 = fn_comparisons_Both_i16(ranked->both.at[0], ranked->both.at[1]);
    Both both;
    both.field_0 = 1;
    both.field_2 = ranked->both.at[0].field_2;
    Both both_2;
    both_2.field_0 = 1;
    both_2.field_2 = ranked->both.at[1].field_2;
    u32 comparisons_14 = fn_comparisons_Both_i16(both, both_2);
    Empty value;
    Empty value_2;
    u32 comparisons_15 = fn_comparisons_Empty(value, value_2);
    words.at[3] = (comparisons_13 | (comparisons_14 << 5u)) | (comparisons_15 << 10u);
    // ordered.rs:+19
    Version_x2 items_3;
    items_3.at[0] = a;
    items_3.at[1] = b;
    Version_x2 items_4;
    items_4.at[0] = near;
    items_4.at[1] = c;
    i8 order = 0;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        order = (items_3.at[i].major < items_4.at[i].major) ? (-1) : ((items_3.at[i].major > items_4.at[i].major) ? 1 : 0);
        if (order == 0) {
            order = (items_3.at[i].pre < items_4.at[i].pre) ? (-1) : ((items_3.at[i].pre > items_4.at[i].pre) ? 1 : 0);
            if (order == 0) {
                for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
                    order = (items_3.at[i].parts.at[i_2] < items_4.at[i].parts.at[i_2]) ? (-1) : ((items_3.at[i].parts.at[i_2] > items_4.at[i].parts.at[i_2]) ? 1 : 0);
                    if (order != 0) {
                        break;
                    }
                }
            }
        }
        if (order != 0) {
            break;
        }
    }
    Version_x3 items_5;
    items_5.at[0] = a;
    items_5.at[1] = b;
    items_5.at[2] = near;
    i8 order_2 = 0;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        order_2 = (ranked->versions.at[i].major < items_5.at[i].major) ? (-1) : ((ranked->versions.at[i].major > items_5.at[i].major) ? 1 : 0);
        if (order_2 == 0) {
            order_2 = (ranked->versions.at[i].pre < items_5.at[i].pre) ? (-1) : ((ranked->versions.at[i].pre > items_5.at[i].pre) ? 1 : 0);
            if (order_2 == 0) {
                for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
                    order_2 = (ranked->versions.at[i].parts.at[i_2] < items_5.at[i].parts.at[i_2]) ? (-1) : ((ranked->versions.at[i].parts.at[i_2] > items_5.at[i].parts.at[i_2]) ? 1 : 0);
                    if (order_2 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_2 != 0) {
            break;
        }
    }
    Tuple_Point_Version tuple;
    tuple.field_0 = p;
    tuple.field_1 = a;
    Tuple_Point_Version tuple_2;
    tuple_2.field_0 = q;
    tuple_2.field_1 = b;
    i8 order_3 = 0;
    order_3 = (tuple.field_0.x < tuple_2.field_0.x) ? (-1) : ((tuple.field_0.x > tuple_2.field_0.x) ? 1 : ((tuple.field_0.x == tuple_2.field_0.x) ? 0 : 2));
    if (order_3 == 0) {
        order_3 = (tuple.field_0.y < tuple_2.field_0.y) ? (-1) : ((tuple.field_0.y > tuple_2.field_0.y) ? 1 : ((tuple.field_0.y == tuple_2.field_0.y) ? 0 : 2));
        if (order_3 == 0) {
            order_3 = (tuple.field_0.rank < tuple_2.field_0.rank) ? (-1) : ((tuple.field_0.rank > tuple_2.field_0.rank) ? 1 : 0);
        }
    }
    if (order_3 == 0) {
        order_3 = (tuple.field_1.major < tuple_2.field_1.major) ? (-1) : ((tuple.field_1.major > tuple_2.field_1.major) ? 1 : 0);
        if (order_3 == 0) {
            order_3 = (tuple.field_1.pre < tuple_2.field_1.pre) ? (-1) : ((tuple.field_1.pre > tuple_2.field_1.pre) ? 1 : 0);
            if (order_3 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_3 = (tuple.field_1.parts.at[i] < tuple_2.field_1.parts.at[i]) ? (-1) : ((tuple.field_1.parts.at[i] > tuple_2.field_1.parts.at[i]) ? 1 : 0);
                    if (order_3 != 0) {
                        break;
                    }
                }
            }
        }
    }
    Option_Version option;
    option.tag = 1; // Some
    option.some = a;
    Option_Version option_2;
    option_2.tag = 1; // Some
    option_2.some = b;
    i8 order_4 = 0;
    order_4 = (option.tag < option_2.tag) ? (-1) : ((option.tag > option_2.tag) ? 1 : 0);
    if ((order_4 == 0) && (option.tag == 1)) {
        order_4 = (option.some.major < option_2.some.major) ? (-1) : ((option.some.major > option_2.some.major) ? 1 : 0);
        if (order_4 == 0) {
            order_4 = (option.some.pre < option_2.some.pre) ? (-1) : ((option.some.pre > option_2.some.pre) ? 1 : 0);
            if (order_4 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_4 = (option.some.parts.at[i] < option_2.some.parts.at[i]) ? (-1) : ((option.some.parts.at[i] > option_2.some.parts.at[i]) ? 1 : 0);
                    if (order_4 != 0) {
                        break;
                    }
                }
            }
        }
    }
    Option_Version option_3;
    option_3.tag = 0; // None
    Option_Version option_4;
    option_4.tag = 1; // Some
    option_4.some = near;
    i8 order_5 = 0;
    order_5 = (option_3.tag < option_4.tag) ? (-1) : ((option_3.tag > option_4.tag) ? 1 : 0);
    if ((order_5 == 0) && (option_3.tag == 1)) {
        order_5 = (option_3.some.major < option_4.some.major) ? (-1) : ((option_3.some.major > option_4.some.major) ? 1 : 0);
        if (order_5 == 0) {
            order_5 = (option_3.some.pre < option_4.some.pre) ? (-1) : ((option_3.some.pre > option_4.some.pre) ? 1 : 0);
            if (order_5 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_5 = (option_3.some.parts.at[i] < option_4.some.parts.at[i]) ? (-1) : ((option_3.some.parts.at[i] > option_4.some.parts.at[i]) ? 1 : 0);
                    if (order_5 != 0) {
                        break;
                    }
                }
            }
        }
    }
    Option_Rank option_5;
    if (ranked->number > 3) {
        option_5.tag = 1; // Some
        option_5.some = ranked->ranks.at[0];
    } else {
        option_5.tag = 0; // None
    }
    Option_Rank option_6;
    option_6.tag = 1; // Some
    option_6.some = ranked->ranks.at[1];
    i8 order_6 = 0;
    order_6 = (option_5.tag < option_6.tag) ? (-1) : ((option_5.tag > option_6.tag) ? 1 : 0);
    if ((order_6 == 0) && (option_5.tag == 1)) {
        order_6 = (option_5.some.tag < option_6.some.tag) ? (-1) : ((option_5.some.tag > option_6.some.tag) ? 1 : 0);
        if ((order_6 == 0) && (option_5.some.tag == (-2))) {
            order_6 = (option_5.some.Between.field_0.major < option_6.some.Between.field_0.major) ? (-1) : ((option_5.some.Between.field_0.major > option_6.some.Between.field_0.major) ? 1 : 0);
            if (order_6 == 0) {
                order_6 = (option_5.some.Between.field_0.pre < option_6.some.Between.field_0.pre) ? (-1) : ((option_5.some.Between.field_0.pre > option_6.some.Between.field_0.pre) ? 1 : 0);
                if (order_6 == 0) {
                    for (u64 i = 0ul; i < 3ul; i += 1) {
                        order_6 = (option_5.some.Between.field_0.parts.at[i] < option_6.some.Between.field_0.parts.at[i]) ? (-1) : ((option_5.some.Between.field_0.parts.at[i] > option_6.some.Between.field_0.parts.at[i]) ? 1 : 0);
                        if (order_6 != 0) {
                            break;
                        }
                    }
                }
            }
            if (order_6 == 0) {
                order_6 = (option_5.some.Between.field_1 < option_6.some.Between.field_1) ? (-1) : ((option_5.some.Between.field_1 > option_6.some.Between.field_1) ? 1 : 0);
            }
        }
        if ((order_6 == 0) && (option_5.some.tag == (-1))) {
            order_6 = (option_5.some.Other.wide < option_6.some.Other.wide) ? (-1) : ((option_5.some.Other.wide > option_6.some.Other.wide) ? 1 : 0);
            if (order_6 == 0) {
                order_6 = (option_5.some.Other.small < option_6.some.Other.small) ? (-1) : ((option_5.some.Other.small > option_6.some.Other.small) ? 1 : 0);
            }
        }
    }
    f64_x2 items_6;
    items_6.at[0] = 1.0;
    items_6.at[1] = ranked->float_;
    f64_x2 items_7;
    items_7.at[0] = 1.0;
    items_7.at[1] = 2.0;
    i8 order_7 = 0;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        order_7 = (items_6.at[i] < items_7.at[i]) ? (-1) : ((items_6.at[i] > items_7.at[i]) ? 1 : ((items_6.at[i] == items_7.at[i]) ? 0 : 2));
        if (order_7 != 0) {
            break;
        }
    }
    Version_x2 items_8;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        items_8.at[i] = a;
    }
    Tuple_i32_Version_x2 tuple_3;
    tuple_3.field_0 = ranked->number;
    tuple_3.field_1 = items_8;
    Version_x2 items_9;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        items_9.at[i] = near;
    }
    Tuple_i32_Version_x2 tuple_4;
    tuple_4.field_0 = 3;
    tuple_4.field_1 = items_9;
    i8 order_8 = 0;
    order_8 = (tuple_3.field_0 < tuple_4.field_0) ? (-1) : ((tuple_3.field_0 > tuple_4.field_0) ? 1 : 0);
    if (order_8 == 0) {
        for (u64 i = 0ul; i < 2ul; i += 1) {
            order_8 = (tuple_3.field_1.at[i].major < tuple_4.field_1.at[i].major) ? (-1) : ((tuple_3.field_1.at[i].major > tuple_4.field_1.at[i].major) ? 1 : 0);
            if (order_8 == 0) {
                order_8 = (tuple_3.field_1.at[i].pre < tuple_4.field_1.at[i].pre) ? (-1) : ((tuple_3.field_1.at[i].pre > tuple_4.field_1.at[i].pre) ? 1 : 0);
                if (order_8 == 0) {
                    for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
                        order_8 = (tuple_3.field_1.at[i].parts.at[i_2] < tuple_4.field_1.at[i].parts.at[i_2]) ? (-1) : ((tuple_3.field_1.at[i].parts.at[i_2] > tuple_4.field_1.at[i].parts.at[i_2]) ? 1 : 0);
                        if (order_8 != 0) {
                            break;
                        }
                    }
                }
            }
            if (order_8 != 0) {
                break;
            }
        }
    }
    words.at[4] = ((((((((u32)(order < 0)) | (((u32)((order_2 == 0) || (order_2 == 1))) << 1u)) | (((u32)(order_3 < 0)) << 2u)) | (((u32)(order_4 == 1)) << 3u)) | (((u32)(order_5 < 0)) << 4u)) | (((u32)(order_6 <= 0)) << 5u)) | (((u32)(order_7 <= 0)) << 6u)) | (((u32)(order_8 == 1)) << 7u);
    // ordered.rs:+27
    u32 comparisons_16 = fn_comparisons_u32(ranked->digits.at[0].field_0, ranked->digits.at[1].field_0);
    Option_Ordering partial_cmp = fn_Digit_partial_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    Option_Ordering partial_cmp_2 = fn_Digit_partial_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    Option_Ordering partial_cmp_3 = fn_Digit_partial_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    Option_Ordering partial_cmp_4 = fn_Digit_partial_cmp(&ranked->digits.at[0], &ranked->digits.at[1]);
    bool eq = fn_Digit_eq(&ranked->digits.at[0], &ranked->digits.at[1]);
    Digit digit;
    digit.field_0 = (ranked->digits.at[0].field_0 % 4u) + 75u;
    Digit value_3 = digit;
    Digit digit_2;
    digit_2.field_0 = 9u;
    Digit value_4 = digit_2;
    Option_Ordering partial_cmp_5 = fn_Digit_partial_cmp_2(&value_3, &value_4);
    words.at[5] = (((((comparisons_16 | (((u32)((partial_cmp.tag == 1) && (partial_cmp.some.tag < 0))) << 5u)) | (((u32)((partial_cmp_2.tag == 1) && (partial_cmp_2.some.tag <= 0))) << 6u)) | (((u32)((partial_cmp_3.tag == 1) && (partial_cmp_3.some.tag > 0))) << 7u)) | (((u32)((partial_cmp_4.tag == 1) && (partial_cmp_4.some.tag >= 0))) << 8u)) | (((u32)eq) << 9u)) | (((u32)((partial_cmp_5.tag == 1) && (partial_cmp_5.some.tag < 0))) << 10u);
    // ordered.rs:+34
    i8 order_9 = 0;
    order_9 = (ranked->ranks.at[0].tag < largest->tag) ? (-1) : ((ranked->ranks.at[0].tag > largest->tag) ? 1 : 0);
    if ((order_9 == 0) && (ranked->ranks.at[0].tag == (-2))) {
        order_9 = (ranked->ranks.at[0].Between.field_0.major < largest->Between.field_0.major) ? (-1) : ((ranked->ranks.at[0].Between.field_0.major > largest->Between.field_0.major) ? 1 : 0);
        if (order_9 == 0) {
            order_9 = (ranked->ranks.at[0].Between.field_0.pre < largest->Between.field_0.pre) ? (-1) : ((ranked->ranks.at[0].Between.field_0.pre > largest->Between.field_0.pre) ? 1 : 0);
            if (order_9 == 0) {
                for (u64 i = 0ul; i < 3ul; i += 1) {
                    order_9 = (ranked->ranks.at[0].Between.field_0.parts.at[i] < largest->Between.field_0.parts.at[i]) ? (-1) : ((ranked->ranks.at[0].Between.field_0.parts.at[i] > largest->Between.field_0.parts.at[i]) ? 1 : 0);
                    if (order_9 != 0) {
                        break;
                    }
                }
            }
        }
        if (order_9 == 0) {
            order_9 = (ranked->ranks.at[0].Between.field_1 < largest->Between.field_1) ? (-1) : ((ranked->ranks.at[0].Between.field_1 > largest->Between.field_1) ? 1 : 0);
        }
    }
    if ((order_9 == 0) && (ranked->ranks.at[0].tag == (-1))) {
        order_9 = (ranked->ranks.at[0].Other.wide < largest->Other.wide) ? (-1) : ((ranked->ranks.at[0].Other.wide > largest->Other.wide) ? 1 : 0);
        if (order_9 == 0) {
            order_9 = (ranked->ranks.at[0].Other.small < largest->Other.small) ? (-1) : ((ranked->ranks.at[0].Other.small > largest->Other.small) ? 1 : 0);
        }
    }
    bool both_3 = order_9 == 1;
    if (!both_3) {
        Rank rank_5;
        rank_5.tag = 7; // Last
        bool same = ranked->ranks.at[0].tag == rank_5.tag;
        if (same && (ranked->ranks.at[0].tag == (-2))) {
            bool same_2 = true;
            for (u64 i = 0ul; i < 3ul; i += 1) {
                if (ranked->ranks.at[0].Between.field_0.parts.at[i] != rank_5.Between.field_0.parts.at[i]) {
                    same_2 = false;
                    break;
                }
            }
            same = (((ranked->ranks.at[0].Between.field_0.major == rank_5.Between.field_0.major) && (ranked->ranks.at[0].Between.field_0.pre == rank_5.Between.field_0.pre)) && same_2) && (ranked->ranks.at[0].Between.field_1 == rank_5.Between.field_1);
        }
        both_3 = same && ((ranked->ranks.at[0].tag != (-1)) || ((ranked->ranks.at[0].Other.wide == rank_5.Other.wide) && (ranked->ranks.at[0].Other.small == rank_5.Other.small)));
    }
    if (both_3) {
        // ordered.rs:+35
        (*largest) = ranked->ranks.at[0];
        // ordered.rs:+36
        words.at[6] = 1u;
    }
    // ordered.rs:+38
    bool same = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (a.parts.at[i] != near.parts.at[i]) {
            same = false;
            break;
        }
    }
    bool both_4 = !(((a.major == near.major) && (a.pre == near.pre)) && same);
    if (both_4) {
        i8 order_10 = 0;
        order_10 = (ranked->ranks.at[1].tag < largest->tag) ? (-1) : ((ranked->ranks.at[1].tag > largest->tag) ? 1 : 0);
        if ((order_10 == 0) && (ranked->ranks.at[1].tag == (-2))) {
            order_10 = (ranked->ranks.at[1].Between.field_0.major < largest->Between.field_0.major) ? (-1) : ((ranked->ranks.at[1].Between.field_0.major > largest->Between.field_0.major) ? 1 : 0);
            if (order_10 == 0) {
                order_10 = (ranked->ranks.at[1].Between.field_0.pre < largest->Between.field_0.pre) ? (-1) : ((ranked->ranks.at[1].Between.field_0.pre > largest->Between.field_0.pre) ? 1 : 0);
                if (order_10 == 0) {
                    for (u64 i = 0ul; i < 3ul; i += 1) {
                        order_10 = (ranked->ranks.at[1].Between.field_0.parts.at[i] < largest->Between.field_0.parts.at[i]) ? (-1) : ((ranked->ranks.at[1].Between.field_0.parts.at[i] > largest->Between.field_0.parts.at[i]) ? 1 : 0);
                        if (order_10 != 0) {
                            break;
                        }
                    }
                }
            }
            if (order_10 == 0) {
                order_10 = (ranked->ranks.at[1].Between.field_1 < largest->Between.field_1) ? (-1) : ((ranked->ranks.at[1].Between.field_1 > largest->Between.field_1) ? 1 : 0);
            }
        }
        if ((order_10 == 0) && (ranked->ranks.at[1].tag == (-1))) {
            order_10 = (ranked->ranks.at[1].Other.wide < largest->Other.wide) ? (-1) : ((ranked->ranks.at[1].Other.wide > largest->Other.wide) ? 1 : 0);
            if (order_10 == 0) {
                order_10 = (ranked->ranks.at[1].Other.small < largest->Other.small) ? (-1) : ((ranked->ranks.at[1].Other.small > largest->Other.small) ? 1 : 0);
            }
        }
        both_4 = order_10 < 0;
    }
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = both_4;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Ranked
#define ANN_MESSAGE_BYTES 168
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Rank
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_order_values(message, state, outbox)
