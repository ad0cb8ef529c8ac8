// The handler of kernel `page_rank`, written from crates/annulus-conformance/src/kernels/real/graphs.rs:+0 (module annulus_conformance::kernels::real::graphs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Push {
    u32 page;
    u32 rank;
} Push;
typedef char ann_size_of_Push[sizeof(Push) == 8 ? 1 : -1];

typedef struct Page {
    u32 first;
    u32 count;
} Page;
typedef char ann_size_of_Page[sizeof(Page) == 8 ? 1 : -1];

static u32 handle_page_rank(GLOBAL const Push *push, PRIVATE ann_outbox *pushes, GLOBAL const Page *pages, u64 pages_len, GLOBAL const u32 *links, u64 links_len, volatile GLOBAL u32 *ranks, u64 ranks_len, volatile GLOBAL u32 *waiting, u64 waiting_len) {
    u32 ann_budget = 16777216u;
    // graphs.rs:+8
    u64 here = (u64)push->page;
    // graphs.rs:+9
    if (here >= pages_len) return 0xFF04u; // index out of bounds
    Page page = pages[here];
    // graphs.rs:+10
    u64 start = (u64)page.first;
    if (start > links_len) return 0xFF04u; // index out of bounds
    u64 len = links_len - start;
    u64 end = (u64)page.count;
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > len) return 0xFF04u; // index out of bounds
    // graphs.rs:+11
    if (here >= waiting_len) return 0xFF04u; // index out of bounds
    u32 before;
    before = rs_atomic_fetch_add_u32(&waiting[here], push->rank, RS_RELAXED);
    // graphs.rs:+12
    if (rs_saturating_add_u32(before, push->rank) < 10000u) {
        // graphs.rs:+13
        return 0u;
    }
    // graphs.rs:+15
    if (here >= waiting_len) return 0xFF04u; // index out of bounds
    u32 rank;
    rank = rs_atomic_swap_u32(&waiting[here], 0u, RS_RELAXED);
    // graphs.rs:+16
    u64 divisor = (u64)rs_max_u64(end, 1ul);
    if (divisor == 0ul) return 0xFF05u; // division by zero
    u32 share = (u32)(((((u64)rank) * 85ul) / 100ul) / divisor);
    // graphs.rs:+17
    u32 kept = rank;
    // graphs.rs:+18
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = start + i;
        // graphs.rs:+19
        Push push_2;
        push_2.page = links[at];
        push_2.rank = share;
        {
            GLOBAL Push *ann_slot = (GLOBAL Push *)ann_outbox_next(pushes);
            if (ann_slot) *ann_slot = push_2;
        }
        // graphs.rs:+20
        kept = kept - share;
    }
    // graphs.rs:+22
    if (here >= ranks_len) return 0xFF04u; // index out of bounds
    u32 seen_3;
    seen_3 = rs_atomic_fetch_add_u32(&ranks[here], kept, RS_RELAXED);
    return 0u;
}

#define ANN_MESSAGE Push
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Push
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 8
#define ANN_BINDING_PARAMETERS , GLOBAL Page *bind_pages, u64 len_of_bind_pages, GLOBAL u32 *bind_links, u64 len_of_bind_links, volatile GLOBAL u32 *bind_ranks, u64 len_of_bind_ranks, volatile GLOBAL u32 *bind_waiting, u64 len_of_bind_waiting
#define ANN_BINDING_ENTRY , GLOBAL Page *bind_pages ANN_BUFFER, ANN_NUMBER len_of_bind_pages ANN_BUFFER, GLOBAL u32 *bind_links ANN_BUFFER, ANN_NUMBER len_of_bind_links ANN_BUFFER, volatile GLOBAL u32 *bind_ranks ANN_BUFFER, ANN_NUMBER len_of_bind_ranks ANN_BUFFER, volatile GLOBAL u32 *bind_waiting ANN_BUFFER, ANN_NUMBER len_of_bind_waiting ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_pages, len_of_bind_pages, bind_links, len_of_bind_links, bind_ranks, len_of_bind_ranks, bind_waiting, len_of_bind_waiting
#define ANN_CALL(cx, message, state, outbox) handle_page_rank(message, outbox, bind_pages, len_of_bind_pages, bind_links, len_of_bind_links, bind_ranks, len_of_bind_ranks, bind_waiting, len_of_bind_waiting)
