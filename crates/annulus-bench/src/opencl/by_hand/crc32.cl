/* CRC-32, bit by bit, as one writes it in OpenCL C. */

typedef struct { uchar len, bytes[31]; } Bytes;

static u32 handle(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *checksums)
{
    if (bytes->len > 31)
        return 1;
    uint crc = ~0u;
    for (uint i = 0; i < bytes->len; i++) {
        crc ^= bytes->bytes[i];
        for (uint bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    GLOBAL uint *checksum = (GLOBAL uint *)ann_outbox_next(checksums);
    if (checksum)
        *checksum = ~crc;
    return 0;
}

#define ANN_MESSAGE Bytes
#define ANN_OUTPUT uint
#define ANN_CALL(cx, message, state, outbox) handle(message, outbox)
