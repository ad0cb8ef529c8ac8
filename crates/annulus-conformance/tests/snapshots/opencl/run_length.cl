// The handler of kernel `run_length`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct Run {
    u8 byte;
    u8 count;
} Run;
typedef char ann_size_of_Run[sizeof(Run) == 2 ? 1 : -1];

static u32 handle_run_length(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *runs) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u64 len = rs_min_u64((u64)bytes->len, 31ul);
    // codes.rs:+2
    u64 at = 0ul;
    // codes.rs:+3
    for (;;) {
        if (at >= len) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:+4
        if (at >= 31ul) return 0xFF04u; // index out of bounds
        u8 byte = bytes->bytes.at[at];
        // codes.rs:+5
        u64 count = 1ul;
        // codes.rs:+6
        for (;;) {
            bool both = (at + count) < len;
            if (both) {
                u64 at_2 = at + count;
                if (at_2 >= 31ul) return 0xFF04u; // index out of bounds
                both = bytes->bytes.at[at_2] == byte;
            }
            if (!both) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:+7
            count = count + 1ul;
        }
        // codes.rs:+9
        Run run;
        run.byte = byte;
        run.count = (u8)count;
        {
            GLOBAL Run *ann_slot = (GLOBAL Run *)ann_outbox_next(runs);
            if (ann_slot) *ann_slot = run;
        }
        // codes.rs:+10
        at = at + count;
    }
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Run
#define ANN_OUTPUT_BYTES 2
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 31
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_run_length(message, outbox)
