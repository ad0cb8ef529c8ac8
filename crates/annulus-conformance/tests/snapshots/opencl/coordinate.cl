// The handler of kernel `coordinate`, written from crates/annulus-conformance/src/kernels/variants.rs:+0 (module annulus_conformance::kernels::variants).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Joined {
    u16 weight;
    u16 worker;
    u16 round_;
} Joined;
typedef char ann_size_of_Joined[sizeof(Joined) == 6 ? 1 : -1];

typedef struct Finished {
    u32 result;
    u32 worker;
    u32 round_;
} Finished;
typedef char ann_size_of_Finished[sizeof(Finished) == 12 ? 1 : -1];

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef union Event {
    i16 tag; // (-2) Left, (-1) Joined, 300 Finished, 301 Worked
    struct {
        i16 ann_tag;
        u8 ann_pad0[2];
        u32 why;
        u8 worker;
        u8 ann_pad1[15];
    } Left;
    struct {
        i16 ann_tag;
        Joined field_0;
        u8 ann_pad0[16];
    } Joined;
    struct {
        i16 ann_tag;
        u8 ann_pad0[2];
        Finished it;
        u8 ann_pad1[8];
    } Finished;
    struct {
        i16 ann_tag;
        u8 ann_pad0[6];
        Item field_0;
    } Worked;
} Event;
typedef char ann_size_of_Event[sizeof(Event) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Left[sizeof(((PRIVATE Event *)0)->Left) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Joined[sizeof(((PRIVATE Event *)0)->Joined) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Finished[sizeof(((PRIVATE Event *)0)->Finished) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Worked[sizeof(((PRIVATE Event *)0)->Worked) == 24 ? 1 : -1];

typedef struct Noted {
    u32 kind;
    u32 worker;
    u64 value;
    u64 more;
    u64 nth;
} Noted;
typedef char ann_size_of_Noted[sizeof(Noted) == 32 ? 1 : -1];

typedef struct Seen {
    u64 count;
    u64 sum;
} Seen;
typedef char ann_size_of_Seen[sizeof(Seen) == 16 ? 1 : -1];

static u32 handle_coordinate(GLOBAL const Event *event, PRIVATE Seen *seen, PRIVATE ann_outbox *out) {
    // variants.rs:+1
    seen->count = seen->count + 1ul;
    // variants.rs:+2
    u64 nth = seen->count;
    // variants.rs:+3
    Noted noted;
    if (event->tag == (-2)) {
        // variants.rs:+5
        noted.kind = 0u;
        noted.worker = (u32)event->Left.worker;
        noted.value = (u64)event->Left.why;
        noted.more = 0ul;
        noted.nth = nth;
    } else if (event->tag == (-1)) {
        // variants.rs:+8
        if (event->Joined.field_0.weight == 65535) {
            // variants.rs:+9
            return 79u;
        }
        // variants.rs:+11
        noted.kind = 1u;
        noted.worker = (u32)event->Joined.field_0.worker;
        noted.value = (u64)event->Joined.field_0.round_;
        noted.more = (u64)event->Joined.field_0.weight;
        noted.nth = nth;
    } else if (event->tag == 300) {
        // variants.rs:+14
        noted.kind = 2u;
        noted.worker = event->Finished.it.worker;
        noted.value = (u64)event->Finished.it.round_;
        noted.more = (u64)event->Finished.it.result;
        noted.nth = nth;
    } else {
        // variants.rs:+17
        noted.kind = 3u;
        noted.worker = event->Worked.field_0.key;
        noted.value = event->Worked.field_0.sequence;
        noted.more = (u64)event->Worked.field_0.producer;
        noted.nth = nth;
    }
    // variants.rs:+20
    seen->sum = seen->sum + noted.value;
    // variants.rs:+21
    {
        GLOBAL Noted *ann_slot = (GLOBAL Noted *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = noted;
    }
    // variants.rs:+22
    return 0u;
}

#define ANN_MESSAGE Event
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT Noted
#define ANN_OUTPUT_BYTES 32
#define ANN_STATE Seen
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == (-2) ? (u64)(message)->Left.worker : (message)->tag == (-1) ? ((u64)(&(message)->Joined.field_0)->worker) : (message)->tag == 300 ? ((u64)(&(message)->Finished.it)->worker) : ((u64)(&(message)->Worked.field_0)->key))
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_coordinate(message, state, outbox)
