// The handler of kernel `toil`, written from crates/annulus-conformance/src/kernels/balance.rs:+0 (module annulus_conformance::kernels::balance).
#pragma OPENCL FP_CONTRACT OFF

/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}

/* A message of a block to itself, or the place of one. The heap of those that wait is in front; what is behind it
   names the places that are free. */
typedef struct {
    u64 due; /* on the runtime's clock */
    u32 number; /* in the order in which timers were set, wrapping */
    u32 place;
} ann_timer;

/* Where the timers go that a call sets. */
typedef struct {
    GLOBAL ann_timer *next; /* those that it sets, with the places of their messages */
    GLOBAL u8 *first; /* the message in place 0, */
    u64 stride;       /* and the distance to the next */
    u64 now;
    u32 limit;
    u32 set;
    u32 refused;
} ann_later;

/* Where the message of the next timer goes; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_later_next(PRIVATE ann_later *later, u64 nanos)
{
    if (later->set >= later->limit) {
        later->refused = 1;
        return 0;
    }
    GLOBAL ann_timer *timer = later->next + later->set;
    later->set += 1;
    u64 due = later->now + nanos;
    timer->due = due < nanos ? 0xFFFFFFFFFFFFFFFFul : due;
    return later->first + timer->place * later->stride;
}

typedef struct Job {
    u32 number;
    u32 nanos;
} Job;
typedef char ann_size_of_Job[sizeof(Job) == 8 ? 1 : -1];

typedef struct Order {
    u32 worker;
    u32 to;
    u32 count;
} Order;
typedef char ann_size_of_Order[sizeof(Order) == 12 ? 1 : -1];

typedef struct Job_x10 { Job at[10]; } Job_x10;

typedef struct List {
    u32 len;
    Job_x10 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 84 ? 1 : -1];

typedef struct Handed {
    u32 worker;
    u32 from;
    u32 count;
    u8 is_answer;
    u8 ann_pad0[3];
    List jobs;
} Handed;
typedef char ann_size_of_Handed[sizeof(Handed) == 100 ? 1 : -1];

typedef union Task {
    u32 tag; // 0u Job, 1u Open, 2u Done, 3u Order, 4u Handed
    struct {
        u32 ann_tag;
        u32 worker;
        Job job;
        u8 ann_pad0[88];
    } Job;
    struct {
        u32 ann_tag;
        u32 worker;
        u8 ann_pad0[96];
    } Open;
    struct {
        u32 ann_tag;
        u32 worker;
        u8 ann_pad0[96];
    } Done;
    struct {
        u32 ann_tag;
        Order field_0;
        u8 ann_pad0[88];
    } Order;
    struct {
        u32 ann_tag;
        Handed field_0;
    } Handed;
} Task;
typedef char ann_size_of_Task[sizeof(Task) == 104 ? 1 : -1];
typedef char ann_size_of_Task_Job[sizeof(((PRIVATE Task *)0)->Job) == 104 ? 1 : -1];
typedef char ann_size_of_Task_Open[sizeof(((PRIVATE Task *)0)->Open) == 104 ? 1 : -1];
typedef char ann_size_of_Task_Done[sizeof(((PRIVATE Task *)0)->Done) == 104 ? 1 : -1];
typedef char ann_size_of_Task_Order[sizeof(((PRIVATE Task *)0)->Order) == 104 ? 1 : -1];
typedef char ann_size_of_Task_Handed[sizeof(((PRIVATE Task *)0)->Handed) == 104 ? 1 : -1];

typedef struct Finished {
    u32 worker;
    u32 number;
} Finished;
typedef char ann_size_of_Finished[sizeof(Finished) == 8 ? 1 : -1];

typedef struct Beat {
    u32 worker;
    u32 depth;
    u32 gave;
    u32 took;
} Beat;
typedef char ann_size_of_Beat[sizeof(Beat) == 16 ? 1 : -1];

typedef union outputs_of_toil {
    u64 tag; // 0ul finished, 1ul beats, 2ul handed
    struct {
        u64 ann_tag;
        Finished field_0;
        u8 ann_pad0[96];
    } finished;
    struct {
        u64 ann_tag;
        Beat field_0;
        u8 ann_pad0[88];
    } beats;
    struct {
        u64 ann_tag;
        Handed field_0;
        u8 ann_pad0[4];
    } handed;
} outputs_of_toil;
typedef char ann_size_of_outputs_of_toil[sizeof(outputs_of_toil) == 112 ? 1 : -1];
typedef char ann_size_of_outputs_of_toil_finished[sizeof(((PRIVATE outputs_of_toil *)0)->finished) == 112 ? 1 : -1];
typedef char ann_size_of_outputs_of_toil_beats[sizeof(((PRIVATE outputs_of_toil *)0)->beats) == 112 ? 1 : -1];
typedef char ann_size_of_outputs_of_toil_handed[sizeof(((PRIVATE outputs_of_toil *)0)->handed) == 112 ? 1 : -1];

typedef struct Job_x64 { Job at[64]; } Job_x64;

typedef struct Worker {
    u8 is_open;
    u8 is_busy;
    u8 ann_pad0[2];
    Job doing;
    u32 first;
    u32 depth;
    Job_x64 jobs;
    u32 lent;
    u32 gave;
    u32 took;
    u32 finished;
    u32 kept;
} Worker;
typedef char ann_size_of_Worker[sizeof(Worker) == 552 ? 1 : -1];

CONSTANT const List List_2 = { .len = 0u, .items = { { { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u }, { .number = 0u, .nanos = 0u } } } };

// balance.rs:-34: Worker::has_room
static bool fn_Worker_has_room(PRIVATE const Worker *self) {
    // balance.rs:-33
    return (self->depth + self->lent) < 64u;
}

// balance.rs:-29: Worker::push
static u32 fn_Worker_push(PRIVATE Worker *self, Job job) {
    // balance.rs:-28
    u64 at = ((u64)(self->first + self->depth)) % 64ul;
    if (at >= 64ul) return 0xFF04u; // index out of bounds
    self->jobs.at[at] = job;
    // balance.rs:-27
    self->depth = self->depth + 1u;
    return 0u;
}

// balance.rs:-15: Worker::lend
static u32 fn_Worker_lend(PRIVATE Worker *self, u32 count, PRIVATE List *ann_result, PRIVATE u32 *ann_budget) {
    // balance.rs:-14
    u32 count_2 = rs_min_u32(rs_min_u32(count, self->depth), 10u);
    // balance.rs:-13
    self->depth = self->depth - count_2;
    // balance.rs:-12
    self->lent = self->lent + count_2;
    // balance.rs:-11
    List jobs = List_2;
    // balance.rs:-10
    for (u32 at = 0u; at < count_2; at += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // balance.rs:-9
        u64 at_2 = ((u64)((self->first + self->depth) + at)) % 64ul;
        if (at_2 >= 64ul) return 0xFF04u; // index out of bounds
        u64 at_3 = (u64)at;
        if (at_3 >= 10ul) return 0xFF04u; // index out of bounds
        jobs.items.at[at_3] = self->jobs.at[at_2];
    }
    // balance.rs:-7
    jobs.len = count_2;
    // balance.rs:-6
    *ann_result = jobs;
    return 0u;
}

// balance.rs:-23: Worker::pop
static u32 fn_Worker_pop(PRIVATE Worker *self, PRIVATE Job *ann_result) {
    // balance.rs:-22
    u64 at = (u64)self->first;
    if (at >= 64ul) return 0xFF04u; // index out of bounds
    Job job = self->jobs.at[at];
    // balance.rs:-21
    self->first = (self->first + 1u) % 64u;
    // balance.rs:-20
    self->depth = self->depth - 1u;
    // balance.rs:-19
    *ann_result = job;
    return 0u;
}

static u32 handle_toil(GLOBAL const Task *task, PRIVATE Worker *me, PRIVATE ann_outbox *outbox, PRIVATE ann_later *later) {
    u32 ann_budget = 16777216u;
    u32 ann_sent[3] = { 0u, 0u, 0u };
    // balance.rs:+8
    u32 worker;
    // balance.rs:+9
    if (task->tag == 0u) {
        // balance.rs:+11
        worker = task->Job.worker;
        // balance.rs:+12
        bool has_room = fn_Worker_has_room(me);
        if (!has_room) {
            // balance.rs:+13
            return 1u;
        }
        // balance.rs:+15
        RS_TRY(fn_Worker_push(me, task->Job.job));
    } else if (task->tag == 1u) {
        // balance.rs:+18
        worker = task->Open.worker;
        // balance.rs:+19
        me->is_open = true;
    } else if (task->tag == 2u) {
        // balance.rs:+22
        worker = task->Done.worker;
        // balance.rs:+23
        Finished finished;
        finished.worker = worker;
        finished.number = me->doing.number;
        {
            GLOBAL outputs_of_toil *ann_slot = (GLOBAL outputs_of_toil *)ann_port_next(outbox, ann_sent, 0u, 1u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->finished.field_0 = finished;
            }
        }
        // balance.rs:+24
        me->is_busy = false;
        // balance.rs:+25
        me->finished = me->finished + 1u;
    } else if (task->tag == 3u) {
        // balance.rs:+28
        worker = task->Order.field_0.worker;
        // balance.rs:+29
        List jobs;
        RS_TRY(fn_Worker_lend(me, task->Order.field_0.count, &jobs, &ann_budget));
        // balance.rs:+30
        Handed handed;
        handed.worker = task->Order.field_0.to;
        handed.from = worker;
        handed.count = jobs.len;
        handed.is_answer = false;
        handed.jobs = jobs;
        {
            GLOBAL outputs_of_toil *ann_slot = (GLOBAL outputs_of_toil *)ann_port_next(outbox, ann_sent, 2u, 1u);
            if (ann_slot) {
                ann_slot->tag = 2ul;
                ann_slot->handed.field_0 = handed;
            }
        }
    } else {
        // balance.rs:+33
        worker = task->Handed.field_0.worker;
        // balance.rs:+34
        if (task->Handed.field_0.is_answer) {
            // balance.rs:+36
            me->lent = me->lent - task->Handed.field_0.count;
            // balance.rs:+37
            me->gave = me->gave + 1u;
            // balance.rs:+38
            u64 len = rs_min_u64((u64)task->Handed.field_0.jobs.len, 10ul);
            for (u64 i = 0ul; i < len; i += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // balance.rs:+39
                RS_TRY(fn_Worker_push(me, task->Handed.field_0.jobs.items.at[i]));
            }
        } else {
            // balance.rs:+42
            List back = List_2;
            // balance.rs:+43
            u64 len = rs_min_u64((u64)task->Handed.field_0.jobs.len, 10ul);
            for (u64 i = 0ul; i < len; i += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // balance.rs:+44
                bool has_room = fn_Worker_has_room(me);
                if (has_room) {
                    // balance.rs:+45
                    RS_TRY(fn_Worker_push(me, task->Handed.field_0.jobs.items.at[i]));
                    // balance.rs:+46
                    me->kept = me->kept + 1u;
                } else {
                    // balance.rs:+48
                    u64 at = (u64)back.len;
                    if (at >= 10ul) return 0xFF04u; // index out of bounds
                    back.items.at[at] = task->Handed.field_0.jobs.items.at[i];
                    // balance.rs:+49
                    back.len = back.len + 1u;
                }
            }
            // balance.rs:+52
            me->took = me->took + 1u;
            // balance.rs:+53
            Handed handed;
            handed.worker = task->Handed.field_0.from;
            handed.from = worker;
            handed.count = task->Handed.field_0.count;
            handed.is_answer = true;
            handed.jobs = back;
            {
                GLOBAL outputs_of_toil *ann_slot = (GLOBAL outputs_of_toil *)ann_port_next(outbox, ann_sent, 2u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 2ul;
                    ann_slot->handed.field_0 = handed;
                }
            }
        }
    }
    // balance.rs:+63
    if ((me->is_open && (!me->is_busy)) && (me->depth != 0u)) {
        // balance.rs:+64
        Job pop;
        RS_TRY(fn_Worker_pop(me, &pop));
        me->doing = pop;
        // balance.rs:+65
        me->is_busy = true;
        // balance.rs:+66
        Task task_2;
        task_2.tag = 2u; // Done
        task_2.Done.worker = worker;
        {
            GLOBAL Task *ann_slot = (GLOBAL Task *)ann_later_next(later, (u64)me->doing.nanos);
            if (ann_slot) *ann_slot = task_2;
        }
    }
    // balance.rs:+68
    Beat beat;
    beat.worker = worker;
    beat.depth = me->depth;
    beat.gave = me->gave;
    beat.took = me->took;
    {
        GLOBAL outputs_of_toil *ann_slot = (GLOBAL outputs_of_toil *)ann_port_next(outbox, ann_sent, 1u, 1u);
        if (ann_slot) {
            ann_slot->tag = 1ul;
            ann_slot->beats.field_0 = beat;
        }
    }
    // balance.rs:+69
    return 0u;
}

#define ANN_MESSAGE Task
#define ANN_MESSAGE_BYTES 104
#define ANN_OUTPUT outputs_of_toil
#define ANN_OUTPUT_BYTES 112
#define ANN_PORTS 3
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : (port) == 1u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 8u : (port) == 1u ? 16u : 100u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : (port) == 1u ? 0u : 1u)
#define ANN_PORT_KEY_2(message) ((u64)(message)->worker)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : (port) == 1u ? (u64)0 : ANN_PORT_KEY_2((GLOBAL const Handed *)((output) + 8u)))
#define ANN_STATE Worker
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? (u64)(message)->Job.worker : (message)->tag == 1u ? (u64)(message)->Open.worker : (message)->tag == 2u ? (u64)(message)->Done.worker : (message)->tag == 3u ? ((u64)(&(message)->Order.field_0)->worker) : ((u64)(&(message)->Handed.field_0)->worker))
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 64u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_toil(message, state, outbox, later)
