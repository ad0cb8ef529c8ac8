// The handler of kernel `print_often`, written from crates/annulus-conformance/src/kernels/prints.rs:+0 (module annulus_conformance::kernels::prints).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_print_often(GLOBAL const Number *number, PRIVATE ann_outbox *replies, PRIVATE ann_printer *ann_print_to) {
    u32 ann_budget = 16777216u;
    // prints.rs:+1
    u64 end = number->value;
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // prints.rs:+2
        {
            GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
            if (ann_words) {
                ann_words[0] = number->value;
                ann_words[1] = i;
                ann_print(ann_print_to, 0u);
            }
        }
    }
    // prints.rs:+4
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = (*number);
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_PRINTS 1
#define ANN_CALL(cx, message, state, outbox) handle_print_often(message, outbox, printer)
