// The handler of kernel `crc32`, written from crates/annulus-conformance/src/kernels/real/hashes.rs:+0 (module annulus_conformance::kernels::real::hashes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct Checksum {
    u32 value;
} Checksum;
typedef char ann_size_of_Checksum[sizeof(Checksum) == 4 ? 1 : -1];

static u32 handle_crc32(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *checksums) {
    u32 ann_budget = 16777216u;
    // hashes.rs:+2
    if (((u64)bytes->len) > 31ul) {
        // hashes.rs:+3
        return 1u;
    }
    // hashes.rs:+5
    u32 crc = (u32)~0u;
    // hashes.rs:+6
    u8 end = bytes->len;
    for (u8 i = 0; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // hashes.rs:+7
        u64 at = (u64)i;
        if (at >= 31ul) return 0xFF04u; // index out of bounds
        crc = crc ^ ((u32)bytes->bytes.at[at]);
        // hashes.rs:+8
        for (i32 i_2 = 0; i_2 < 8; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // hashes.rs:+9
            crc = ((crc & 1u) == 1u) ? ((crc >> 1u) ^ 3988292384u) : (crc >> 1u);
        }
    }
    // hashes.rs:+12
    Checksum checksum;
    checksum.value = (u32)~crc;
    {
        GLOBAL Checksum *ann_slot = (GLOBAL Checksum *)ann_outbox_next(checksums);
        if (ann_slot) *ann_slot = checksum;
    }
    // hashes.rs:+13
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Checksum
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_crc32(message, outbox)
