// The handler of kernel `audit`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct u64_x4 { u64 at[4]; } u64_x4;

typedef struct Account {
    u64_x4 received;
    u64 checksum;
    u64 misordered;
    u64 gaps;
} Account;
typedef char ann_size_of_Account[sizeof(Account) == 56 ? 1 : -1];

typedef struct Ledger {
    u64_x4 received;
    u64_x4 last;
    u64 checksum;
    u64 misordered;
    u64 gaps;
} Ledger;
typedef char ann_size_of_Ledger[sizeof(Ledger) == 88 ? 1 : -1];

static u32 handle_audit(GLOBAL const Item *item, PRIVATE Ledger *ledger, PRIVATE ann_outbox *replies, GLOBAL const u64 *step_) {
    // kernels.rs:+1
    if (item->producer == 4294967295u) {
        // kernels.rs:+2
        Account account;
        account.received = ledger->received;
        account.checksum = ledger->checksum;
        account.misordered = ledger->misordered;
        account.gaps = ledger->gaps;
        {
            GLOBAL Account *ann_slot = (GLOBAL Account *)ann_outbox_next(replies);
            if (ann_slot) *ann_slot = account;
        }
        // kernels.rs:+8
        return 0u;
    }
    // kernels.rs:+10
    u64 producer = (u64)item->producer;
    // kernels.rs:+11
    if (producer >= 4ul) return 0xFF04u; // index out of bounds
    bool first = ledger->received.at[producer] == 0ul;
    // kernels.rs:+12
    bool both = !first;
    if (both) {
        if (producer >= 4ul) return 0xFF04u; // index out of bounds
        both = item->sequence <= ledger->last.at[producer];
    }
    if (both) {
        // kernels.rs:+13
        ledger->misordered = ledger->misordered + 1ul;
    }
    // kernels.rs:+15
    u64 expected;
    if (first) {
        expected = (u64)item->key;
    } else {
        if (producer >= 4ul) return 0xFF04u; // index out of bounds
        expected = ledger->last.at[producer] + (*step_);
    }
    // kernels.rs:+16
    if (item->sequence != expected) {
        // kernels.rs:+17
        ledger->gaps = ledger->gaps + 1ul;
    }
    // kernels.rs:+19
    if (producer >= 4ul) return 0xFF04u; // index out of bounds
    ledger->last.at[producer] = item->sequence;
    // kernels.rs:+20
    if (producer >= 4ul) return 0xFF04u; // index out of bounds
    ledger->received.at[producer] = ledger->received.at[producer] + 1ul;
    // kernels.rs:+22
    u64 mixed = item->sequence ^ (((u64)item->producer) << 56u);
    // kernels.rs:+23
    u64 mixed_2 = (mixed ^ (mixed >> 30u)) * 13787848793156543929ul;
    // kernels.rs:+24
    u64 mixed_3 = (mixed_2 ^ (mixed_2 >> 27u)) * 10723151780598845931ul;
    // kernels.rs:+25
    ledger->checksum = ledger->checksum + (mixed_3 ^ (mixed_3 >> 31u));
    return 0u;
}

#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Account
#define ANN_OUTPUT_BYTES 56
#define ANN_STATE Ledger
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u64 *bind_step, u64 len_of_bind_step
#define ANN_BINDING_ENTRY , GLOBAL u64 *bind_step ANN_BUFFER, ANN_NUMBER len_of_bind_step ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_step, len_of_bind_step
#define ANN_CALL(cx, message, state, outbox) handle_audit(message, state, outbox, bind_step)
