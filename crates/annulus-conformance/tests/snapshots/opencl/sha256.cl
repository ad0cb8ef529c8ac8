// The handler of kernel `sha256`, written from crates/annulus-conformance/src/kernels/real/hashes.rs:+0 (module annulus_conformance::kernels::real::hashes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u32_x16 { u32 at[16]; } u32_x16;

typedef struct Block {
    u32 text;
    u32_x16 words;
} Block;
typedef char ann_size_of_Block[sizeof(Block) == 68 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Hash {
    u32_x8 words;
} Hash;
typedef char ann_size_of_Hash[sizeof(Hash) == 32 ? 1 : -1];

typedef struct u32_x64 { u32 at[64]; } u32_x64;

CONSTANT const u32_x64 K = { { 1116352408u, 1899447441u, 3049323471u, 3921009573u, 961987163u, 1508970993u, 2453635748u, 2870763221u, 3624381080u, 310598401u, 607225278u, 1426881987u, 1925078388u, 2162078206u, 2614888103u, 3248222580u, 3835390401u, 4022224774u, 264347078u, 604807628u, 770255983u, 1249150122u, 1555081692u, 1996064986u, 2554220882u, 2821834349u, 2952996808u, 3210313671u, 3336571891u, 3584528711u, 113926993u, 338241895u, 666307205u, 773529912u, 1294757372u, 1396182291u, 1695183700u, 1986661051u, 2177026350u, 2456956037u, 2730485921u, 2820302411u, 3259730800u, 3345764771u, 3516065817u, 3600352804u, 4094571909u, 275423344u, 430227734u, 506948616u, 659060556u, 883997877u, 958139571u, 1322822218u, 1537002063u, 1747873779u, 1955562222u, 2024104815u, 2227730452u, 2361852424u, 2428436474u, 2756734187u, 3204031479u, 3329325298u } };

static u32 handle_sha256(GLOBAL const Block *block, PRIVATE Hash *hash, PRIVATE ann_outbox *hashes) {
    u32 ann_budget = 16777216u;
    // hashes.rs:+1
    u32_x64 w;
    for (u64 i = 0ul; i < 64ul; i += 1) {
        w.at[i] = 0u;
    }
    // hashes.rs:+2
    for (u64 i = 0ul; i < 16ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+3
        w.at[i] = block->words.at[i];
    }
    // hashes.rs:+5
    for (u64 i = 16ul; i < 64ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+6
        u64 at = i - 15ul;
        if (at >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_2 = i - 15ul;
        if (at_2 >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_3 = i - 15ul;
        if (at_3 >= 64ul) return 0xFF04u; // index out of bounds
        u32 s0 = (rs_rotate_right_u32(w.at[at], 7u) ^ rs_rotate_right_u32(w.at[at_2], 18u)) ^ (w.at[at_3] >> 3u);
        // hashes.rs:+7
        u64 at_4 = i - 2ul;
        if (at_4 >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_5 = i - 2ul;
        if (at_5 >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_6 = i - 2ul;
        if (at_6 >= 64ul) return 0xFF04u; // index out of bounds
        u32 s1 = (rs_rotate_right_u32(w.at[at_4], 17u) ^ rs_rotate_right_u32(w.at[at_5], 19u)) ^ (w.at[at_6] >> 10u);
        // hashes.rs:+8
        u64 at_7 = i - 16ul;
        if (at_7 >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_8 = i - 7ul;
        if (at_8 >= 64ul) return 0xFF04u; // index out of bounds
        w.at[i] = ((w.at[at_7] + s0) + w.at[at_8]) + s1;
    }
    // hashes.rs:+10
    u32 a = hash->words.at[0];
    // hashes.rs:+11
    u32 b = hash->words.at[1];
    // hashes.rs:+12
    u32 c = hash->words.at[2];
    // hashes.rs:+13
    u32 d = hash->words.at[3];
    // hashes.rs:+14
    u32 e = hash->words.at[4];
    // hashes.rs:+15
    u32 f = hash->words.at[5];
    // hashes.rs:+16
    u32 g = hash->words.at[6];
    // hashes.rs:+17
    u32 h = hash->words.at[7];
    // hashes.rs:+18
    for (u64 i = 0ul; i < 64ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+19
        u32 s1 = (rs_rotate_right_u32(e, 6u) ^ rs_rotate_right_u32(e, 11u)) ^ rs_rotate_right_u32(e, 25u);
        // hashes.rs:+20
        u32 choice = (e & f) ^ (((u32)~e) & g);
        // hashes.rs:+21
        u32 t1 = (((h + s1) + choice) + K.at[i]) + w.at[i];
        // hashes.rs:+22
        u32 s0 = (rs_rotate_right_u32(a, 2u) ^ rs_rotate_right_u32(a, 13u)) ^ rs_rotate_right_u32(a, 22u);
        // hashes.rs:+23
        u32 majority = ((a & b) ^ (a & c)) ^ (b & c);
        // hashes.rs:+24
        h = g;
        // hashes.rs:+25
        g = f;
        // hashes.rs:+26
        f = e;
        // hashes.rs:+27
        e = d + t1;
        // hashes.rs:+28
        d = c;
        // hashes.rs:+29
        c = b;
        // hashes.rs:+30
        b = a;
        // hashes.rs:+31
        a = (t1 + s0) + majority;
    }
    // hashes.rs:+33
    u32_x8 worked;
    worked.at[0] = a;
    worked.at[1] = b;
    worked.at[2] = c;
    worked.at[3] = d;
    worked.at[4] = e;
    worked.at[5] = f;
    worked.at[6] = g;
    worked.at[7] = h;
    // hashes.rs:+34
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+35
        hash->words.at[i] = hash->words.at[i] + worked.at[i];
    }
    // hashes.rs:+37
    {
        GLOBAL Hash *ann_slot = (GLOBAL Hash *)ann_outbox_next(hashes);
        if (ann_slot) *ann_slot = (*hash);
    }
    return 0u;
}

#define ANN_MESSAGE Block
#define ANN_MESSAGE_BYTES 68
#define ANN_OUTPUT Hash
#define ANN_OUTPUT_BYTES 32
#define ANN_STATE Hash
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->text)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_sha256(message, state, outbox)
