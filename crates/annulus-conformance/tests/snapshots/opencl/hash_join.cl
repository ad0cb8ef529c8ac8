// The handler of kernel `hash_join`, written from crates/annulus-conformance/src/kernels/real/graphs.rs:+0 (module annulus_conformance::kernels::real::graphs).
#pragma OPENCL FP_CONTRACT OFF

typedef union Row {
    u32 tag; // 0u Left, 1u Right
    struct {
        u32 ann_tag;
        u32 key;
        u32 value;
    } Left;
    struct {
        u32 ann_tag;
        u32 key;
        u32 value;
    } Right;
} Row;
typedef char ann_size_of_Row[sizeof(Row) == 12 ? 1 : -1];
typedef char ann_size_of_Row_Left[sizeof(((PRIVATE Row *)0)->Left) == 12 ? 1 : -1];
typedef char ann_size_of_Row_Right[sizeof(((PRIVATE Row *)0)->Right) == 12 ? 1 : -1];

typedef struct Joined {
    u32 key;
    u32 left;
    u32 right;
} Joined;
typedef char ann_size_of_Joined[sizeof(Joined) == 12 ? 1 : -1];

typedef struct Entry {
    u32 key;
    u32 value;
    u8 taken;
    u8 ann_pad0[3];
} Entry;
typedef char ann_size_of_Entry[sizeof(Entry) == 12 ? 1 : -1];

static u32 handle_hash_join(GLOBAL const Row *row, PRIVATE ann_outbox *joined, GLOBAL Entry *table, u64 table_len) {
    u32 ann_budget = 16777216u;
    // graphs.rs:+1
    u32 key;
    if (row->tag == 0u) {
        // graphs.rs:+2
        u32 key_2 = row->Left.key;
        key = key_2;
    } else {
        // graphs.rs:+3
        u32 key_2 = row->Right.key;
        key = key_2;
    }
    // graphs.rs:+5
    u64 start = (u64)(key * 2654435769u);
    // graphs.rs:+6
    for (u64 i = 0ul; i < table_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // graphs.rs:+7
        if (table_len == 0ul) return 0xFF05u; // division by zero
        u64 at = (start + i) % table_len;
        if (at >= table_len) return 0xFF04u; // index out of bounds
        // graphs.rs:+8
        if ((row->tag == 0u) && (!table[at].taken)) {
            // graphs.rs:+9
            u32 value = row->Left.value;
            // graphs.rs:+10
            Entry entry;
            entry.key = key;
            entry.value = value;
            entry.taken = true;
            table[at] = entry;
            // graphs.rs:+11
            return 0u;
        } else if ((row->tag == 1u) && (!table[at].taken)) {
            // graphs.rs:+13
            return 0u;
        } else if ((row->tag == 1u) && (table[at].key == key)) {
            // graphs.rs:+14
            u32 value = row->Right.value;
            // graphs.rs:+15
            Joined joined_2;
            joined_2.key = key;
            joined_2.left = table[at].value;
            joined_2.right = value;
            {
                GLOBAL Joined *ann_slot = (GLOBAL Joined *)ann_outbox_next(joined);
                if (ann_slot) *ann_slot = joined_2;
            }
        } else {
        }
    }
    // graphs.rs:+20
    u32 chosen;
    if (row->tag == 0u) {
        // graphs.rs:+21
        chosen = 150u;
    } else {
        // graphs.rs:+22
        chosen = 0u;
    }
    return chosen;
}

#define ANN_MESSAGE Row
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Joined
#define ANN_OUTPUT_BYTES 12
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 16
#define ANN_BINDING_PARAMETERS , GLOBAL Entry *bind_table, u64 len_of_bind_table
#define ANN_BINDING_ENTRY , GLOBAL Entry *bind_table ANN_BUFFER, ANN_NUMBER len_of_bind_table ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_table, len_of_bind_table
#define ANN_CALL(cx, message, state, outbox) handle_hash_join(message, outbox, bind_table, len_of_bind_table)
