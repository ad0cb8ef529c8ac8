// The handler of kernel `conway`, written from crates/annulus-conformance/src/kernels/real/grids.rs:+0 (module annulus_conformance::kernels::real::grids).
#pragma OPENCL FP_CONTRACT OFF

typedef struct bool_x9 { u8 at[9]; } bool_x9;

typedef struct Neighbourhood {
    bool_x9 cells;
} Neighbourhood;
typedef char ann_size_of_Neighbourhood[sizeof(Neighbourhood) == 9 ? 1 : -1];

typedef struct Cell {
    u8 alive;
} Cell;
typedef char ann_size_of_Cell[sizeof(Cell) == 1 ? 1 : -1];

static u32 handle_conway(GLOBAL const Neighbourhood *neighbourhood, PRIVATE ann_outbox *cells) {
    u32 ann_budget = 16777216u;
    // grids.rs:+1
    i32 living = 0;
    // grids.rs:+2
    for (u64 i = 0ul; i < 9ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // grids.rs:+3
        if ((i != 4ul) && neighbourhood->cells.at[i]) {
            // grids.rs:+4
            living = rs_add_i32(living, 1);
        }
    }
    // grids.rs:+7
    bool alive;
    if (living == 2) {
        // grids.rs:+8
        alive = neighbourhood->cells.at[4];
    } else if (living == 3) {
        // grids.rs:+9
        alive = true;
    } else {
        // grids.rs:+10
        alive = false;
    }
    // grids.rs:+12
    Cell cell;
    cell.alive = alive;
    {
        GLOBAL Cell *ann_slot = (GLOBAL Cell *)ann_outbox_next(cells);
        if (ann_slot) *ann_slot = cell;
    }
    return 0u;
}

#define ANN_MESSAGE Neighbourhood
#define ANN_MESSAGE_BYTES 9
#define ANN_OUTPUT Cell
#define ANN_OUTPUT_BYTES 1
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_conway(message, outbox)
