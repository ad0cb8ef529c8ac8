// The handler of kernel `print_failing`, written from crates/annulus-conformance/src/kernels/prints.rs:+0 (module annulus_conformance::kernels::prints).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

typedef struct i32_x3 { i32 at[3]; } i32_x3;

static u32 handle_print_failing(GLOBAL const Number *number, PRIVATE Total *total, PRIVATE ann_outbox *replies, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:+1
    total->sum = total->sum + 1ul;
    // prints.rs:+2
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = (*number);
    }
    // prints.rs:+3
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = number->value;
            ann_words[1] = total->sum;
            ann_print(ann_print_to, 0u);
        }
    }
    // prints.rs:+4
    i32_x3 powers;
    powers.at[0] = 1;
    powers.at[1] = 10;
    powers.at[2] = 100;
    // prints.rs:+5
    u64 subject = number->value % 5ul;
    if (subject == 0ul) {
        // prints.rs:+6
        return 7u;
    } else if (subject == 1ul) {
        // prints.rs:+7
        u64 at = ((u64)number->value) + 3ul;
        if (at >= 3ul) return 0xFF04u; // index out of bounds
        {
            GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
            if (ann_words) {
                ann_words[0] = (u64)powers.at[at];
                ann_print(ann_print_to, 1u);
            }
        }
    } else if (subject == 2ul) {
        // prints.rs:+8
        u64 divisor = total->sum + 1ul;
        if (divisor == 0ul) return 0xFF05u; // division by zero
        u64 divisor_2 = total->sum / divisor;
        if (divisor_2 == 0ul) return 0xFF05u; // division by zero
        {
            GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
            if (ann_words) {
                ann_words[0] = number->value;
                ann_words[1] = number->value / divisor_2;
                ann_print(ann_print_to, 2u);
            }
        }
    } else if (subject == 3ul) {
        // prints.rs:+9
        return 0xFF01u; // panicked
    } else {
    }
    // prints.rs:+12
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = number->value;
            ann_print(ann_print_to, 3u);
        }
    }
    // prints.rs:+13
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Total
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_PRINTS 1
#define ANN_CALL(cx, message, state, outbox) handle_print_failing(message, state, outbox, printer)
