// The handler of kernel `joined_items`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
#pragma OPENCL FP_CONTRACT OFF

typedef union Shape {
    u8 tag; // 0 Round, 1 Square, 2 Line, 3 Point
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 ann_pad1[4];
    } Round;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 tilted;
        u8 ann_pad1[3];
    } Square;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 field_0;
        i32 field_1;
    } Line;
} Shape;
typedef char ann_size_of_Shape[sizeof(Shape) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Round[sizeof(((PRIVATE Shape *)0)->Round) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Square[sizeof(((PRIVATE Shape *)0)->Square) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Line[sizeof(((PRIVATE Shape *)0)->Line) == 12 ? 1 : -1];

typedef struct u8_x8 { u8 at[8]; } u8_x8;

typedef struct i32_x8 { i32 at[8]; } i32_x8;

typedef struct u16_x6 { u16 at[6]; } u16_x6;

typedef struct List {
    u32 len;
    u16_x6 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u8_x12 { u8 at[12]; } u8_x12;

typedef struct Text {
    u32 len;
    u8_x12 items;
} Text;
typedef char ann_size_of_Text[sizeof(Text) == 16 ? 1 : -1];

typedef struct Asked {
    u32 key;
    u32 a;
    i32 b;
    u8 on;
    u8 ann_pad0[3];
    Shape shape;
    u8_x8 bytes;
    i32_x8 numbers;
    List list;
    Text text;
} Asked;
typedef char ann_size_of_Asked[sizeof(Asked) == 100 ? 1 : -1];

typedef struct Told {
    i64 x;
    i64 y;
} Told;
typedef char ann_size_of_Told[sizeof(Told) == 16 ? 1 : -1];

typedef struct i32_x4 { i32 at[4]; } i32_x4;

typedef struct i32_x4_x3 { i32_x4 at[3]; } i32_x4_x3;

typedef struct i32_x2 { i32 at[2]; } i32_x2;

typedef struct u32_x3 { u32 at[3]; } u32_x3;

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

typedef struct Option_u64 { u8 tag; u64 some; } Option_u64;

typedef union Ordering {
    i8 tag; // (-1) Less, 0 Equal, 1 Greater
} Ordering;
typedef char ann_size_of_Ordering[sizeof(Ordering) == 1 ? 1 : -1];

typedef struct Tuple_u64_i32 { u64 field_0; i32 field_1; } Tuple_u64_i32;

typedef struct Option_Tuple_u64_i32 { u8 tag; Tuple_u64_i32 some; } Option_Tuple_u64_i32;

static u32 handle_joined_items(GLOBAL const Asked *asked, PRIVATE i32_x4_x3 *grid, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // everyday.rs:+1
    u64 n = ((u64)asked->a) % 9ul;
    // everyday.rs:+3
    i64 x = 0l;
    // everyday.rs:+4
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u64 count = rs_saturating_add_u64(n, 4ul);
    i32_x2 items;
    items.at[0] = 7;
    items.at[1] = 8;
    i32_x2 value = items;
    u64 count_2 = rs_saturating_add_u64(count, 2ul);
    for (u64 at = 0ul; at < count_2; at += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 item;
        if (at < count) {
            i32 item_2;
            if (at < n) {
                item_2 = asked->numbers.at[at];
            } else {
                u64 at_2 = at - n;
                item_2 = grid->at[1].at[at_2];
            }
            item = item_2;
        } else {
            u64 at_2 = at - count;
            item = value.at[at_2];
        }
        // everyday.rs:+5
        x = rs_add_i64(rs_mul_i64(x, 3l), ((i64)item) ^ ((i64)at));
    }
    // everyday.rs:+7
    u64 count_3 = (5ul < 7ul) ? rs_distance_u64(5ul, 7ul) : 0ul;
    u64 count_4 = rs_saturating_add_u64(n, count_3);
    u64 count_5 = (count_4 == 0ul) ? 0ul : (((count_4 - 1ul) / 2ul) + 1ul);
    for (u64 i = 0ul; i < count_5; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = i * 2ul;
        u64 at_2 = (count_4 - 1ul) - at;
        u64 item;
        if (at_2 < n) {
            item = at_2;
        } else {
            u64 at_3 = at_2 - n;
            item = rs_advance_u64(5ul, at_3);
        }
        // everyday.rs:+8
        x = rs_add_i64(rs_mul_i64(x, 5l), (i64)item);
    }
    // everyday.rs:+10
    i32_x4 items_2 = grid->at[0];
    i64 sum = 0l;
    for (u64 i = 0ul; i < 12ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 item;
        if (i < 8ul) {
            item = asked->numbers.at[i];
        } else {
            u64 at = i - 8ul;
            item = items_2.at[at];
        }
        i64 value_2 = (i64)item;
        i64 n_2 = value_2;
        if ((n_2 % 2l) != 0l) {
            continue;
        }
        sum = rs_add_i64(sum, value_2);
    }
    x = rs_add_i64(x, sum);
    // everyday.rs:+14
    for (u64 i = 0ul; i < 7ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 ann_at_29;
        u64 ann_at_30;
        if (i < 3ul) {
            u64 at = 1ul + i;
            ann_at_29 = 0ul;
            ann_at_30 = at;
        } else {
            u64 at = i - 3ul;
            ann_at_29 = 1ul;
            ann_at_30 = at;
        }
        // everyday.rs:+15
        grid->at[ann_at_29].at[ann_at_30] = rs_add_i32(grid->at[ann_at_29].at[ann_at_30], 1);
    }
    // everyday.rs:+18
    for (u64 i = 0ul; i < 12ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 outer = i / 4ul;
        u64 at = i % 4ul;
        // everyday.rs:+19
        grid->at[outer].at[at] = rs_add_i32(rs_mul_i32(grid->at[outer].at[at], 3), asked->b);
    }
    // everyday.rs:+21
    u64 number = 0ul;
    i64 sum_2 = 0l;
    for (u64 i = 0ul; i < 12ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 outer = i / 4ul;
        u64 at = i % 4ul;
        u64 number_2 = number;
        number = number + 1ul;
        u64 at_2 = number_2;
        sum_2 = rs_add_i64(sum_2, rs_mul_i64((i64)grid->at[outer].at[at], (i64)at_2));
    }
    i64 all_ = sum_2;
    // everyday.rs:+22
    u32 sum_3 = 0u;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 value_2 = asked->numbers.at[i];
        if (!((value_2 >= 0) && (value_2 <= 255))) {
            continue;
        }
        u8 item_0 = (u8)value_2;
        sum_3 = sum_3 + ((u32)item_0);
    }
    u32 small = sum_3;
    // everyday.rs:+23
    bool found = false;
    i32 kept;
    for (u64 i = 0ul; i < 12ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 11ul - i;
        u64 outer = at / 4ul;
        u64 at_2 = at % 4ul;
        i32 value_2 = grid->at[outer].at[at_2];
        i32 cell = value_2;
        if ((cell % 3) == 0) {
            kept = value_2;
            found = true;
            break;
        }
    }
    Option_i32 row;
    if (found) {
        row.tag = 1; // Some
        row.some = kept;
    } else {
        row.tag = 0; // None
    }
    // everyday.rs:+24
    i64 y = rs_add_i64(rs_add_i64(all_, (i64)small), (i64)((row.tag == 1) ? row.some : 1));
    // everyday.rs:+25
    bool same = true;
    if (same) {
        for (u64 i = 0ul; i < 4ul; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            if (grid->at[0].at[i] != grid->at[1].at[i]) {
                same = false;
                break;
            }
        }
    }
    y = rs_add_i64(rs_mul_i64(y, 2l), (i64)same);
    // everyday.rs:+26
    u64 end = rs_min_u64(n, 8ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 8ul) return 0xFF04u; // index out of bounds
    u64 start = 8ul - rs_min_u64(n, 8ul);
    if (start > 8ul) return 0xFF04u; // index out of bounds
    u64 len = 8ul - start;
    bool same_2 = end == len;
    if (same_2) {
        for (u64 i = 0ul; i < end; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = (end - 1ul) - i;
            u64 at_2 = start + i;
            if (asked->bytes.at[at] != asked->bytes.at[at_2]) {
                same_2 = false;
                break;
            }
        }
    }
    y = rs_add_i64(rs_mul_i64(y, 2l), (i64)same_2);
    // everyday.rs:+28
    u32 end_2 = (u32)n;
    u64 count_6 = (0u < end_2) ? rs_distance_u32(0u, end_2) : 0ul;
    u32_x3 items_3;
    items_3.at[0] = 0u;
    items_3.at[1] = 1u;
    items_3.at[2] = 2u;
    bool same_3 = count_6 == 3ul;
    if (same_3) {
        for (u64 i = 0ul; i < count_6; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u32 value_2 = rs_advance_u32(0u, i);
            if (value_2 != items_3.at[i]) {
                same_3 = false;
                break;
            }
        }
    }
    y = rs_add_i64(rs_mul_i64(y, 2l), (i64)same_3);
    // everyday.rs:+29
    u64 position = 8ul;
    bool found_2 = false;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 7ul - i;
        position = position - 1ul;
        if (asked->numbers.at[at] > asked->b) {
            found_2 = true;
            break;
        }
    }
    Option_u64 behind;
    if (found_2) {
        behind.tag = 1; // Some
        behind.some = position;
    } else {
        behind.tag = 0; // None
    }
    // everyday.rs:+30
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u64 position_2 = n;
    bool found_3 = false;
    for (u64 i = 0ul; i < n; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (n - 1ul) - i;
        position_2 = position_2 - 1ul;
        i32 half_ = asked->numbers.at[at] / 2;
        if ((half_ % 2) == 0) {
            found_3 = true;
            break;
        }
    }
    Option_u64 even;
    if (found_3) {
        even.tag = 1; // Some
        even.some = position_2;
    } else {
        even.tag = 0; // None
    }
    // everyday.rs:+31
    bool there = behind.tag == 1;
    u64 subject = behind.some;
    i64 mapped;
    if (there) {
        u64 at = subject;
        mapped = (i64)at;
    } else {
        mapped = (-7l);
    }
    bool there_2 = even.tag == 1;
    u64 subject_2 = even.some;
    i64 mapped_2;
    if (there_2) {
        u64 at = subject_2;
        mapped_2 = (i64)at;
    } else {
        mapped_2 = (-9l);
    }
    y = rs_add_i64(y, rs_add_i64(rs_mul_i64(mapped, 100l), mapped_2));
    // everyday.rs:+33
    bool found_4 = false;
    u64 kept_2 = 0ul;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        if (grid->at[1].at[i] > asked->b) {
            kept_2 = i;
            found_4 = true;
            break;
        }
    }
    u64 at = kept_2;
    bool there_3 = found_4;
    if (there_3) {
        // everyday.rs:+34
        grid->at[1].at[at] = rs_sub_i32(grid->at[1].at[at], 9);
    }
    // everyday.rs:+36
    bool found_5 = false;
    u64 kept_3 = 0ul;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_2 = i;
        if ((at_2 % 2ul) != 1ul) {
            continue;
        }
        kept_3 = i;
        found_5 = true;
    }
    u64 at_2 = kept_3;
    bool there_4 = found_5;
    u64 subject_3 = kept_3;
    if (there_4) {
        u64 at_3 = subject_3;
        // everyday.rs:+37
        grid->at[2].at[at_2] = grid->at[2].at[at_2] ^ ((i32)at_3);
    }
    // everyday.rs:+39
    bool found_6 = false;
    u64 kept_4 = 0ul;
    i32 best;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 key = rs_abs_i32(grid->at[0].at[i]) % 16;
        if ((!found_6) || (key < best)) {
            kept_4 = i;
            best = key;
            found_6 = true;
        }
    }
    u64 at_3 = kept_4;
    bool there_5 = found_6;
    if (there_5) {
        // everyday.rs:+40
        grid->at[0].at[at_3] = 3;
    }
    // everyday.rs:+42
    bool found_7 = false;
    u64 kept_5 = 0ul;
    for (u64 i = 0ul; i < 12ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 outer = i / 4ul;
        u64 at_4 = i % 4ul;
        bool better = true;
        if (found_7) {
            u64 outer_2 = kept_5 / 4ul;
            u64 at_5 = kept_5 % 4ul;
            i8 order = 0;
            order = (grid->at[outer_2].at[at_5] < grid->at[outer].at[at_4]) ? (-1) : ((grid->at[outer_2].at[at_5] > grid->at[outer].at[at_4]) ? 1 : 0);
            Ordering ordering;
            if (order == (-1)) {
                ordering.tag = (-1); // Less
            } else if (order == 1) {
                ordering.tag = 1; // Greater
            } else {
                ordering.tag = 0; // Equal
            }
            Ordering copy = ordering;
            better = copy.tag <= 0;
        }
        if (better) {
            kept_5 = i;
            found_7 = true;
        }
    }
    u64 outer = kept_5 / 4ul;
    u64 at_4 = kept_5 % 4ul;
    bool there_6 = found_7;
    if (there_6) {
        // everyday.rs:+43
        grid->at[outer].at[at_4] = grid->at[outer].at[at_4] / 2;
    }
    // everyday.rs:+45
    u8_x8 bytes = asked->bytes;
    // everyday.rs:+46
    for (u64 i = 0ul; i < 8ul; i += 1) {
        u8 inserted = bytes.at[i];
        u8 key = inserted % 16;
        u64 at_5 = i;
        for (;;) {
            if (at_5 == 0ul) {
                break;
            }
            u64 before = at_5 - 1ul;
            u8 value_2 = bytes.at[before] % 16;
            if (value_2 >= key) {
                break;
            }
            bytes.at[at_5] = bytes.at[before];
            at_5 = before;
        }
        bytes.at[at_5] = inserted;
    }
    // everyday.rs:+47
    bool found_8 = false;
    i32 best_2;
    i32 kept_6;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 key = rs_abs_i32(asked->numbers.at[i]) % 8;
        if ((!found_8) || (key > best_2)) {
            kept_6 = asked->numbers.at[i];
            best_2 = key;
            found_8 = true;
        }
    }
    Option_i32 most;
    if (found_8) {
        most.tag = 1; // Some
        most.some = kept_6;
    } else {
        most.tag = 0; // None
    }
    // everyday.rs:+48
    bool found_9 = false;
    i32 best_3;
    u64 kept_7;
    i32 kept_8;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 key = rs_abs_i32(asked->numbers.at[i]) % 8;
        if ((!found_9) || (key <= best_3)) {
            kept_7 = i;
            kept_8 = asked->numbers.at[i];
            best_3 = key;
            found_9 = true;
        }
    }
    Tuple_u64_i32 tuple;
    tuple.field_0 = kept_7;
    tuple.field_1 = kept_8;
    Option_Tuple_u64_i32 least;
    if (found_9) {
        least.tag = 1; // Some
        least.some = tuple;
    } else {
        least.tag = 0; // None
    }
    // everyday.rs:+49
    u8_x8 items_4 = bytes;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 byte = items_4.at[i];
        // everyday.rs:+50
        x = rs_add_i64(rs_mul_i64(x, 31l), (i64)byte);
    }
    // everyday.rs:+52
    i32 value_2 = 0;
    x = rs_add_i64(x, (i64)((most.tag == 1) ? most.some : value_2));
    // everyday.rs:+53
    bool there_7 = least.tag == 1;
    Tuple_u64_i32 subject_4 = least.some;
    i64 mapped_3;
    if (there_7) {
        Tuple_u64_i32 subject_5 = subject_4;
        u64 at_5 = subject_5.field_0;
        mapped_3 = (i64)at_5;
    } else {
        mapped_3 = 0l;
    }
    y = rs_add_i64(y, mapped_3);
    // everyday.rs:+54
    Told told_2;
    told_2.x = x;
    told_2.y = y;
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    return 0u;
}

#define ANN_MESSAGE Asked
#define ANN_MESSAGE_BYTES 100
#define ANN_OUTPUT Told
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE i32_x4_x3
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_joined_items(message, state, outbox)
