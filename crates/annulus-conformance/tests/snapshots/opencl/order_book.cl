// The handler of kernel `order_book`, written from crates/annulus-conformance/src/kernels/real/markets.rs:+0 (module annulus_conformance::kernels::real::markets).
#pragma OPENCL FP_CONTRACT OFF

typedef union Order {
    u32 tag; // 0u Buy, 1u Sell, 2u Clear
    struct {
        u32 ann_tag;
        u32 share;
        u32 price;
        u32 amount;
    } Buy;
    struct {
        u32 ann_tag;
        u32 share;
        u32 price;
        u32 amount;
    } Sell;
    struct {
        u32 ann_tag;
        u32 share;
        u8 ann_pad0[8];
    } Clear;
} Order;
typedef char ann_size_of_Order[sizeof(Order) == 16 ? 1 : -1];
typedef char ann_size_of_Order_Buy[sizeof(((PRIVATE Order *)0)->Buy) == 16 ? 1 : -1];
typedef char ann_size_of_Order_Sell[sizeof(((PRIVATE Order *)0)->Sell) == 16 ? 1 : -1];
typedef char ann_size_of_Order_Clear[sizeof(((PRIVATE Order *)0)->Clear) == 16 ? 1 : -1];

typedef struct Trade {
    u32 price;
    u32 amount;
} Trade;
typedef char ann_size_of_Trade[sizeof(Trade) == 8 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Book {
    u32_x8 prices;
    u32_x8 amounts;
} Book;
typedef char ann_size_of_Book[sizeof(Book) == 64 ? 1 : -1];

static u32 handle_order_book(GLOBAL const Order *order, PRIVATE Book *book, PRIVATE ann_outbox *trades) {
    u32 ann_budget = 16777216u;
    // markets.rs:+1
    if (order->tag == 0u) {
        // markets.rs:+2
        u32 price = order->Buy.price;
        u32 amount = order->Buy.amount;
        // markets.rs:+3
        u32 wanted = amount;
        // markets.rs:+4
        for (;;) {
            if (wanted <= 0u) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // markets.rs:+5
            u64 best = 8ul;
            // markets.rs:+6
            for (u64 i = 0ul; i < 8ul; i += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // markets.rs:+7
                bool offered = (book->amounts.at[i] > 0u) && (book->prices.at[i] <= price);
                // markets.rs:+8
                bool both = offered;
                if (both) {
                    both = best == 8ul;
                    if (!both) {
                        if (best >= 8ul) return 0xFF04u; // index out of bounds
                        both = book->prices.at[i] < book->prices.at[best];
                    }
                }
                if (both) {
                    // markets.rs:+9
                    best = i;
                }
            }
            // markets.rs:+12
            if (best == 8ul) {
                // markets.rs:+13
                break;
            }
            // markets.rs:+15
            if (best >= 8ul) return 0xFF04u; // index out of bounds
            u32 taken = rs_min_u32(wanted, book->amounts.at[best]);
            // markets.rs:+16
            if (best >= 8ul) return 0xFF04u; // index out of bounds
            book->amounts.at[best] = book->amounts.at[best] - taken;
            // markets.rs:+17
            wanted = wanted - taken;
            // markets.rs:+18
            if (best >= 8ul) return 0xFF04u; // index out of bounds
            Trade trade;
            trade.price = book->prices.at[best];
            trade.amount = taken;
            {
                GLOBAL Trade *ann_slot = (GLOBAL Trade *)ann_outbox_next(trades);
                if (ann_slot) *ann_slot = trade;
            }
        }
    } else if (order->tag == 1u) {
        // markets.rs:+21
        u32 price = order->Sell.price;
        u32 amount = order->Sell.amount;
        // markets.rs:+22
        u64 place = 0ul;
        // markets.rs:+23
        for (;;) {
            if (place >= 8ul) return 0xFF04u; // index out of bounds
            if (book->amounts.at[place] == 0u) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // markets.rs:+24
            place = place + 1ul;
            // markets.rs:+25
            if (place == 8ul) {
                // markets.rs:+26
                return 100u;
            }
        }
        // markets.rs:+29
        if (place >= 8ul) return 0xFF04u; // index out of bounds
        book->prices.at[place] = price;
        // markets.rs:+30
        if (place >= 8ul) return 0xFF04u; // index out of bounds
        book->amounts.at[place] = amount;
    } else {
        // markets.rs:+32
        u32_x8 items;
        for (u64 i = 0ul; i < 8ul; i += 1) {
            items.at[i] = 0u;
        }
        u32_x8 items_2;
        for (u64 i = 0ul; i < 8ul; i += 1) {
            items_2.at[i] = 0u;
        }
        Book book_2;
        book_2.prices = items;
        book_2.amounts = items_2;
        (*book) = book_2;
    }
    // markets.rs:+34
    return 0u;
}

#define ANN_MESSAGE Order
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Trade
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Book
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? (u64)(message)->Buy.share : (message)->tag == 1u ? (u64)(message)->Sell.share : (u64)(message)->Clear.share)
#define ANN_MAX_OUTPUTS 8
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_order_book(message, state, outbox)
