// A C compiler on the host, gcc or clang: for tests, which run a handler's text beside the Rust that it was
// written from.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef long i64;
typedef float f32;
typedef double f64;

#define GLOBAL
#define LOCAL
#define PRIVATE
#define CONSTANT static

typedef struct ann_cx {
    u32 block_index, grid_size, thread_index;
} ann_cx;

// Sends of one call, one after the other.
typedef struct ann_outbox {
    u8 *payloads;
    u64 stride;
    u32 limit, sent, refused;
} ann_outbox;

static inline GLOBAL u8 *ann_outbox_next(PRIVATE ann_outbox *outbox) {
    if (outbox->sent == outbox->limit) {
        outbox->refused = 1;
        return 0;
    }
    return outbox->payloads + outbox->stride * outbox->sent++;
}

// Prints of one call, one after the other: the number, then the arguments.
typedef struct ann_printer {
    u64 *slots;
    u64 stride;
    u32 limit, count;
} ann_printer;

static inline GLOBAL u64 *ann_print_next(PRIVATE ann_printer *printer) {
    return printer->count == printer->limit ? 0 : printer->slots + printer->stride * printer->count + 1;
}

static inline void ann_print(PRIVATE ann_printer *printer, u32 number) {
    printer->slots[printer->stride * printer->count++] = number;
}
