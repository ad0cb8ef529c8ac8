/* The block: the dispatch loop. */

#if ANN_LAUNCH_CONNECTABLE
#ifdef ANN_ROWS
#define ANN_LINK_PARAMETERS \
    , GLOBAL u8 *device_heap ANN_BUFFER, GLOBAL const u8 *link ANN_BUFFER, GLOBAL const u8 *rows ANN_BUFFER
#else
#define ANN_LINK_PARAMETERS , GLOBAL u8 *device_heap ANN_BUFFER, GLOBAL const u8 *link ANN_BUFFER
#endif
#else
#define ANN_LINK_PARAMETERS
#endif
#ifdef ANN_LAUNCH_SUPERSTEPS
#define ANN_STEP_PARAMETER , GLOBAL u8 *steps ANN_BUFFER
#else
#define ANN_STEP_PARAMETER
#endif

ANN_KERNEL void ann_main(
    GLOBAL u8 *memory ANN_BUFFER, GLOBAL u8 *arena ANN_BUFFER, GLOBAL u8 *records ANN_BUFFER,
    GLOBAL const u8 *launch ANN_BUFFER, GLOBAL u8 *states ANN_BUFFER, GLOBAL u8 *scratch ANN_BUFFER,
    GLOBAL u8 *doorbell ANN_BUFFER ANN_LINK_PARAMETERS ANN_STEP_PARAMETER ANN_BINDING_ENTRY ANN_PLACE_PARAMETERS)
{
    ANN_SHARED ann_shared shared;
#ifdef ANN_BLOCK_WIDE
    ANN_SHARED ann_block_memory together;
    ann_round rounds;
#endif
    ann_view view;
    ann_take_place(&view);
    u32 leader = ann_thread(&view) == 0;
    u32 block = ann_block(&view);
    {
        GLOBAL const ann_launch *l = (GLOBAL const ann_launch *)launch;
        view.shard = memory + block * l->shard_stride;
        view.inbound = view.shard + l->inbound;
        view.outbound = view.shard + l->outbound;
        view.record = (GLOBAL ann_block_record *)records + block;
        view.arena = arena;
#ifdef ANN_STATE
        view.states = states + block * l->actors_per_block * sizeof(ANN_STATE);
#else
        view.states = states;
#endif
#if ANN_LAUNCH_SPARSE
        view.actors = ann_actors_of(states, l, block);
#endif
#if ANN_LAUNCH_CONNECTABLE
        view.link = (GLOBAL const ann_link *)link;
#ifdef ANN_ROWS
        view.rows = (GLOBAL const u32 *)rows;
#endif
        view.device_heap = device_heap;
        view.device_local = ann_device_local_at(device_heap, l->device_local + block * l->device_local_stride);
#endif
        view.outputs = scratch + block * l->scratch_stride;
#ifdef ANN_TIMERS
        view.timers = scratch + (block + 1) * l->scratch_stride - ANN_TIMER_BYTES(l);
#endif
        view.doorbell = (GLOBAL ann_doorbell *)doorbell;
        view.shared = ann_shared_at(&shared);
#ifdef ANN_BLOCK_WIDE
        view.together = &together;
        ann_take_place(&rounds);
        view.rounds = &rounds;
        ann_begin_meeting(&together.meeting, &rounds);
#endif
#if ANN_LAUNCH_THREADS > 1
        ann_cut_scratch(&view, scratch + block * l->scratch_stride, l);
#endif
        if (leader) {
            shared.launch = *l;
            shared.state = view.record->state;
            shared.ending = 0;
            shared.idle = 0;
            shared.handled = 0;
            shared.busy = 0;
            shared.said = 0;
#if ANN_LAUNCH_ADAPTIVE
            shared.turn_size = 1;
#endif
#ifdef ANN_BODY
            shared.leaving = ann_load_relaxed_u32(ANN_U32(view.shard, ANN_CONTROL_LEAVING));
#endif
#if ANN_LAUNCH_COUNTS_TURNS
            shared.turns = ann_load_relaxed_u64(ANN_U64(view.shard, ANN_CONTROL_TURNS));
#endif
#if ANN_LAUNCH_TRACED
            ann_load_records(&view);
#endif
#if ANN_LAUNCH_CAUSAL
            shared.stamp = view.record->stamp;
#endif
#ifdef ANN_TIMERS
            if (!shared.state.looked)
                ann_set_no_timers(&view);
#endif
#if ANN_ASKS
            shared.asked_in = *ann_asked_in(&view);
            shared.asks_untold = 0;
            shared.timers_told = 0;
#endif
#if ANN_LAUNCH_SPARSE
            shared.own = l->actors_per_block;
            shared.entries = ann_actor_entries(l->actors_per_block);
            shared.newcomers = 0;
#ifdef ANN_ENDS
            shared.ended = 0;
#endif
#else
            shared.own = l->actors > block ? (l->actors - block + l->grid - 1) / l->grid : 0;
#endif
#if ANN_LAUNCH_CONNECTABLE
            ann_load_link(&view);
#if defined(ANN_OUTPUT) && defined(ANN_PORTS)
            ann_load_ports(&view);
#elif defined(ANN_OUTPUT) && defined(ANN_ROWS)
            ann_load_rows(&view);
#endif
            shared.rested = ann_load_relaxed_u64(ANN_U64(view.shard, ANN_CONTROL_RESTED));
            shared.device_local_turns = 0;
#endif
            shared.reserved = shared.state.next_in;
#if ANN_ALONE
            shared.epoch = view.record->epoch;
            shared.attends = 0;
            shared.owed = 0;
            shared.owing = 0;
#if ANN_LAUNCH_CONNECTABLE
            shared.returned = ann_device_local_next(&view);
            shared.rests = 1;
#endif
#endif
            ann_attend(&view);
#ifdef ANN_LAUNCH_SUPERSTEPS
            ann_begin_steps(&view, (GLOBAL ann_step_record *)steps);
#endif
        }
    }
    ann_barrier();
    for (;;) {
#if ANN_WATCHES
        if (ann_looks(leader))
            ann_await_turn(&view, leader ANN_BINDING_ARGUMENTS);
#endif
        if (leader) {
#if ANN_WATCHES
#elif (ANN_HOSTED || ANN_ALONE) && ANN_LAUNCH_THREADS > 1 && !defined(ANN_LAUNCH_SUPERSTEPS)
            ann_await_turn(&view ANN_BINDING_ARGUMENTS);
#else
            ann_begin_turn(&view);
#endif
#ifdef ANN_LAUNCH_SUPERSTEPS
            shared.goes_on = !shared.over;
#else
            shared.goes_on = !shared.ending;
            if (shared.ending)
                ann_settle_up(&view);
#endif
        }
        ann_barrier();
        /* Not "if it ends": on a processor's vector units, lanes without a thread read 0, and llvmpipe loops
           until they leave, too. */
        if (!shared.goes_on)
            break;
#if ANN_LAUNCH_THREADS == 1
        ann_handle(&view ANN_BINDING_ARGUMENTS);
#else
        u32 sealed = ANN_LAUNCH_SEALED;
        if (sealed) {
            ann_bring_sealed(&view);
        } else {
            ann_look(&view);
        }
        ann_barrier();
        if (!sealed) {
            ann_bring(&view, leader);
        } else if (leader && shared.found != 0) {
            shared.count = ann_accept(&view, shared.found, ann_command_after(&view));
        }
        ann_barrier();
        u32 count = shared.count;
        ann_look_up(&view, count);
        ann_barrier();
#if ANN_LAUNCH_SPARSE
        if (leader)
            ann_settle_newcomers(&view, count);
        ann_barrier();
#endif
#ifndef ANN_BLOCK_WIDE
        if (leader && count != 0)
            ann_at_handler(&view, 0, count, (GLOBAL const ANN_MESSAGE *)(ann_message_at(&view, 0) + shared.launch.in_payload));
#endif
#if ANN_LAUNCH_TRACED
        if (leader)
            shared.began = shared.sampled != 0 ? ann_now(&view) : 0;
#endif
        ann_handle(&view, count ANN_BINDING_ARGUMENTS);
        ann_barrier();
#if ANN_LAUNCH_SPARSE && defined(ANN_ENDS)
        if (leader)
            ann_free_ended(&view, count);
#endif
#ifdef ANN_BODY
        count = ann_end_body(&view, count);
        ann_barrier();
#endif
#if ANN_LAUNCH_TRACED
        if (leader)
            ann_record_turn(&view, count);
#endif
#if ANN_LAUNCH_CAUSAL
        if (leader)
            ann_stamp_turn(&view, count);
#endif
#if ANN_NUMBERS_TOGETHER
        u32 in_parallel = ann_numbers_together(&view);
        if (in_parallel) {
            ann_number_together(&view, count);
        } else if (leader) {
            ann_number(&view, count);
        }
#else
        if (leader)
            ann_number(&view, count);
#endif
        ann_barrier();
#if ANN_NUMBERS_TOGETHER
        if (in_parallel)
            ann_compare_times(&view, count);
        if (in_parallel && leader)
            ann_account_together(&view, count);
#endif
        ann_fill_slots(&view);
        ann_barrier();
        ann_publish_all(&view);
        ann_barrier();
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
        ann_forward_together(&view, leader, count);
#endif
#endif
        if (leader) {
            ann_end_turn(&view);
#ifdef ANN_LAUNCH_SUPERSTEPS
            ann_end_step(&view, (GLOBAL ann_step_record *)steps);
#endif
        }
        ann_barrier();
    }
    if (leader) {
        /* This is the last store of a block that has terminated: rings and states are not its own any more.
           SYNC: ended (release) */
        ann_at_rest(&view);
#if ANN_LAUNCH_CAUSAL
        view.record->stamp = shared.stamp;
#endif
#ifdef ANN_LAUNCH_ROUNDS
        ann_keep_round(&view);
#endif
        view.record->state = shared.state;
        ann_store_release_u32(&view.record->ended, view.record->epoch);
        ann_tell(&view, 0);
    }
}
