/* The block: what the leader of several threads does by itself, while the others wait at their barrier. */

#if ANN_ALONE

/* What is known early of where outputs go. */
typedef struct {
    u32 is_known; /* the tickets are */
#if ANN_LAUNCH_SEALED
    /* The first answer's slot, how it is published, and its kind and length if it is an output. */
    GLOBAL u8 *slot;
    u32 lap;
    u32 units;
    u32 meta;
#endif
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    ann_tickets tickets;
#endif
} ann_target;

/* By the leader: whether it handles alone what it has found. That is the turn's only message, and it fits
   into the block's own memory. */
ANN_FUNCTION u32 ann_is_for_one(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->window != 1 || !ann_fits_one(v))
        return 0;
#if ANN_LAUNCH_SEALED
    return b->kept;
#else
    return 1;
#endif
}

#if !defined(ANN_BRIDGED) && !ANN_LAUNCH_SEALED

/* By the leader: copies the message of an open slot, which it has seen published with acquire. Copies two
   lines at once, and whole ones, so that one condition keeps their loads together: slots and images are whole
   numbers of lines. Where outputs go to one block, the words of its ring are loaded in the same wait. */
ANN_FUNCTION void ann_bring_one(PRIVATE const ann_view *v, PRIVATE ann_target *target)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL const u8 *slot = ann_turn_slot(v, 0);
    u32 lines = (u32)(b->launch.in_payload + ANN_MESSAGE_BYTES + 63) / 64;
    for (u32 first = 0; first < lines; first += 2) {
        ann_word copied[16];
        GLOBAL u8 *image = b->image + first * 64;
        for (u32 j = 0; j < 8; j++)
            copied[j] = ann_load_word(slot + j * 8);
        if (first + 1 < lines)
            for (u32 j = 8; j < 16; j++)
                copied[j] = ann_load_word(slot + j * 8);
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && !defined(ANN_PORTS) && !defined(ANN_ROWS)
        if (first == 0 && b->link.grid == 1) {
            target->tickets = ann_look_at_tickets(ann_ring_of(v, ANN_LINK(v, 0), 0));
            target->is_known = 1;
        }
#endif
        for (u32 j = 0; j < 8; j++)
            ann_store_word(image + j * 8, copied[j]);
        if (first + 1 < lines)
            for (u32 j = 8; j < 16; j++)
                ann_store_word(image + j * 8, copied[j]);
        slot += 128;
    }
}

#endif

/* The slot of the message's k-th answer. Its outputs are in the outbound ring from `ticket` on; the first
   answer to a call is the reply. */
ANN_FUNCTION GLOBAL u8 *ann_one_slot(PRIVATE const ann_view *v, u64 ticket, u32 k, u64 caller)
{
    if (caller == 0)
        return ann_out_slot(v, ticket + k);
    return k == 0 ? ann_reply_slot(v, caller) : ann_out_slot(v, ticket + k - 1);
}

/* The lap that this slot is published with. */
ANN_FUNCTION u32 ann_one_lap(PRIVATE const ann_view *v, u64 ticket, u32 k, u64 caller)
{
    if (k == 0 && caller != 0)
        return ann_reply_lap(caller);
    return (u32)((ticket + k - (caller != 0)) >> v->shared->launch.out_shift) + 1;
}

#if ANN_LAUNCH_SEALED

/* By the leader: completes the images of the answers' outputs, and stores their units, or lets all who look store
   those of a single one. */
ANN_FUNCTION void ann_seal_one(
    PRIVATE const ann_view *v, u64 ticket, u32 answers, u32 meta, u64 caller, PRIVATE const ann_target *target)
{
    LOCAL ann_shared *b = v->shared;
    u32 units = target->units;
#if ANN_LOOKS_TOGETHER
    if (answers == 1) {
        *(LOCAL u32 *)b->outputs = 0;
        *(LOCAL u32 *)(b->outputs + 4) = meta;
        b->row.answer = (u64)target->slot;
        b->row.answer_lap = target->lap;
        b->row.answer_units = units;
        return;
    }
#endif
    for (u32 k = 0; k < answers; k++) {
        LOCAL u8 *image = b->outputs + k * ann_output_stride(v);
        *(LOCAL u32 *)image = 0;
        *(LOCAL u32 *)(image + 4) = meta;
        GLOBAL u8 *slot = k == 0 ? target->slot : ann_one_slot(v, ticket, k, caller);
        u32 lap = k == 0 ? target->lap : ann_one_lap(v, ticket, k, caller);
        ann_seal_units(slot, image, units, lap, 0);
        for (u32 done = ANN_FIRST_UNITS; done < units; done += ANN_FIRST_UNITS)
            ann_seal_units(slot + done * 16, image + done * 12, units - done, lap, 0);
    }
}

#endif

/* By the leader: publishes the message's results, with its outputs from `ticket` on. Publishes by units, or
   behind one fence. */
ANN_FUNCTION void ann_answer_one(
    PRIVATE const ann_view *v, u64 ticket, u32 code, u32 sent, u64 caller, PRIVATE const ann_target *target)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = code == 0 ? sent : 0;
    if (answers == 0 && caller != 0)
        answers = 1;
    if (answers == 0)
        return;
    u32 is_output = code == 0 && sent != 0;
    u32 meta = (code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED) << 24 | code;
#if ANN_LAUNCH_SEALED
    if (target->units != 0) {
        ann_seal_one(v, ticket, answers, is_output ? target->meta : meta, caller, target);
        return;
    }
#endif
    if (is_output)
        meta = ANN_KIND_MESSAGE << 24 | (u32)b->launch.out_bytes;
    for (u32 k = 0; k < answers; k++) {
        GLOBAL u8 *slot = ann_one_slot(v, ticket, k, caller);
        for (u32 at = 0; is_output && at < ANN_OUTPUT_SPAN; at += 8)
            ann_store_word(
                slot + b->launch.out_payload + at, ann_load_word(b->outputs + k * ANN_OUTPUT_STRIDE + at));
#if ANN_LAUNCH_TRACED
        if (is_output && (k != 0 || caller == 0))
            *ANN_U64(slot, b->launch.out_trace) = b->trace;
#endif
#if ANN_LAUNCH_CAUSAL
        *ANN_U64(slot, b->launch.out_stamp) = is_output ? b->stamp : 0;
#endif
        *ANN_U32(slot, 4) = meta;
    }
    u32 owes = ann_begin_to_pay(v);
    /* SYNC: slot-published (release) */
    ann_fence_release();
    if (owes)
        ann_store_gauges(v, ticket);
    for (u32 k = 0; k < answers; k++)
        ann_store_fenced_u32(
            ANN_U32(ann_one_slot(v, ticket, k, caller), 0), ann_one_lap(v, ticket, k, caller));
}

#if ANN_FORWARDS_ONE

/* By the leader: sends the message's outputs to the connected kernel. All threads send those that have to
   wait: the leader puts them where a turn of all threads has them. */
ANN_FUNCTION void ann_forward_one(PRIVATE const ann_view *v, u32 sent, PRIVATE const ann_target *target)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL const u8 *row = b->outputs;
#if ANN_SEALS_IMAGES
    if (b->link.units != 0)
        row += b->link.payload;
    if (sent == 1 && target->is_known && ann_send_single(v, row, target->tickets)) {
        b->lost = 0;
        b->left = 0;
        b->state.pending = 0;
        return;
    }
#endif
#if ANN_SEALS_IMAGES
    /* It takes tickets of its own. */
    b->keeps_tickets = 0;
#endif
    u32 gone = ann_send_row(v, row, 0, sent, target->is_known ? &target->tickets : 0);
    /* They are counted. */
    b->lost = 0;
    b->left = sent - gone;
    b->state.pending = b->left != 0 ? sent : 0;
    for (u32 k = 0; k < b->state.pending; k++) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        parcel->source = k < gone ? ANN_GONE : k;
        if (k < gone)
            continue;
        GLOBAL const u8 *output = row + k * ann_row_stride(v);
        parcel->block = ann_addressee(v, output);
#if ANN_SEALS_IMAGES
        if (ANN_OUTPUT_BYTES != 0)
            *(GLOBAL ANN_OUTPUT *)(v->outputs + k * ANN_OUTPUT_STRIDE) = *(GLOBAL const ANN_OUTPUT *)output;
#else
        for (u32 at = 0; at < ANN_OUTPUT_STRIDE; at += 8)
            ann_store_word(v->outputs + k * ANN_OUTPUT_STRIDE + at, ann_load_word(output + at));
#endif
    }
}

#endif

/* What the leader has handled, and is still to be counted. */
typedef struct {
    GLOBAL const u8 *image; /* 0: nothing */
    u32 code;
    u32 sent;
    u32 outputs; /* in the outbound ring */
} ann_handled;

/* By the leader: handles the message that it has found, as the thread that the message is dealt to would. Was
   it ready for one, it has nothing more to ask. */
ANN_FUNCTION void ann_handle_one(PRIVATE const ann_view *v, u32 is_ready, PRIVATE ann_handled *handled ANN_BINDING_PARAMETERS)
{
    handled->image = 0;
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    u32 command = b->command;
    ann_target target;
    target.is_known = 0;
#if ANN_LAUNCH_SEALED
    if (!is_ready)
        command = ann_command_after(v);
#else
    command = ann_turn_command(v);
#ifndef ANN_BRIDGED
    ann_bring_one(v, &target);
#endif
#endif
    if (is_ready)
        ann_grant(v);
    else if (ann_accept(v, 1, command) == 0)
        return;
    b->taken = 1;
#ifdef ANN_BRIDGED
    GLOBAL const u8 *image = ann_turn_slot(v, 0);
#else
    GLOBAL const u8 *image = b->image;
#endif
    /* What it was ready for is a message, and so is what comes from other kernels. */
    if (!is_ready && *(GLOBAL const u32 *)(image + 4) >> 24 != ANN_KIND_MESSAGE)
        return;
    GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(image + v->in_payload);
    u64 caller = ann_caller(v, image);
    u64 actor = ann_actor(v, message);
    ann_outbox outbox;
    u32 forwarded = ann_is_forwarded(v, caller);
    outbox.first = b->outputs;
#if ANN_LAUNCH_SEALED
    if (l->out_units != 0 && !forwarded)
        outbox.first += l->out_payload;
#endif
    outbox.ticket = 0;
    outbox.mask = ~(u64)0;
    outbox.stride = forwarded ? ANN_OUTPUT_STRIDE : ann_output_stride(v);
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    if (forwarded && b->link.units != 0) {
        outbox.first += b->link.payload;
        outbox.stride = ann_row_stride(v);
    }
    target.tickets = b->tickets;
    target.is_known = b->knows_tickets;
#endif
    outbox.limit = ANN_LIMIT;
    outbox.sent = 0;
    outbox.refused = 0;
#if ANN_LAUNCH_SEALED
    /* Computed while the handler loads its state. */
    if (!forwarded) {
        u64 ticket = b->state.next_out;
        target.slot = ann_computed(ann_one_slot(v, ticket, 0, caller));
        target.lap = ann_one_lap(v, ticket, 0, caller);
        target.units = l->out_units;
        target.meta = ANN_KIND_MESSAGE << 24 | (u32)l->out_bytes;
    }
#endif
    ann_at_handler(v, 0, 1, message);
#if ANN_LAUNCH_TRACED
    u64 trace = ann_trace(v, image);
    u64 began = trace != 0 ? ann_now(v) : 0;
#endif
#if ANN_LAUNCH_CAUSAL
    ann_begin_event(v, ann_stamp(v, image));
#endif
    u32 code = ann_transact(
        v, message, actor, ann_owner(v, message, actor, 0), &outbox ANN_BINDING_ARGUMENTS);
#if ANN_LAUNCH_SPARSE && defined(ANN_ENDS)
    ann_free_one(v, actor);
#endif
#ifdef ANN_REPLY_PORT
    if (code == 0 && caller != 0)
        ann_reply_first(&outbox);
#endif
#if ANN_LAUNCH_TRACED
    b->trace = 0;
    if (trace != 0) {
        b->trace = ann_record(v, trace, image, code, outbox.sent, began, ann_now(v), 1);
        ann_clear_trace(v, ann_turn_slot(v, 0));
    }
    if (forwarded)
        ann_mark(b->outputs, 0, outbox.sent, b->trace);
#endif
#if ANN_LAUNCH_CAUSAL
    ann_clear_stamp(v, ann_turn_slot(v, 0));
    if (forwarded)
        ann_stamp_outputs(b->outputs, 0, outbox.sent, b->stamp);
#endif
    handled->image = image;
    handled->code = code;
    handled->sent = outbox.sent;
#if ANN_FORWARDS_ONE
    if (forwarded) {
        ann_forward_one(v, code == 0 ? outbox.sent : 0, &target);
        handled->outputs = 0;
        return;
    }
#endif
    ann_answer_one(v, b->state.next_out, code, outbox.sent, caller, &target);
    handled->outputs = ann_outputs(code, outbox.sent, caller);
}

/* By the leader: counts what it has handled, whose answers are stored, and ends the turn. */
ANN_FUNCTION void ann_end_one(PRIVATE const ann_view *v, PRIVATE const ann_handled *handled)
{
    if (handled->image != 0)
        ann_account(v, handled->image, handled->code, handled->sent, handled->outputs);
    ann_end_turn(v);
}

#endif

#if (ANN_HOSTED || ANN_ALONE) && ANN_LAUNCH_THREADS > 1 && !defined(ANN_LAUNCH_SUPERSTEPS)

/* By the leader, of a turn in which it handles no message alone: does what needs no other thread. Returns 0 if all
   threads have something to do, or the block ends. */
ANN_FUNCTION u32 ann_end_look(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->window != 0 || b->ending)
        return 0;
#if ANN_LAUNCH_CONNECTABLE
    if (b->state.pending != 0)
        return 0;
#endif
#if ANN_ALONE
    /* There is nothing in it for the other threads. */
    if (b->again)
        return 1;
#else
    if (b->again)
        return 0;
#if ANN_LAUNCH_CONNECTABLE
    ann_rest(v);
#endif
#endif
    ann_idle(v);
    return !b->ending;
}

#if ANN_WATCHES

/* By the threads that look for work, or by the leader alone: begins turns until there is something to do for all
   threads of the block. The leader ends by itself the turns that find nothing, or only work for it alone; its answer to a
   single message they store together. */
ANN_FUNCTION void ann_await_turn(PRIVATE const ann_view *v, u32 leader ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_row *r = &b->row;
    ann_watcher watcher;
    ann_handled handled;
    u32 is_alone = 0;
    for (;;) {
        if (leader)
            ann_begin_watch(v, &watcher);
        is_alone = 0;
        ann_told told;
        for (;;) {
            ann_meet_lookers();
            told = ann_hear(v);
            if (told.most == 0)
                break;
            ann_sight looked = ann_look_in_a_row(v);
            ann_meet_lookers();
            if (!leader)
                continue;
            u32 is_ready = ann_end_row(v, &watcher, looked);
            r->most = watcher.more;
            /* Before the others go on: one meeting less until there is an answer. */
            if (watcher.more == 0)
                is_alone = is_ready || (!b->ending && ann_is_for_one(v));
            if (is_alone)
                ann_handle_one(v, is_ready, &handled ANN_BINDING_ARGUMENTS);
        }
        ann_seal_together(told);
        /* What the leader publishes of the turn comes behind the units that the others have stored. */
        ann_meet_lookers();
        if (leader && is_alone)
            ann_end_one(v, &handled);
        if (leader)
            r->awaits = is_alone ? !b->ending : ann_end_look(v);
        ann_meet_lookers();
        if (!r->awaits)
            return;
    }
}

#else

/* By the leader: begins turns until there is something to do for all threads. On a processor all threads of a block
   run one after the other between two barriers, so an empty turn of all threads takes many times as long as a look
   of the leader. On a device each barrier is a wait. */
ANN_FUNCTION void ann_await_turn(PRIVATE const ann_view *v ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    for (;;) {
        ann_begin_turn(v);
#if ANN_ALONE
        if (!b->ending && ann_is_for_one(v)) {
            ann_handled handled;
            ann_handle_one(v, 0, &handled ANN_BINDING_ARGUMENTS);
            ann_end_one(v, &handled);
            if (b->ending)
                return;
            continue;
        }
#endif
        if (!ann_end_look(v))
            return;
    }
}

#endif

#endif
