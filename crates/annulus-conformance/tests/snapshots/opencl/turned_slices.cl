// The handler of kernel `turned_slices`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
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

typedef struct Tuple_i32_bool { i32 field_0; u8 field_1; } Tuple_i32_bool;

typedef struct Array_Tuple_i32_bool_x8 { Tuple_i32_bool at[8]; } Array_Tuple_i32_bool_x8;

typedef struct Array_i64_x4 { i64 at[4]; } Array_i64_x4;

typedef struct Array_Array_i64_x4_x3 { Array_i64_x4 at[3]; } Array_Array_i64_x4_x3;

typedef struct Option_i64 { u8 tag; i64 some; } Option_i64;

typedef struct Array_Option_i64_x3 { Option_i64 at[3]; } Array_Option_i64_x3;

static u32 handle_turned_slices(GLOBAL const Asked *asked, PRIVATE i32_x4_x3 *grid, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // everyday.rs:+1
    u64 n = ((u64)asked->a) % 9ul;
    // everyday.rs:+2
    i32_x8 numbers = asked->numbers;
    u8_x8 bytes = asked->bytes;
    List list = asked->list;
    // everyday.rs:+3
    i64 x = 0l;
    // everyday.rs:+4
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u64 rest = n - 1ul;
    bool there = n != 0ul;
    if (there) {
        // everyday.rs:+5
        x = rs_add_i64(x, rs_mul_i64((i64)numbers.at[0], (i64)rest));
        // everyday.rs:+6
        u64 rest_2 = rest - 1ul;
        u64 at = 1ul + rest_2;
        bool there_2 = rest != 0ul;
        if (there_2) {
            i32 last = numbers.at[at];
            // everyday.rs:+7
            i64 sum = 0l;
            for (u64 i = 0ul; i < rest_2; i += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                u64 at_2 = 1ul + i;
                sum = rs_add_i64(sum, (i64)numbers.at[at_2]);
            }
            x = rs_sub_i64(rs_add_i64(rs_mul_i64(x, 3l), (i64)last), sum);
        }
    }
    // everyday.rs:+10
    u64 len = rs_min_u64((u64)list.len, 6ul);
    u64 rest_2 = len - 1ul;
    bool there_2 = len != 0ul;
    if (!there_2) {
        // everyday.rs:+11
        Told told_2;
        told_2.x = x;
        told_2.y = (-1l);
        {
            GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
            if (ann_slot) *ann_slot = told_2;
        }
        // everyday.rs:+12
        return 0u;
    }
    u16 head = list.items.at[0];
    // everyday.rs:+14
    x = rs_add_i64(rs_mul_i64(x, 5l), rs_shl_i64((i64)head, (u32)rest_2));
    // everyday.rs:+15
    u64 at = n % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    if (true) {
        // everyday.rs:+16
        grid->at[at].at[0] = rs_add_i32(grid->at[at].at[0], grid->at[at].at[3]);
        // everyday.rs:+17
        if (true) {
            // everyday.rs:+18
            grid->at[at].at[3] = grid->at[at].at[3] ^ grid->at[at].at[2];
        }
    }
    // everyday.rs:+21
    u64 rotated = rs_min_u64(n, 8ul);
    if (rotated > 8ul) return 0xFF01u; // panicked
    u64 rest_3 = 8ul - rotated;
    u64 count = rotated / 2ul;
    for (u64 i = 0ul; i < count; i += 1) {
        u8 before = bytes.at[i];
        bytes.at[i] = bytes.at[(rotated - 1ul) - i];
        bytes.at[(rotated - 1ul) - i] = before;
    }
    u64 count_2 = rest_3 / 2ul;
    for (u64 i = 0ul; i < count_2; i += 1) {
        u8 before = bytes.at[rotated + i];
        bytes.at[rotated + i] = bytes.at[rotated + ((rest_3 - 1ul) - i)];
        bytes.at[rotated + ((rest_3 - 1ul) - i)] = before;
    }
    for (u64 i = 0ul; i < 4ul; i += 1) {
        u8 before = bytes.at[i];
        bytes.at[i] = bytes.at[7ul - i];
        bytes.at[7ul - i] = before;
    }
    // everyday.rs:+22
    i32_x8 turned = numbers;
    // everyday.rs:+23
    u64 start = rs_min_u64(n, 3ul);
    if (start > 8ul) return 0xFF04u; // index out of bounds
    u64 len_2 = 8ul - start;
    u64 rotated_2 = n % 5ul;
    if (rotated_2 > len_2) return 0xFF01u; // panicked
    u64 rest_4 = len_2 - rotated_2;
    u64 count_3 = rest_4 / 2ul;
    for (u64 i = 0ul; i < count_3; i += 1) {
        i32 before = turned.at[start + i];
        turned.at[start + i] = turned.at[start + ((rest_4 - 1ul) - i)];
        turned.at[start + ((rest_4 - 1ul) - i)] = before;
    }
    u64 start_2 = start + rest_4;
    u64 count_4 = rotated_2 / 2ul;
    for (u64 i = 0ul; i < count_4; i += 1) {
        i32 before = turned.at[start_2 + i];
        turned.at[start_2 + i] = turned.at[start_2 + ((rotated_2 - 1ul) - i)];
        turned.at[start_2 + ((rotated_2 - 1ul) - i)] = before;
    }
    u64 count_5 = len_2 / 2ul;
    for (u64 i = 0ul; i < count_5; i += 1) {
        i32 before = turned.at[start + i];
        turned.at[start + i] = turned.at[start + ((len_2 - 1ul) - i)];
        turned.at[start + ((len_2 - 1ul) - i)] = before;
    }
    // everyday.rs:+24
    u64 rotated_3 = ((u64)asked->key) % 10ul;
    if (rotated_3 > 8ul) return 0xFF01u; // panicked
    u64 rest_5 = 8ul - rotated_3;
    u64 count_6 = rotated_3 / 2ul;
    for (u64 i = 0ul; i < count_6; i += 1) {
        i32 before = turned.at[i];
        turned.at[i] = turned.at[(rotated_3 - 1ul) - i];
        turned.at[(rotated_3 - 1ul) - i] = before;
    }
    u64 count_7 = rest_5 / 2ul;
    for (u64 i = 0ul; i < count_7; i += 1) {
        i32 before = turned.at[rotated_3 + i];
        turned.at[rotated_3 + i] = turned.at[rotated_3 + ((rest_5 - 1ul) - i)];
        turned.at[rotated_3 + ((rest_5 - 1ul) - i)] = before;
    }
    for (u64 i = 0ul; i < 4ul; i += 1) {
        i32 before = turned.at[i];
        turned.at[i] = turned.at[7ul - i];
        turned.at[7ul - i] = before;
    }
    // everyday.rs:+25
    for (u64 i = 0ul; i < 1ul; i += 1) {
        i32 before = grid->at[1].at[i];
        grid->at[1].at[i] = grid->at[1].at[2ul - i];
        grid->at[1].at[2ul - i] = before;
    }
    for (u64 i = 0ul; i < 0ul; i += 1) {
        i32 before = grid->at[1].at[3ul + i];
        grid->at[1].at[3ul + i] = grid->at[1].at[3ul + (0ul - i)];
        grid->at[1].at[3ul + (0ul - i)] = before;
    }
    for (u64 i = 0ul; i < 2ul; i += 1) {
        i32 before = grid->at[1].at[i];
        grid->at[1].at[i] = grid->at[1].at[3ul - i];
        grid->at[1].at[3ul - i] = before;
    }
    // everyday.rs:+26
    i32_x8 sorted = numbers;
    // everyday.rs:+27
    for (u64 i = 0ul; i < 8ul; i += 1) {
        i32 inserted = sorted.at[i];
        u64 at_2 = i;
        for (;;) {
            if (at_2 == 0ul) {
                break;
            }
            u64 before = at_2 - 1ul;
            if (sorted.at[before] <= inserted) {
                break;
            }
            sorted.at[at_2] = sorted.at[before];
            at_2 = before;
        }
        sorted.at[at_2] = inserted;
    }
    // everyday.rs:+28
    u64 left = 8ul;
    u64 base = 0ul;
    for (;;) {
        if (left <= 1ul) {
            break;
        }
        u64 half_ = left / 2ul;
        u64 middle = base + half_;
        if (sorted.at[middle] < asked->b) {
            base = middle;
        }
        left = left - half_;
    }
    if (8ul != 0ul) {
        u64 at_2 = base;
        if (sorted.at[at_2] < asked->b) {
            base = base + 1ul;
        }
    }
    u64 at_2 = base;
    // everyday.rs:+30
    u32 asks = 0u;
    // everyday.rs:+31
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u64 left_2 = n;
    u64 base_2 = 0ul;
    for (;;) {
        if (left_2 <= 1ul) {
            break;
        }
        u64 half_ = left_2 / 2ul;
        u64 middle = base_2 + half_;
        i32 number = numbers.at[middle];
        // everyday.rs:+32
        asks = asks + 1u;
        // everyday.rs:+33
        if ((number % 3) != 0) {
            base_2 = middle;
        }
        left_2 = left_2 - half_;
    }
    if (n != 0ul) {
        u64 at_3 = base_2;
        i32 number = numbers.at[at_3];
        // everyday.rs:+32
        asks = asks + 1u;
        // everyday.rs:+33
        if ((number % 3) != 0) {
            base_2 = base_2 + 1ul;
        }
    }
    u64 some = base_2;
    // everyday.rs:+35
    u8_x8 items = bytes;
    u8_x8 mapped;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        u8 byte = items.at[i];
        mapped.at[i] = ((byte >= 65) && (byte <= 90)) ? (byte ^ 32) : byte;
    }
    // everyday.rs:+36
    Array_Tuple_i32_bool_x8 mapped_2;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        i32 number = numbers.at[i];
        Tuple_i32_bool tuple;
        tuple.field_0 = rs_mul_i32(number, 2);
        tuple.field_1 = (number % 2) == 0;
        mapped_2.at[i] = tuple;
    }
    // everyday.rs:+37
    i32_x4_x3 items_2 = (*grid);
    Array_Array_i64_x4_x3 mapped_4;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        i32_x4 row = items_2.at[i];
        Array_i64_x4 mapped_3;
        for (u64 i_2 = 0ul; i_2 < 4ul; i_2 += 1) {
            i32 item_0 = row.at[i_2];
            mapped_3.at[i_2] = (i64)item_0;
        }
        mapped_4.at[i] = mapped_3;
    }
    // everyday.rs:+38
    Array_Array_i64_x4_x3 items_3 = mapped_4;
    Array_Option_i64_x3 mapped_3;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        Array_i64_x4 row = items_3.at[i];
        bool found = false;
        i64 best;
        i64 kept;
        for (u64 i_2 = 0ul; i_2 < 4ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            i64 value = row.at[i_2];
            if ((!found) || (value >= best)) {
                kept = value;
                best = value;
                found = true;
            }
        }
        Option_i64 option;
        if (found) {
            option.tag = 1; // Some
            option.some = kept;
        } else {
            option.tag = 0; // None
        }
        mapped_3.at[i] = option;
    }
    // everyday.rs:+39
    mapped_4.at[0].at[1] = rs_add_i64(mapped_4.at[0].at[1], 1l);
    // everyday.rs:+40
    i64 y = 0l;
    // everyday.rs:+41
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 byte = mapped.at[i];
        i32 double_ = mapped_2.at[i].field_0;
        bool even = mapped_2.at[i].field_1;
        // everyday.rs:+42
        y = rs_add_i64(rs_mul_i64(y, 31l), ((i64)byte) ^ rs_add_i64((i64)double_, (i64)even));
    }
    // everyday.rs:+44
    i32_x8 items_4 = turned;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 number = items_4.at[i];
        // everyday.rs:+45
        y = rs_add_i64(rs_mul_i64(y, 7l), (i64)number);
    }
    // everyday.rs:+47
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        Option_i64 largest = mapped_3.at[i];
        // everyday.rs:+48
        y = rs_add_i64(rs_mul_i64(y, 3l), mapped_4.at[i].at[1] ^ ((largest.tag == 1) ? largest.some : 0l));
    }
    // everyday.rs:+50
    Told told_2;
    told_2.x = rs_add_i64(rs_add_i64(rs_mul_i64(x, 1000l), (i64)((at_2 * 100ul) + (some * 10ul))), (i64)asks);
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
#define ANN_CALL(cx, message, state, outbox) handle_turned_slices(message, state, outbox)
