// The handler of kernel `cha_cha`, written from crates/annulus-conformance/src/kernels/real/hashes.rs:+0 (module annulus_conformance::kernels::real::hashes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u32_x3 { u32 at[3]; } u32_x3;

typedef struct Position {
    u32 counter;
    u32_x3 nonce;
} Position;
typedef char ann_size_of_Position[sizeof(Position) == 16 ? 1 : -1];

typedef struct u32_x16 { u32 at[16]; } u32_x16;

typedef struct KeyStream {
    u32_x16 words;
} KeyStream;
typedef char ann_size_of_KeyStream[sizeof(KeyStream) == 64 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

// hashes.rs:-13: quarter_round
static u32 fn_quarter_round(PRIVATE u32_x16 *words, u64 a, u64 b, u64 c, u64 d) {
    // hashes.rs:-12
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    words->at[a] = words->at[a] + words->at[b];
    // hashes.rs:-11
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    words->at[d] = rs_rotate_left_u32(words->at[d] ^ words->at[a], 16u);
    // hashes.rs:-10
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    words->at[c] = words->at[c] + words->at[d];
    // hashes.rs:-9
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    words->at[b] = rs_rotate_left_u32(words->at[b] ^ words->at[c], 12u);
    // hashes.rs:-8
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    words->at[a] = words->at[a] + words->at[b];
    // hashes.rs:-7
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    if (a >= 16ul) return 0xFF04u; // index out of bounds
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    words->at[d] = rs_rotate_left_u32(words->at[d] ^ words->at[a], 8u);
    // hashes.rs:-6
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    if (d >= 16ul) return 0xFF04u; // index out of bounds
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    words->at[c] = words->at[c] + words->at[d];
    // hashes.rs:-5
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    if (c >= 16ul) return 0xFF04u; // index out of bounds
    if (b >= 16ul) return 0xFF04u; // index out of bounds
    words->at[b] = rs_rotate_left_u32(words->at[b] ^ words->at[c], 7u);
    return 0u;
}

static u32 handle_cha_cha(GLOBAL const Position *position, PRIVATE ann_outbox *stream, GLOBAL const u32_x8 *key) {
    u32 ann_budget = 16777216u;
    // hashes.rs:+1
    u32_x16 start;
    start.at[0] = 1634760805u;
    start.at[1] = 857760878u;
    start.at[2] = 2036477234u;
    start.at[3] = 1797285236u;
    start.at[4] = 0u;
    start.at[5] = 0u;
    start.at[6] = 0u;
    start.at[7] = 0u;
    start.at[8] = 0u;
    start.at[9] = 0u;
    start.at[10] = 0u;
    start.at[11] = 0u;
    start.at[12] = 0u;
    start.at[13] = 0u;
    start.at[14] = 0u;
    start.at[15] = 0u;
    // hashes.rs:+2
    for (u64 i = 0ul; i < 8ul; i += 1) {
        start.at[4ul + i] = key->at[i];
    }
    // hashes.rs:+3
    start.at[12] = position->counter;
    // hashes.rs:+4
    for (u64 i = 0ul; i < 3ul; i += 1) {
        start.at[13ul + i] = position->nonce.at[i];
    }
    // hashes.rs:+5
    u32_x16 words = start;
    // hashes.rs:+6
    for (i32 i = 0; i < 10; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+7
        for (u64 i_2 = 0ul; i_2 < 4ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // hashes.rs:+8
            RS_TRY(fn_quarter_round(&words, i_2, i_2 + 4ul, i_2 + 8ul, i_2 + 12ul));
        }
        // hashes.rs:+10
        for (u64 i_2 = 0ul; i_2 < 4ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // hashes.rs:+11
            RS_TRY(fn_quarter_round(&words, i_2, ((i_2 + 1ul) % 4ul) + 4ul, ((i_2 + 2ul) % 4ul) + 8ul, ((i_2 + 3ul) % 4ul) + 12ul));
        }
    }
    // hashes.rs:+14
    u32_x16 items = start;
    for (u64 i = 0ul; i < 16ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 first = items.at[i];
        // hashes.rs:+15
        words.at[i] = words.at[i] + first;
    }
    // hashes.rs:+17
    KeyStream key_stream;
    key_stream.words = words;
    {
        GLOBAL KeyStream *ann_slot = (GLOBAL KeyStream *)ann_outbox_next(stream);
        if (ann_slot) *ann_slot = key_stream;
    }
    return 0u;
}

#define ANN_MESSAGE Position
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT KeyStream
#define ANN_OUTPUT_BYTES 64
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32_x8 *bind_key, u64 len_of_bind_key
#define ANN_BINDING_ENTRY , GLOBAL u32_x8 *bind_key ANN_BUFFER, ANN_NUMBER len_of_bind_key ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_key, len_of_bind_key
#define ANN_CALL(cx, message, state, outbox) handle_cha_cha(message, outbox, bind_key)
