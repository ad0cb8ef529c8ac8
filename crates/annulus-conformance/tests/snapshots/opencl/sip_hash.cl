// The handler of kernel `sip_hash`, written from crates/annulus-conformance/src/kernels/real/hashes.rs:+0 (module annulus_conformance::kernels::real::hashes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct Digest {
    u64 value;
} Digest;
typedef char ann_size_of_Digest[sizeof(Digest) == 8 ? 1 : -1];

typedef struct u64_x2 { u64 at[2]; } u64_x2;

typedef struct u64_x4 { u64 at[4]; } u64_x4;

typedef struct Sip {
    u64_x4 v;
} Sip;
typedef char ann_size_of_Sip[sizeof(Sip) == 32 ? 1 : -1];

// hashes.rs:-42: Sip::of
static Sip fn_Sip_of(u64_x2 argument) {
    u64 low = argument.at[0];
    u64 high = argument.at[1];
    // hashes.rs:-41
    u64_x4 v;
    v.at[0] = low ^ 8317987319222330741ul;
    v.at[1] = high ^ 7237128888997146477ul;
    v.at[2] = low ^ 7816392313619706465ul;
    v.at[3] = high ^ 8387220255154660723ul;
    // hashes.rs:-35
    Sip sip;
    sip.v = v;
    return sip;
}

// hashes.rs:-32: Sip::rounds
static u32 fn_Sip_rounds(PRIVATE Sip *self, u32 count, PRIVATE u32 *ann_budget) {
    // hashes.rs:-31
    u64 a = self->v.at[0];
    u64 b = self->v.at[1];
    u64 c = self->v.at[2];
    u64 d = self->v.at[3];
    // hashes.rs:-30
    for (u32 i = 0u; i < count; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:-29
        a = a + b;
        // hashes.rs:-28
        b = rs_rotate_left_u64(b, 13u) ^ a;
        // hashes.rs:-27
        a = rs_rotate_left_u64(a, 32u);
        // hashes.rs:-26
        c = c + d;
        // hashes.rs:-25
        d = rs_rotate_left_u64(d, 16u) ^ c;
        // hashes.rs:-24
        a = a + d;
        // hashes.rs:-23
        d = rs_rotate_left_u64(d, 21u) ^ a;
        // hashes.rs:-22
        c = c + b;
        // hashes.rs:-21
        b = rs_rotate_left_u64(b, 17u) ^ c;
        // hashes.rs:-20
        c = rs_rotate_left_u64(c, 32u);
    }
    // hashes.rs:-18
    u64_x4 items;
    items.at[0] = a;
    items.at[1] = b;
    items.at[2] = c;
    items.at[3] = d;
    self->v = items;
    return 0u;
}

// hashes.rs:-15: Sip::take
static u32 fn_Sip_take(PRIVATE Sip *self, u64 word, PRIVATE u32 *ann_budget) {
    // hashes.rs:-14
    self->v.at[3] = self->v.at[3] ^ word;
    // hashes.rs:-13
    RS_TRY(fn_Sip_rounds(self, 2u, ann_budget));
    // hashes.rs:-12
    self->v.at[0] = self->v.at[0] ^ word;
    return 0u;
}

// hashes.rs:-9: Sip::finish
static u32 fn_Sip_finish(Sip self, PRIVATE u64 *ann_result, PRIVATE u32 *ann_budget) {
    // hashes.rs:-8
    self.v.at[2] = self.v.at[2] ^ 255ul;
    // hashes.rs:-7
    RS_TRY(fn_Sip_rounds(&self, 4u, ann_budget));
    // hashes.rs:-6
    *ann_result = ((self.v.at[0] ^ self.v.at[1]) ^ self.v.at[2]) ^ self.v.at[3];
    return 0u;
}

static u32 handle_sip_hash(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *digests, GLOBAL const u64_x2 *key) {
    u32 ann_budget = 16777216u;
    // hashes.rs:+1
    u64 end = (u64)bytes->len;
    bool there = (0ul <= end) && (end <= 31ul);
    if (!there) {
        return 1u;
    }
    // hashes.rs:+2
    Sip sip = fn_Sip_of((*key));
    // hashes.rs:+3
    u64 word = 0ul;
    // hashes.rs:+4
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+5
        word = word | rs_shl_u64((u64)bytes->bytes.at[i], (u32)(8ul * (i % 8ul)));
        // hashes.rs:+6
        if ((i % 8ul) == 7ul) {
            // hashes.rs:+7
            RS_TRY(fn_Sip_take(&sip, word, &ann_budget));
            // hashes.rs:+8
            word = 0ul;
        }
    }
    // hashes.rs:+11
    RS_TRY(fn_Sip_take(&sip, word | (((u64)bytes->len) << 56u), &ann_budget));
    // hashes.rs:+12
    u64 finish;
    RS_TRY(fn_Sip_finish(sip, &finish, &ann_budget));
    Digest digest;
    digest.value = finish;
    {
        GLOBAL Digest *ann_slot = (GLOBAL Digest *)ann_outbox_next(digests);
        if (ann_slot) *ann_slot = digest;
    }
    // hashes.rs:+13
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Digest
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u64_x2 *bind_key, u64 len_of_bind_key
#define ANN_BINDING_ENTRY , GLOBAL u64_x2 *bind_key ANN_BUFFER, ANN_NUMBER len_of_bind_key ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_key, len_of_bind_key
#define ANN_CALL(cx, message, state, outbox) handle_sip_hash(message, outbox, bind_key)
