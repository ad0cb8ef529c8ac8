// The handler of kernel `transfer`, written from crates/annulus-conformance/src/kernels/real/business.rs:+0 (module annulus_conformance::kernels::real::business).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Transfer {
    u16 from;
    u16 to;
    u32 cents;
} Transfer;
typedef char ann_size_of_Transfer[sizeof(Transfer) == 8 ? 1 : -1];

typedef struct Balances {
    i64 from;
    i64 to;
} Balances;
typedef char ann_size_of_Balances[sizeof(Balances) == 16 ? 1 : -1];

static u32 handle_transfer(GLOBAL const Transfer *order, PRIVATE ann_outbox *balances, GLOBAL i64 *accounts, u64 accounts_len) {
    // business.rs:+1
    if (order->cents == 0u) {
        // business.rs:+2
        return 132u;
    }
    // business.rs:+4
    u64 from = (u64)order->from;
    u64 to = (u64)order->to;
    // business.rs:+5
    bool there = from < accounts_len;
    bool there_2 = to < accounts_len;
    if (!(there && there_2)) {
        // business.rs:+6
        return 130u;
    }
    i64 rich = accounts[from];
    i64 poor = accounts[to];
    // business.rs:+8
    if (from == to) {
        // business.rs:+9
        return 130u;
    }
    // business.rs:+11
    i64 operand = (i64)order->cents;
    if (rs_overflows_sub_i64(rich, operand)) {
        return 131u;
    }
    i64 left = rs_sub_i64(rich, operand);
    // business.rs:+12
    i64 operand_2 = (i64)order->cents;
    if (rs_overflows_add_i64(poor, operand_2)) {
        return 131u;
    }
    i64 received = rs_add_i64(poor, operand_2);
    // business.rs:+13
    if (left < 0l) {
        // business.rs:+14
        return 131u;
    }
    // business.rs:+16
    if (from >= accounts_len) return 0xFF04u; // index out of bounds
    accounts[from] = left;
    // business.rs:+17
    if (to >= accounts_len) return 0xFF04u; // index out of bounds
    accounts[to] = received;
    // business.rs:+18
    Balances balances_2;
    balances_2.from = left;
    balances_2.to = received;
    {
        GLOBAL Balances *ann_slot = (GLOBAL Balances *)ann_outbox_next(balances);
        if (ann_slot) *ann_slot = balances_2;
    }
    // business.rs:+19
    return 0u;
}

#define ANN_MESSAGE Transfer
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Balances
#define ANN_OUTPUT_BYTES 16
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL i64 *bind_accounts, u64 len_of_bind_accounts
#define ANN_BINDING_ENTRY , GLOBAL i64 *bind_accounts ANN_BUFFER, ANN_NUMBER len_of_bind_accounts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_accounts, len_of_bind_accounts
#define ANN_CALL(cx, message, state, outbox) handle_transfer(message, outbox, bind_accounts, len_of_bind_accounts)
