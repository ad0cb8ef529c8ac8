// The handler of kernel `fft`, written from crates/annulus-conformance/src/kernels/real/signals.rs:+0 (module annulus_conformance::kernels::real::signals).
#pragma OPENCL FP_CONTRACT OFF

typedef struct f32_x16 { f32 at[16]; } f32_x16;

typedef struct Complexes {
    f32_x16 re;
    f32_x16 im;
} Complexes;
typedef char ann_size_of_Complexes[sizeof(Complexes) == 128 ? 1 : -1];

typedef struct Tuple_f32_f32 { f32 field_0; f32 field_1; } Tuple_f32_f32;

typedef struct f32_x8 { f32 at[8]; } f32_x8;

CONSTANT const f32_x8 COSINES = { { 1.0f, 0.9238795f, 0.70710677f, 0.38268343f, 0.0f, (-0.38268343f), (-0.70710677f), (-0.9238795f) } };

// signals.rs:-7: turn
static u32 fn_turn(u64 k, PRIVATE Tuple_f32_f32 *ann_result) {
    // signals.rs:-6
    f32 sine;
    if (k < 4ul) {
        u64 at = 4ul - k;
        if (at >= 8ul) return 0xFF04u; // index out of bounds
        sine = - COSINES.at[at];
    } else {
        u64 at = k - 4ul;
        if (at >= 8ul) return 0xFF04u; // index out of bounds
        sine = - COSINES.at[at];
    }
    // signals.rs:-5
    if (k >= 8ul) return 0xFF04u; // index out of bounds
    Tuple_f32_f32 tuple;
    tuple.field_0 = COSINES.at[k];
    tuple.field_1 = sine;
    *ann_result = tuple;
    return 0u;
}

static u32 handle_fft(GLOBAL const Complexes *signal, PRIVATE ann_outbox *spectra) {
    u32 ann_budget = 16777216u;
    // signals.rs:+1
    f32_x16 re = signal->re;
    f32_x16 im = signal->im;
    // signals.rs:+2
    for (u64 i = 0ul; i < 16ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // signals.rs:+3
        u64 j = rs_shr_u64(rs_reverse_bits_u64(i), 64u - 4u);
        // signals.rs:+4
        if (i < j) {
            // signals.rs:+5
            if (i >= 16ul) return 0xFF04u; // index out of bounds
            if (j >= 16ul) return 0xFF04u; // index out of bounds
            f32 before = re.at[i];
            re.at[i] = re.at[j];
            re.at[j] = before;
            // signals.rs:+6
            if (i >= 16ul) return 0xFF04u; // index out of bounds
            if (j >= 16ul) return 0xFF04u; // index out of bounds
            f32 before_2 = im.at[i];
            im.at[i] = im.at[j];
            im.at[j] = before_2;
        }
    }
    // signals.rs:+9
    u64 half_ = 1ul;
    // signals.rs:+10
    for (;;) {
        if (half_ >= 16ul) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // signals.rs:+11
        u64 step_ = 2ul * half_;
        if (step_ == 0ul) return 0xFF01u; // panicked
        bool more = 0ul < 16ul;
        u64 last = rs_before_u64(16ul);
        u64 next = 0ul;
        for (;;) {
            if (!more) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 start = next;
            more = rs_distance_u64(next, last) >= step_;
            next = rs_advance_u64(next, step_);
            // signals.rs:+12
            u64 end = half_;
            for (u64 k = 0ul; k < end; k += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // signals.rs:+13
                u64 low = start + k;
                u64 high = (start + k) + half_;
                // signals.rs:+14
                if (half_ == 0ul) return 0xFF05u; // division by zero
                Tuple_f32_f32 turn;
                RS_TRY(fn_turn((k * 8ul) / half_, &turn));
                f32 cosine = turn.field_0;
                f32 sine = turn.field_1;
                // signals.rs:+15
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                Tuple_f32_f32 turned;
                turned.field_0 = (re.at[high] * cosine) - (im.at[high] * sine);
                turned.field_1 = (re.at[high] * sine) + (im.at[high] * cosine);
                // signals.rs:+16
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                f32 part_0 = re.at[low] - turned.field_0;
                f32 part_1 = im.at[low] - turned.field_1;
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                re.at[high] = part_0;
                if (high >= 16ul) return 0xFF04u; // index out of bounds
                im.at[high] = part_1;
                // signals.rs:+17
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                f32 part_0_2 = re.at[low] + turned.field_0;
                f32 part_1_2 = im.at[low] + turned.field_1;
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                re.at[low] = part_0_2;
                if (low >= 16ul) return 0xFF04u; // index out of bounds
                im.at[low] = part_1_2;
            }
        }
        // signals.rs:+20
        half_ = half_ * 2ul;
    }
    // signals.rs:+22
    Complexes complexes;
    complexes.re = re;
    complexes.im = im;
    {
        GLOBAL Complexes *ann_slot = (GLOBAL Complexes *)ann_outbox_next(spectra);
        if (ann_slot) *ann_slot = complexes;
    }
    return 0u;
}

#define ANN_MESSAGE Complexes
#define ANN_MESSAGE_BYTES 128
#define ANN_OUTPUT Complexes
#define ANN_OUTPUT_BYTES 128
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_fft(message, outbox)
