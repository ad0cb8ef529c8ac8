// The handler of kernel `copies`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
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

typedef struct Kept {
    i32_x8 numbers;
    i32 last;
    u32 calls;
} Kept;
typedef char ann_size_of_Kept[sizeof(Kept) == 40 ? 1 : -1];

typedef struct u8_x4 { u8 at[4]; } u8_x4;

typedef struct u16_x3 { u16 at[3]; } u16_x3;

typedef struct Result_u8_u32 { u8 tag; u8 ok; u32 err; } Result_u8_u32;

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

typedef struct Result_u16_x3_void { u8 tag; u16_x3 ok; } Result_u16_x3_void;

// everyday.rs:-6: small
static Result_u8_u32 fn_small(i32 value) {
    // everyday.rs:-5
    bool there = (value >= 0) && (value <= 255);
    u8 subject = (u8)value;
    Result_u8_u32 result;
    if (there) {
        result.tag = 0; // Ok
        result.ok = subject;
    } else {
        result.tag = 1; // Err
        result.err = 7u;
    }
    return result;
}

static u32 handle_copies(GLOBAL const Asked *asked, PRIVATE Kept *kept, PRIVATE ann_outbox *told) {
    // everyday.rs:+1
    Kept copy = (*kept);
    // everyday.rs:+2
    i32_x8 copy_2 = asked->numbers;
    // everyday.rs:+3
    i32_x8 copy_3 = copy_2;
    kept->numbers = copy_3;
    // everyday.rs:+4
    u64 at = ((u64)asked->a) % 8ul;
    if (at >= 8ul) return 0xFF04u; // index out of bounds
    kept->last = copy_2.at[at];
    // everyday.rs:+5
    kept->calls = kept->calls + 1u;
    // everyday.rs:+6
    Shape copy_4 = asked->shape;
    // everyday.rs:+7
    u32 size;
    if (copy_4.tag == 0) {
        // everyday.rs:+8
        u32 size_2 = copy_4.Round.size;
        size = size_2;
    } else if (copy_4.tag == 1) {
        u32 size_2 = copy_4.Square.size;
        size = size_2;
    } else if (copy_4.tag == 2) {
        u32 size_2 = copy_4.Line.field_0;
        size = size_2;
    } else {
        // everyday.rs:+9
        size = 0u;
    }
    // everyday.rs:+11
    i32 copy_5;
    if (true) {
        copy_5 = asked->numbers.at[0];
    }
    bool mapped = false;
    if (true) {
        i32 number = copy_5;
        mapped = number > 3;
    }
    bool there = mapped;
    Option_i32 maybe;
    if (there) {
        maybe.tag = 1; // Some
        maybe.some = copy_5;
    } else {
        maybe.tag = 0; // None
    }
    // everyday.rs:+12
    Option_i32 copy_6 = maybe;
    // everyday.rs:+13
    u32 value = asked->a;
    u8 byte = (value <= 255u) ? ((u8)value) : 255;
    // everyday.rs:+14
    i64 value_2 = (i64)asked->b;
    bool there_2 = (value_2 >= (-32768l)) && (value_2 <= 32767l);
    i16 subject = (i16)value_2;
    i16 mapped_2;
    if (there_2) {
        mapped_2 = subject;
    } else {
        mapped_2 = (-3);
    }
    // everyday.rs:+15
    i32 value_3 = asked->b;
    bool there_3 = value_3 >= 0;
    u64 subject_2 = (u64)value_3;
    if (!there_3) {
        // everyday.rs:+16
        kept->last = (-1);
        // everyday.rs:+17
        Told told_2;
        told_2.x = (i64)copy.last;
        told_2.y = (i64)((copy_6.tag == 1) ? copy_6.some : 5);
        {
            GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
            if (ann_slot) *ann_slot = told_2;
        }
        // everyday.rs:+18
        return 0u;
    }
    u64 wide = subject_2;
    // everyday.rs:+20
    u32 value_4 = asked->key;
    if (!true) return 0xFF01u; // panicked
    u64 index_ = (u64)value_4;
    // everyday.rs:+21
    u64 start = index_ % 3ul;
    if (start > 8ul) return 0xFF04u; // index out of bounds
    u64 len = 8ul - start;
    if (4ul > len) return 0xFF04u; // index out of bounds
    u8_x4 array;
    if (true) {
        for (u64 i = 0ul; i < 4ul; i += 1) {
            array.at[i] = asked->bytes.at[start + i];
        }
    }
    if (!true) return 0xFF01u; // panicked
    u8_x4 copy_7 = array;
    // everyday.rs:+22
    u64 end = index_ % 9ul;
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 8ul) return 0xFF04u; // index out of bounds
    bool there_4 = end == 4ul;
    u8_x4 array_2;
    if (there_4) {
        for (u64 i = 0ul; i < 4ul; i += 1) {
            array_2.at[i] = asked->bytes.at[i];
        }
    }
    u32 mapped_3;
    if (there_4) {
        u8_x4 item_0 = array_2;
        mapped_3 = ((((u32)item_0.at[0]) | (((u32)item_0.at[1]) << 8u)) | (((u32)item_0.at[2]) << 16u)) | (((u32)item_0.at[3]) << 24u);
    } else {
        mapped_3 = 0u;
    }
    // everyday.rs:+23
    u64 len_2 = rs_min_u64((u64)asked->list.len, 6ul);
    bool there_5 = len_2 == 3ul;
    u16_x3 array_3;
    if (there_5) {
        for (u64 i = 0ul; i < 3ul; i += 1) {
            array_3.at[i] = asked->list.items.at[i];
        }
    }
    Result_u16_x3_void list;
    if (there_5) {
        list.tag = 0; // Ok
        list.ok = array_3;
    } else {
        list.tag = 1; // Err
    }
    // everyday.rs:+24
    bool there_6 = list.tag == 0;
    u16_x3 subject_3 = list.ok;
    i64 mapped_4;
    if (there_6) {
        u16_x3 subject_4 = subject_3;
        u16 a = subject_4.at[0];
        u16 b = subject_4.at[1];
        u16 c = subject_4.at[2];
        mapped_4 = rs_add_i64(rs_add_i64((i64)a, rs_mul_i64(2l, (i64)b)), rs_mul_i64(3l, (i64)c));
    }
    i64 three = there_6 ? mapped_4 : (-1l);
    // everyday.rs:+25
    if (asked->key == 77u) {
        // everyday.rs:+26
        return 0xFF01u; // panicked
    }
    // everyday.rs:+28
    if (asked->key == 78u) {
        // everyday.rs:+29
        return 0xFF01u; // panicked
    }
    // everyday.rs:+31
    Result_u8_u32 small = fn_small(asked->b);
    if (small.tag != 0) {
        return small.err;
    }
    u8 few = small.ok;
    // everyday.rs:+32
    bool there_7 = maybe.tag == 1;
    i32 subject_4 = maybe.some;
    i32 mapped_5;
    if (there_7) {
        i32 number = subject_4;
        mapped_5 = number;
    } else {
        mapped_5 = 1;
    }
    Told told_2;
    told_2.x = rs_add_i64(rs_add_i64(rs_add_i64(rs_add_i64((i64)byte, (i64)mapped_2), (i64)few), (i64)size), three);
    told_2.y = rs_add_i64(rs_add_i64(rs_add_i64((i64)wide, rs_shl_i64((i64)((((((u32)copy_7.at[0]) << 24u) | (((u32)copy_7.at[1]) << 16u)) | (((u32)copy_7.at[2]) << 8u)) | ((u32)copy_7.at[3])), 8u)), rs_add_i64((i64)mapped_3, (i64)mapped_5)), ((i64)copy.calls) ^ ((i64)copy.numbers.at[3]));
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    // everyday.rs:+39
    return 0u;
}

#define ANN_MESSAGE Asked
#define ANN_MESSAGE_BYTES 100
#define ANN_OUTPUT Told
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE Kept
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_copies(message, state, outbox)
