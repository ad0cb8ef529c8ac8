// The handler of kernel `print_functions`, written from crates/annulus-conformance/src/kernels/prints.rs:+0 (module annulus_conformance::kernels::prints).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Mean {
    u32 count;
    f32 mean;
} Mean;
typedef char ann_size_of_Mean[sizeof(Mean) == 8 ? 1 : -1];

// prints.rs:-15: silent
static u64 fn_silent(u64 value) {
    // prints.rs:-14
    return value + 1ul;
}

// prints.rs:-9: Mean::add
static void fn_Mean_add(PRIVATE Mean *self, f32 value, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:-8
    self->count = self->count + 1u;
    // prints.rs:-7
    self->mean = self->mean + ((value - self->mean) / ((f32)self->count));
    // prints.rs:-6
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)self->count;
            ann_words[1] = (u64)rs_to_bits_f32(self->mean);
            ann_print(ann_print_to, 4u);
        }
    }
}

// prints.rs:-38: half_of
static u64 fn_half_of(u64 value, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:-37
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = value;
            ann_print(ann_print_to, 3u);
        }
    }
    // prints.rs:-36
    return value / 2ul;
}

// prints.rs:-24: through
static u32 fn_through(u64 value, bool quiet, PRIVATE u64 *ann_result, PRIVATE u32 *ann_budget, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:-23
    u64 left = value;
    // prints.rs:-22
    for (;;) {
        if (!((left > 3ul) && (!quiet))) {
            break;
        }
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // prints.rs:-21
        u64 half_of = fn_half_of(left, ann_print_to);
        left = half_of;
    }
    // prints.rs:-19
    *ann_result = left;
    return 0u;
}

// prints.rs:-31: doubled::<u64>
static u64 fn_doubled_u64(u64 value, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:-30
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_print(ann_print_to, 2u);
        }
    }
    // prints.rs:-29
    return value + value;
}

// prints.rs:-31: doubled::<u32>
static u32 fn_doubled_u32(u32 value, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:-30
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_print(ann_print_to, 1u);
        }
    }
    // prints.rs:-29
    return value + value;
}

static u32 handle_print_functions(GLOBAL const Number *number, PRIVATE Mean *mean, PRIVATE ann_outbox *replies, PRIVATE ann_printer *ann_print_to) {
    u32 ann_budget = 16777216u;
    // prints.rs:+1
    u64 value = fn_silent(number->value);
    // prints.rs:+2
    fn_Mean_add(mean, ((f32)value) / 4.0f, ann_print_to);
    // prints.rs:+3
    u64 left;
    RS_TRY(fn_through(value, rs_is_multiple_of_u64(value, 5ul), &left, &ann_budget, ann_print_to));
    // prints.rs:+4
    u64 doubled = fn_doubled_u64(1ul, ann_print_to);
    if (left == doubled) {
        // prints.rs:+5
        u32 doubled_2 = fn_doubled_u32((u32)left, ann_print_to);
        {
            GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
            if (ann_words) {
                ann_words[0] = (u64)doubled_2;
                ann_print(ann_print_to, 0u);
            }
        }
    }
    // prints.rs:+7
    Number number_2;
    number_2.value = left;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = number_2;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Mean
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_PRINTS 1
#define ANN_CALL(cx, message, state, outbox) handle_print_functions(message, state, outbox, printer)
