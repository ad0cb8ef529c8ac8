// The handler of kernel `sobel`, written from crates/annulus-conformance/src/kernels/real/grids.rs:+0 (module annulus_conformance::kernels::real::grids).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x8 { u8 at[8]; } u8_x8;

typedef struct u8_x8_x8 { u8_x8 at[8]; } u8_x8_x8;

typedef struct Tile {
    u8_x8_x8 pixels;
} Tile;
typedef char ann_size_of_Tile[sizeof(Tile) == 64 ? 1 : -1];

typedef struct i32_x3 { i32 at[3]; } i32_x3;

CONSTANT const i32_x3 WEIGHTS = { { 1, 2, 1 } };

static u32 handle_sobel(GLOBAL const Tile *tile, PRIVATE ann_outbox *slopes) {
    u32 ann_budget = 16777216u;
    // grids.rs:+2
    u8_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = 0;
    }
    u8_x8_x8 items_2;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items_2.at[i] = items;
    }
    Tile slope;
    slope.pixels = items_2;
    // grids.rs:+3
    for (u64 y = 1ul; y < 7ul; y += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // grids.rs:+4
        for (u64 x = 1ul; x < 7ul; x += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // grids.rs:+5
            i32 across = 0;
            i32 down = 0;
            // grids.rs:+6
            for (u64 i = 0ul; i < 3ul; i += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // grids.rs:+7
                u64 at = (y + i) - 1ul;
                if (at >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_2 = x + 1ul;
                if (at_2 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_3 = (y + i) - 1ul;
                if (at_3 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_4 = x - 1ul;
                if (at_4 >= 8ul) return 0xFF04u; // index out of bounds
                across = rs_add_i32(across, rs_mul_i32(WEIGHTS.at[i], rs_sub_i32((i32)tile->pixels.at[at].at[at_2], (i32)tile->pixels.at[at_3].at[at_4])));
                // grids.rs:+9
                u64 at_5 = y + 1ul;
                if (at_5 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_6 = (x + i) - 1ul;
                if (at_6 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_7 = y - 1ul;
                if (at_7 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_8 = (x + i) - 1ul;
                if (at_8 >= 8ul) return 0xFF04u; // index out of bounds
                down = rs_add_i32(down, rs_mul_i32(WEIGHTS.at[i], rs_sub_i32((i32)tile->pixels.at[at_5].at[at_6], (i32)tile->pixels.at[at_7].at[at_8])));
            }
            // grids.rs:+12
            slope.pixels.at[y].at[x] = (u8)rs_min_i32(rs_add_i32(rs_abs_i32(across), rs_abs_i32(down)) / 8, 255);
        }
    }
    // grids.rs:+15
    {
        GLOBAL Tile *ann_slot = (GLOBAL Tile *)ann_outbox_next(slopes);
        if (ann_slot) *ann_slot = slope;
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
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_sobel(message, outbox)
