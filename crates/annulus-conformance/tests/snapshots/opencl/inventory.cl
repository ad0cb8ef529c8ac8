// The handler of kernel `inventory`, written from crates/annulus-conformance/src/kernels/real/business.rs:+0 (module annulus_conformance::kernels::real::business).
#pragma OPENCL FP_CONTRACT OFF

typedef union Movement {
    u32 tag; // 0u Deliver, 1u Reserve, 2u Release, 3u Ship
    struct {
        u32 ann_tag;
        u32 article;
        u32 pieces;
    } Deliver;
    struct {
        u32 ann_tag;
        u32 article;
        u32 pieces;
    } Reserve;
    struct {
        u32 ann_tag;
        u32 article;
        u32 pieces;
    } Release;
    struct {
        u32 ann_tag;
        u32 article;
        u32 pieces;
    } Ship;
} Movement;
typedef char ann_size_of_Movement[sizeof(Movement) == 12 ? 1 : -1];
typedef char ann_size_of_Movement_Deliver[sizeof(((PRIVATE Movement *)0)->Deliver) == 12 ? 1 : -1];
typedef char ann_size_of_Movement_Reserve[sizeof(((PRIVATE Movement *)0)->Reserve) == 12 ? 1 : -1];
typedef char ann_size_of_Movement_Release[sizeof(((PRIVATE Movement *)0)->Release) == 12 ? 1 : -1];
typedef char ann_size_of_Movement_Ship[sizeof(((PRIVATE Movement *)0)->Ship) == 12 ? 1 : -1];

typedef struct Stock {
    u32 there;
    u32 reserved;
} Stock;
typedef char ann_size_of_Stock[sizeof(Stock) == 8 ? 1 : -1];

static u32 handle_inventory(GLOBAL const Movement *movement, PRIVATE Stock *stock, PRIVATE ann_outbox *stocks) {
    // business.rs:+1
    if (movement->tag == 0u) {
        // business.rs:+2
        u32 pieces = movement->Deliver.pieces;
        // business.rs:+3
        u32 operand = stock->there;
        if (rs_overflows_add_u32(operand, pieces)) {
            return 135u;
        }
        stock->there = operand + pieces;
    } else if (movement->tag == 1u) {
        // business.rs:+5
        u32 pieces = movement->Reserve.pieces;
        // business.rs:+6
        if (pieces > rs_saturating_sub_u32(stock->there, stock->reserved)) {
            // business.rs:+7
            return 133u;
        }
        // business.rs:+9
        stock->reserved = stock->reserved + pieces;
    } else if (movement->tag == 2u) {
        // business.rs:+11
        u32 pieces = movement->Release.pieces;
        // business.rs:+12
        u32 operand = stock->reserved;
        if (rs_overflows_sub_u32(operand, pieces)) {
            return 134u;
        }
        stock->reserved = operand - pieces;
    } else {
        // business.rs:+14
        u32 pieces = movement->Ship.pieces;
        // business.rs:+15
        u32 operand = stock->reserved;
        if (rs_overflows_sub_u32(operand, pieces)) {
            return 134u;
        }
        stock->reserved = operand - pieces;
        // business.rs:+16
        u32 operand_2 = stock->there;
        if (rs_overflows_sub_u32(operand_2, pieces)) {
            return 133u;
        }
        stock->there = operand_2 - pieces;
    }
    // business.rs:+19
    {
        GLOBAL Stock *ann_slot = (GLOBAL Stock *)ann_outbox_next(stocks);
        if (ann_slot) *ann_slot = (*stock);
    }
    // business.rs:+20
    return 0u;
}

#define ANN_MESSAGE Movement
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Stock
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Stock
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? (u64)(message)->Deliver.article : (message)->tag == 1u ? (u64)(message)->Reserve.article : (message)->tag == 2u ? (u64)(message)->Release.article : (u64)(message)->Ship.article)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_inventory(message, state, outbox)
