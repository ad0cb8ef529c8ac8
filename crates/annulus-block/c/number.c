/* The block: how all threads number a turn's answers. */

/* It needs what a turn knows of its messages in the block's own memory. Counts of a turn's answers have 16
   bits. */
#define ANN_NUMBERS_TOGETHER (ANN_INDEPENDENT && ANN_LAUNCH_THREADS > 1 && ANN_LIMIT <= 128)

#if ANN_NUMBERS_TOGETHER

/* What some messages have, 16 bits each: answers; of these, those with a ticket of the outbound ring; outputs
   for the connected kernel; and replies that are no output. */
#define ANN_TALLY_TICKETS 16
#define ANN_TALLY_PARCELS 32
#define ANN_TALLY_BARE 48

ANN_FUNCTION u32 ann_tallied(u64 tally, u32 what)
{
    return (u32)(tally >> what) & 0xFFFFu;
}

/* What a message has. */
ANN_FUNCTION u64 ann_tally(PRIVATE const ann_view *v, GLOBAL const ann_job *job)
{
    if (job->kind != ANN_KIND_MESSAGE)
        return 0;
    u32 outputs = job->code == 0 ? job->sent : 0;
    if (ann_is_forwarded(v, job->caller)) {
        u64 stay = 0;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_PORTS)
        u32 i = (u32)(job - ann_job_at(v, 0));
        for (u32 j = 0; j < outputs; j++)
            stay += !ann_goes_on(v, v->outputs + (u64)(i * ANN_LIMIT + j) * ANN_OUTPUT_STRIDE);
#endif
        return (outputs - stay) << ANN_TALLY_PARCELS | stay << ANN_TALLY_TICKETS | stay;
    }
    u32 bare = outputs == 0 && job->caller != 0;
    u32 tickets = ann_outputs(job->code, job->sent, job->caller);
    return (u64)bare << ANN_TALLY_BARE | (u64)tickets << ANN_TALLY_TICKETS | (outputs + bare);
}

/* Gives the answers of the turn's i-th message their slots; `before` is what the messages before it have. */
ANN_FUNCTION void ann_number_message(PRIVATE const ann_view *v, u32 i, u64 before, u64 next_out, u32 pending)
{
    GLOBAL const ann_job *job = ann_job_at(v, i);
    if (job->kind != ANN_KIND_MESSAGE)
        return;
    u64 caller = job->caller;
    u32 outputs = job->code == 0 ? job->sent : 0;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    if (ann_is_forwarded(v, caller)) {
        u32 first = pending + ann_tallied(before, ANN_TALLY_PARCELS);
#ifdef ANN_PORTS
        ann_split(
            v, i, outputs, first, (GLOBAL ann_answer *)v->answers + ann_tallied(before, 0),
            next_out + ann_tallied(before, ANN_TALLY_TICKETS));
#else
        for (u32 j = 0; j < outputs; j++)
            ann_parcel_at(v, first + j)->source = i * ANN_LIMIT + j;
#endif
        return;
    }
#endif
    GLOBAL ann_answer *answers = (GLOBAL ann_answer *)v->answers + ann_tallied(before, 0);
    u64 ticket = next_out + ann_tallied(before, ANN_TALLY_TICKETS);
    for (u32 j = 0; j < outputs; j++) {
        u32 is_reply = j == 0 && caller != 0;
        answers[j].to = is_reply ? caller : ticket;
        answers[j].meta =
            (is_reply ? ANN_REPLY : 0) | ANN_KIND_MESSAGE << 24 | (u32)v->shared->launch.out_bytes;
        answers[j].source = i * ANN_LIMIT + j;
        ticket += !is_reply;
    }
    if (outputs == 0 && caller != 0) {
        answers[0].to = caller;
        u32 kind = job->code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED;
        answers[0].meta = ANN_REPLY | kind << 24 | job->code;
        answers[0].source = 0;
    }
}

/* Whether all threads number a turn's answers; else the leader does. */
ANN_FUNCTION u32 ann_numbers_together(PRIVATE const ann_view *v)
{
    return v->shared->launch.limit <= ANN_BLOCK_JOBS;
}

/* Each thread numbers the answers of its share of the messages, which lie in a row. By `sums` it learns what
   those before it have: in each round it adds the sum of one thread before it, so after n rounds its own is
   that of 2^n threads in a row. Two rounds in a row use different parts of the memory, so a thread that is a
   round ahead overwrites nothing that another one still reads; it cannot be two ahead, for the barrier. */
ANN_FUNCTION void ann_number_together(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    u32 thread_index = ann_thread(v);
    u32 share = (count + ANN_LAUNCH_THREADS - 1) / ANN_LAUNCH_THREADS;
    u32 begin = thread_index * share;
    u32 end = begin + share < count ? begin + share : count;
    u64 own = 0;
    u64 next_out = 0;
    u32 pending = 0;
    u32 unhandled = 0;
    if (begin < end) {
        next_out = b->state.next_out;
        pending = b->state.pending;
    }
    for (u32 i = begin; i < end; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        own += ann_tally(v, job);
        unhandled += job->kind != ANN_KIND_MESSAGE || job->code != 0;
    }
    if (unhandled != 0)
        ann_count_up_by(&b->unhandled, unhandled);
    u64 sum = own;
    LOCAL u64 *sums = b->sums;
    LOCAL u64 *other = b->sums + ANN_BLOCK_JOBS;
    for (u32 by = 1; by * share < count; by *= 2) {
        if (begin < end)
            sums[thread_index] = sum;
        ann_barrier();
        if (begin < end && thread_index >= by)
            sum += sums[thread_index - by];
        LOCAL u64 *last = sums;
        sums = other;
        other = last;
    }
    if (begin >= end)
        return;
    u64 before = sum - own;
    for (u32 i = begin; i < end; i++) {
        ann_number_message(v, i, before, next_out, pending);
        before += ann_tally(v, ann_job_at(v, i));
    }
    if (end == count) {
        b->answers = ann_tallied(sum, 0);
        b->tally = sum;
        b->state.pending = pending + ann_tallied(sum, ANN_TALLY_PARCELS);
    }
}

/* Enqueue times of some messages. */
#define ANN_TIMES_EARLIEST 0
#define ANN_TIMES_LATEST ANN_BLOCK_JOBS
#define ANN_TIMES_SUM (2 * ANN_BLOCK_JOBS)

/* The threads find the earliest, the latest and the sum of the enqueue times of the messages that were
   handled, for the telemetry line. The leader has them at the end. */
ANN_FUNCTION void ann_compare_times(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    if (b->launch.in_time == 0 || (b->command & ANN_TELEMETRY) == 0)
        return;
    u32 thread_index = ann_thread(v);
    u32 share = (count + ANN_LAUNCH_THREADS - 1) / ANN_LAUNCH_THREADS;
    u32 begin = thread_index * share;
    u32 end = begin + share < count ? begin + share : count;
    u64 earliest = ~(u64)0;
    u64 latest = 0;
    u64 sum = 0;
    for (u32 i = begin; i < end; i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE || job->code != 0)
            continue;
        u64 enqueued = *(GLOBAL const u64 *)(ann_message_at(v, i) + b->launch.in_time);
        earliest = enqueued < earliest ? enqueued : earliest;
        latest = enqueued > latest ? enqueued : latest;
        sum += enqueued;
    }
    /* A barrier is behind the numbering, so what was added up in this memory has been read. */
    LOCAL u64 *times = b->sums;
    for (u32 by = 1; by * share < count; by *= 2) {
        if (begin < end && (thread_index & (by - 1)) == 0) {
            times[ANN_TIMES_EARLIEST + thread_index] = earliest;
            times[ANN_TIMES_LATEST + thread_index] = latest;
            times[ANN_TIMES_SUM + thread_index] = sum;
        }
        ann_barrier();
        u32 other = thread_index + by;
        /* What is read here is of a thread that stores nothing more. */
        if ((thread_index & (2 * by - 1)) != 0 || other * share >= count)
            continue;
        u64 early = times[ANN_TIMES_EARLIEST + other];
        u64 late = times[ANN_TIMES_LATEST + other];
        earliest = early < earliest ? early : earliest;
        latest = late > latest ? late : latest;
        sum += times[ANN_TIMES_SUM + other];
    }
    if (thread_index == 0) {
        b->first_time = 0;
        b->earliest = earliest;
        b->latest = latest;
        b->sum = sum;
    }
}

/* By the leader, while the others fill slots: counts what the turn has done. */
ANN_FUNCTION void ann_account_together(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    u64 tally = b->tally;
    u32 tickets = ann_tallied(tally, ANN_TALLY_TICKETS);
    b->taken = count;
    b->processed = count - b->unhandled;
    b->produced = tickets;
    b->state.next_out += tickets;
    b->state.sent +=
        ann_tallied(tally, 0) - ann_tallied(tally, ANN_TALLY_BARE) + ann_tallied(tally, ANN_TALLY_PARCELS);
    /* What one thread must do, in the messages' order: dead letters, and a latency for each message. */
    u32 measures = b->launch.histogram != 0 && b->launch.in_time != 0;
    for (u32 i = 0; i < count && (b->unhandled != 0 || measures); i++) {
        GLOBAL const ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        if (job->code != 0) {
            ann_note_failure(v, ann_message_at(v, i), job->code);
        } else if (measures) {
            u64 enqueued = *(GLOBAL const u64 *)(ann_message_at(v, i) + b->launch.in_time);
            u64 now = ann_now(v);
            ann_count_latency(v, now > enqueued ? now - enqueued : 0);
        }
    }
}

#endif
