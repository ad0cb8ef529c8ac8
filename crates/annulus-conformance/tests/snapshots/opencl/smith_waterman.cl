// The handler of kernel `smith_waterman`, written from crates/annulus-conformance/src/kernels/real/text.rs:+0 (module annulus_conformance::kernels::real::text).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Base {
    u32 strand;
    u8 base;
    u8 ann_pad0[3];
} Base;
typedef char ann_size_of_Base[sizeof(Base) == 8 ? 1 : -1];

typedef struct Alike {
    u32 strand;
    u32 end;
    i16 score;
    u8 ann_pad0[2];
} Alike;
typedef char ann_size_of_Alike[sizeof(Alike) == 12 ? 1 : -1];

typedef struct i16_x16 { i16 at[16]; } i16_x16;

typedef struct Alignment {
    i16_x16 row;
    i16 best;
    u8 ann_pad0[2];
    u32 at;
} Alignment;
typedef char ann_size_of_Alignment[sizeof(Alignment) == 40 ? 1 : -1];

typedef struct u8_x16 { u8 at[16]; } u8_x16;

static u32 handle_smith_waterman(GLOBAL const Base *base, PRIVATE Alignment *alignment, PRIVATE ann_outbox *alike, GLOBAL const u8_x16 *probe) {
    u32 ann_budget = 16777216u;
    // text.rs:+1
    alignment->at = alignment->at + 1u;
    // text.rs:+2
    i16_x16 before = alignment->row;
    // text.rs:+3
    i16 left = 0;
    // text.rs:+4
    i16 best = 0;
    // text.rs:+5
    for (u64 i = 0ul; i < 16ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // text.rs:+6
        i16 diagonal;
        if (i == 0ul) {
            diagonal = 0;
        } else {
            u64 at = i - 1ul;
            if (at >= 16ul) return 0xFF04u; // index out of bounds
            diagonal = before.at[at];
        }
        // text.rs:+7
        i16 step_ = (probe->at[i] == base->base) ? 2 : (-1);
        // text.rs:+8
        i16 gap = rs_saturating_sub_i16(rs_max_i16(left, before.at[i]), 1);
        // text.rs:+9
        left = rs_max_i16(rs_max_i16(rs_saturating_add_i16(diagonal, step_), gap), 0);
        // text.rs:+10
        alignment->row.at[i] = left;
        // text.rs:+11
        best = rs_max_i16(best, left);
    }
    // text.rs:+13
    if (best > alignment->best) {
        // text.rs:+14
        alignment->best = best;
        // text.rs:+15
        Alike alike_2;
        alike_2.strand = base->strand;
        alike_2.end = alignment->at;
        alike_2.score = best;
        {
            GLOBAL Alike *ann_slot = (GLOBAL Alike *)ann_outbox_next(alike);
            if (ann_slot) *ann_slot = alike_2;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Base
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Alike
#define ANN_OUTPUT_BYTES 12
#define ANN_STATE Alignment
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->strand)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u8_x16 *bind_probe, u64 len_of_bind_probe
#define ANN_BINDING_ENTRY , GLOBAL u8_x16 *bind_probe ANN_BUFFER, ANN_NUMBER len_of_bind_probe ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_probe, len_of_bind_probe
#define ANN_CALL(cx, message, state, outbox) handle_smith_waterman(message, state, outbox, bind_probe)
