// The handler of kernel `sessions`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Click {
    u32 user;
    u32 time;
} Click;
typedef char ann_size_of_Click[sizeof(Click) == 8 ? 1 : -1];

typedef struct Session {
    u32 user;
    u32 first;
    u32 last;
    u32 clicks;
} Session;
typedef char ann_size_of_Session[sizeof(Session) == 16 ? 1 : -1];

static u32 handle_sessions(GLOBAL const Click *click, PRIVATE Session *open, PRIVATE ann_outbox *ended, GLOBAL const u32 *gap) {
    // series.rs:+1
    u32 user = click->user;
    u32 time = click->time;
    // series.rs:+2
    bool late = rs_saturating_sub_u32(time, open->last) > (*gap);
    // series.rs:+3
    if ((open->clicks == 0u) || late) {
        // series.rs:+4
        if (open->clicks > 0u) {
            // series.rs:+5
            {
                GLOBAL Session *ann_slot = (GLOBAL Session *)ann_outbox_next(ended);
                if (ann_slot) *ann_slot = (*open);
            }
        }
        // series.rs:+7
        Session session;
        session.user = user;
        session.first = time;
        session.last = time;
        session.clicks = 1u;
        (*open) = session;
        // series.rs:+8
        return 0u;
    }
    // series.rs:+10
    open->last = rs_max_u32(open->last, time);
    // series.rs:+11
    open->first = rs_min_u32(open->first, time);
    // series.rs:+12
    open->clicks = rs_saturating_add_u32(open->clicks, 1u);
    return 0u;
}

#define ANN_MESSAGE Click
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Session
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE Session
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->user)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_gap, u64 len_of_bind_gap
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_gap ANN_BUFFER, ANN_NUMBER len_of_bind_gap ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_gap, len_of_bind_gap
#define ANN_CALL(cx, message, state, outbox) handle_sessions(message, state, outbox, bind_gap)
