// The handler of kernel `print_kinds`, written from crates/annulus-conformance/src/kernels/prints.rs:+0 (module annulus_conformance::kernels::prints).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Kinds {
    u64 wide;
    i64 signed_;
    f64 double_;
    f32 single;
    i32 middle;
    u16 half_;
    i16 short_;
    u8 byte;
    i8 tiny;
    u8 yes;
    u8 ann_pad0[1];
} Kinds;
typedef char ann_size_of_Kinds[sizeof(Kinds) == 40 ? 1 : -1];

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_print_kinds(GLOBAL const Kinds *kinds, PRIVATE ann_outbox *replies, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:+1
    u64 wide = kinds->wide;
    i64 signed_ = kinds->signed_;
    f64 double_ = kinds->double_;
    f32 single = kinds->single;
    i32 middle = kinds->middle;
    u16 half_ = kinds->half_;
    i16 short_ = kinds->short_;
    u8 byte = kinds->byte;
    i8 tiny = kinds->tiny;
    bool yes = kinds->yes;
    // prints.rs:+2
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_print(ann_print_to, 0u);
        }
    }
    // prints.rs:+3
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = wide;
            ann_words[1] = (u64)signed_;
            ann_words[2] = rs_to_bits_f64(double_);
            ann_words[3] = (u64)rs_to_bits_f32(single);
            ann_words[4] = (u64)middle;
            ann_print(ann_print_to, 1u);
        }
    }
    // prints.rs:+4
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)half_;
            ann_words[1] = (u64)short_;
            ann_words[2] = (u64)yes;
            ann_words[3] = (u64)byte;
            ann_words[4] = (u64)tiny;
            ann_print(ann_print_to, 2u);
        }
    }
    // prints.rs:+5
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = rs_to_bits_f64(double_);
            ann_words[1] = (u64)rs_to_bits_f32(single);
            ann_words[2] = (u64)yes;
            ann_words[3] = (u64)middle;
            ann_print(ann_print_to, 3u);
        }
    }
    // prints.rs:+6
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = wide;
            ann_words[1] = (u64)signed_;
            ann_words[2] = (u64)middle;
            ann_words[3] = (u64)byte;
            ann_words[4] = (u64)rs_to_bits_f32(single);
            ann_words[5] = rs_to_bits_f64(double_);
            ann_print(ann_print_to, 4u);
        }
    }
    // prints.rs:+7
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)rs_to_bits_f32(single);
            ann_words[1] = rs_to_bits_f64(double_);
            ann_words[2] = (u64)middle;
            ann_words[3] = (u64)half_;
            ann_words[4] = (u64)tiny;
            ann_words[5] = (u64)yes;
            ann_print(ann_print_to, 5u);
        }
    }
    // prints.rs:+8
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)middle;
            ann_words[1] = rs_to_bits_f64(double_);
            ann_words[2] = 3ul;
            ann_words[3] = (u64)rs_to_bits_f32(single * 2.0f);
            ann_words[4] = 12ul;
            ann_print(ann_print_to, 6u);
        }
    }
    // prints.rs:+9
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)((u64)kinds->byte);
            ann_words[1] = (u64)rs_neg_i64((i64)kinds->byte);
            ann_print(ann_print_to, 7u);
        }
    }
    // prints.rs:+10
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = 7ul;
            ann_words[1] = 40ul;
            ann_print(ann_print_to, 8u);
        }
    }
    // prints.rs:+11
    Number number;
    number.value = wide;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = number;
    }
    return 0u;
}

#define ANN_MESSAGE Kinds
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_PRINTS 1
#define ANN_CALL(cx, message, state, outbox) handle_print_kinds(message, outbox, printer)
