// The handler of kernel `convolution`, written from crates/annulus-conformance/src/kernels/real/grids.rs:+0 (module annulus_conformance::kernels::real::grids).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x8 { u8 at[8]; } u8_x8;

typedef struct u8_x8_x8 { u8_x8 at[8]; } u8_x8_x8;

typedef struct Tile {
    u8_x8_x8 pixels;
} Tile;
typedef char ann_size_of_Tile[sizeof(Tile) == 64 ? 1 : -1];

typedef struct i32_x3 { i32 at[3]; } i32_x3;

typedef struct i32_x3_x3 { i32_x3 at[3]; } i32_x3_x3;

static u32 handle_convolution(GLOBAL const Tile *tile, PRIVATE ann_outbox *tiles, GLOBAL const i32_x3_x3 *mask) {
    u32 ann_budget = 16777216u;
    // grids.rs:+1
    u8_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = 0;
    }
    u8_x8_x8 pixels;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        pixels.at[i] = items;
    }
    // grids.rs:+2
    for (u64 y = 0ul; y < 8ul; y += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // grids.rs:+3
        for (u64 x = 0ul; x < 8ul; x += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // grids.rs:+4
            i64 sum = 0l;
            // grids.rs:+5
            for (u64 dy = 0ul; dy < 3ul; dy += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // grids.rs:+6
                for (u64 dx = 0ul; dx < 3ul; dx += 1) {
                    if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                    // grids.rs:+7
                    if (1ul > 8ul) return 0xFF01u; // panicked
                    u64 at = rs_min_u64(rs_max_u64(y + dy, 1ul), 8ul) - 1ul;
                    if (at >= 8ul) return 0xFF04u; // index out of bounds
                    if (1ul > 8ul) return 0xFF01u; // panicked
                    u64 at_2 = rs_min_u64(rs_max_u64(x + dx, 1ul), 8ul) - 1ul;
                    if (at_2 >= 8ul) return 0xFF04u; // index out of bounds
                    u8 from = tile->pixels.at[at].at[at_2];
                    // grids.rs:+8
                    sum = rs_add_i64(sum, rs_mul_i64((i64)mask->at[dy].at[dx], (i64)from));
                }
            }
            // grids.rs:+11
            if (0l > 255l) return 0xFF01u; // panicked
            pixels.at[y].at[x] = (u8)rs_min_i64(rs_max_i64(sum / 256l, 0l), 255l);
        }
    }
    // grids.rs:+14
    Tile tile_2;
    tile_2.pixels = pixels;
    {
        GLOBAL Tile *ann_slot = (GLOBAL Tile *)ann_outbox_next(tiles);
        if (ann_slot) *ann_slot = tile_2;
    }
    return 0u;
}

#define ANN_MESSAGE Tile
#define ANN_MESSAGE_BYTES 64
#define ANN_OUTPUT Tile
#define ANN_OUTPUT_BYTES 64
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL i32_x3_x3 *bind_mask, u64 len_of_bind_mask
#define ANN_BINDING_ENTRY , GLOBAL i32_x3_x3 *bind_mask ANN_BUFFER, ANN_NUMBER len_of_bind_mask ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_mask, len_of_bind_mask
#define ANN_CALL(cx, message, state, outbox) handle_convolution(message, outbox, bind_mask)
