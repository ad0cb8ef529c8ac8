//! Faults that are planted in the block in C, each of which a script finds.

use crate::scene::Fault;

/// Those of one block.
pub(crate) const OF_ONE: &[Fault] = &[
    (
        "slots are given back late by one",
        "ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);",
        "ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in - 1);",
    ),
    (
        "messages for unknown actors count as failed",
        "        b->state.unknown_actor += 1;\n",
        "        b->state.failed += 1;\n",
    ),
    (
        "a block that takes nothing says that it looks",
        "    return !ANN_IS_STALLED(&b->state) && (b->state.command & ANN_ACTIVE) != 0 && b->said != ANN_AT_ENDED;\n",
        "    return 1;\n",
    ),
    (
        "the key that is said is another one",
        "ann_store_relaxed_u64(&v->record->key, ANN_KEY(message));",
        "ann_store_relaxed_u64(&v->record->key, ANN_KEY(message) + 1);",
    ),
    ("telemetry misses what was processed", "    s->shown_processed += b->processed;\n", ""),
    (
        "telemetry misses what waits for a block that takes nothing",
        "&& s->shown_depth != ann_depth(v))",
        "&& 0)",
    ),
    ("an epoch of telemetry begins with the latencies of the last one", "        s->shown_max = 0;\n", ""),
    (
        "what failed is counted as sent",
        "    if (code == 0) {\n        b->state.sent += sent;\n",
        "    b->state.sent += sent;\n    if (code == 0) {\n",
    ),
    ("a lost dead letter is not counted", "            s->dead_letters_lost += 1;\n", ""),
    (
        "a block that has room again says that it waits",
        "    if (credit != 0)\n        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);\n",
        "",
    ),
    (
        "a block without room thinks that it has work",
        "    return !ANN_WAITS_FOR_HOST(s) || ann_has_room_for_next(v);\n",
        "    return 1;\n",
    ),
    (
        "the ring of answers is not closed",
        "s->next_out | ANN_CLOSED);\n        state =",
        "s->next_out);\n        state =",
    ),
    (
        "what a failed handler did stays",
        "    if (code == 0)\n        *cell = state;\n",
        "    *cell = state;\n",
    ),
    (
        "a call without an answer hears of a failure",
        "u32 kind = is_output ? ANN_KIND_MESSAGE : (code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED);",
        "u32 kind = is_output ? ANN_KIND_MESSAGE : ANN_KIND_FAILED;",
    ),
    (
        "a reply is published with another call's generation",
        "ann_publish(slot, ann_reply_lap(call), kind,",
        "ann_publish(slot, ann_reply_lap(call) + 1, kind,",
    ),
    (
        "a reply goes to the slot beside its own",
        "slot = ann_reply_slot(v, call);\n    u32 is_output",
        "slot = ann_reply_slot(v, call ^ 1);\n    u32 is_output",
    ),
    (
        "a reply counts in the ring of outputs",
        "return outputs != 0 && caller != 0 ? outputs - 1 : outputs;",
        "return outputs;",
    ),
    (
        "a call's further outputs are what lies one place before them",
        "ann_copy_output(v, ann_out_slot(v, ticket), i);",
        "ann_copy_output(v, ann_out_slot(v, ticket), i - 1);",
    ),
    (
        "a call's further outputs have other tickets",
        "u64 ticket = v->shared->state.next_out + i - 1;",
        "u64 ticket = v->shared->state.next_out + i;",
    ),
    (
        "a call needs as much room as other messages",
        "u32 need = l->credit - ann_is_answered(v, ann_found_caller(v, granted));",
        "u32 need = l->credit;",
    ),
    ("who listens for dead letters is not woken", "(asleep == 2 && noted != 0)", "0"),
    (
        "a latency counts in the next bucket",
        "+ ((nanos >> (exponent - 5)) & 31);",
        "+ ((nanos >> (exponent - 5)) & 31) + 1;",
    ),
];

/// Those of a block of several threads.
pub(crate) const OF_THREADS: &[Fault] = &[
    (
        "a reply is published with the lap of an output",
        "return (meta & ANN_REPLY) != 0 ? ann_reply_lap(to) :",
        "return (meta & ANN_REPLY) != 0 ? 1 :",
    ),
    ("a call's reply takes a ticket", "            ticket += !is_reply;\n", "            ticket += 1;\n"),
    (
        "a failed call hears of nothing",
        "        if (outputs == 0 && caller != 0) {\n            answers[0].to",
        "        if (outputs == 0 && caller != 0 && code == 0) {\n            answers[0].to",
    ),
    (
        "a stalled block sees no room for a call",
        "return ann_next_is_call(v) && ann_has_slots(v, credit - 1);",
        "return 0;",
    ),
];

/// Those of a leader of several threads that handles a message by itself.
pub(crate) const OF_ONE_ALONE: &[Fault] = &[
    (
        "a call's further outputs go to other slots",
        "return k == 0 ? ann_reply_slot(v, caller) : ann_out_slot(v, ticket + k - 1);",
        "return k == 0 ? ann_reply_slot(v, caller) : ann_out_slot(v, ticket + k);",
    ),
    (
        "and have another lap",
        "(u32)((ticket + k - (caller != 0)) >> v->shared->launch.out_shift)",
        "(u32)((ticket + k) >> v->shared->launch.out_shift)",
    ),
];

/// Those of a body.
pub(crate) const OF_BODIES: &[Fault] = &[
    (
        "what a body has left is given back",
        "    u32 taken = b->next < count ? b->next : count;\n",
        "    u32 taken = count;\n",
    ),
    (
        "of a body that fails only one message does",
        "            ann_job_at(v, i)->code = code;\n",
        "            ann_job_at(v, i)->code = i == 0 ? code : 0;\n",
    ),
    (
        "what a thread sends for the message that it took last is lost",
        "        if (inbox.at != ANN_NONE_TAKEN)\n            ann_job_at(v, inbox.at)->sent = outbox.sent;\n",
        "",
    ),
    (
        "all threads send to the same places",
        "    outbox->first = v->outputs + (u64)i * ANN_LIMIT * ANN_OUTPUT_STRIDE;\n",
        "    outbox->first = v->outputs;\n",
    ),
    (
        "the state of a body that fails stays",
        "    if (code == 0 && thread_index == 0)\n        *cell = v->together->state;\n",
        "    if (thread_index == 0)\n        *cell = v->together->state;\n",
    ),
    ("a body that has ended its kernel takes on", "    first = first && !b->leaving;\n", ""),
    ("and thinks that it has work", "    if (v->shared->leaving)\n        return 0;\n", ""),
    (
        "the host is not told that it has",
        "        ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_LEAVING), 1);\n",
        "",
    ),
];

/// Those of a block that is connected to another kernel.
pub(crate) const OF_TWO: &[Fault] = &[
    (
        "that the block rests is not taken back",
        "    b->rested = s->taken - 1;\n    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);\n",
        "    b->rested = s->taken - 1;\n",
    ),
    ("what is sent on is not counted", "    s->forwarded += count;\n", ""),
    (
        "what the block has taken is not told",
        "        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TAKEN), s->taken);\n",
        "        ;\n",
    ),
    ("what waits for room is lost without a trace", "            ann_count_unforwarded(v, want);\n", ""),
    (
        "what is held when the block ends goes to nobody, though the host would take it",
        "    if (v->shared->link.grid == 0)\n        ann_return_pending(v);\n    s->unforwarded",
        "    s->unforwarded",
    ),
    (
        "what a call's handler sends goes to the other kernel",
        "return caller == 0 && ANN_IS_LINKED(v);",
        "return ANN_IS_LINKED(v);",
    ),
    ("outputs that do not wait for room do", "if (granted == 0 && b->link.waits)", "if (granted == 0)"),
];

/// Those of a block with several outboxes, of which one is connected.
pub(crate) const OF_PORTS: &[Fault] = &[
    (
        "what a connected outbox sends goes to the host",
        "    return ANN_LINK(v, ANN_PORT_OF(output))->grid != 0;",
        "    return ANN_LINK(v, ANN_PORT_OF(output))->grid != 0 && ANN_PORT_OF(output) != 1;",
    ),
    (
        "what goes on begins with its outbox's number",
        "output + ANN_PORT_OFFSET(number) + at, ANN_PORT_BYTES(number) - at);",
        "output + at, ANN_PORT_BYTES(number) - at);",
    ),
    (
        "held outputs are not moved together",
        "        if (stay != 0)\n            *(GLOBAL ANN_OUTPUT",
        "        if (stay > 1)\n            *(GLOBAL ANN_OUTPUT",
    ),
];

/// The same, of several threads.
pub(crate) const OF_PORTS_OF_THREADS: &[Fault] = &[
    (
        "an output for the host is the turn's first",
        "        answers[stay].source = place;",
        "        answers[stay].source = 0;",
    ),
    ("outputs for the host are not counted as answers", "            b->answers += stay;", ""),
];

/// Those of a block of which two outboxes are connected.
pub(crate) const OF_TWO_PORTS: &[Fault] = &[
    (
        "an output that has no room stops those of other outboxes",
        "        u32 waits = ann_send_for(v, port);",
        "        u32 waits = left != 0 ? b->ports[port].wanted : ann_send_for(v, port);",
    ),
    (
        "what has gone goes again",
        "        return;\n#endif\n    *(GLOBAL u64 *)output = ~(u64)0;\n}",
        "        return;\n#endif\n}",
    ),
    (
        "what is held of a disconnected outbox is lost without a trace",
        "        if (stays && !full && ann_return(v, k)) {",
        "        if (stays) {",
    ),
    (
        "what one outbox has sent counts for the other",
        "#endif\n    v->shared->ports[number].forwarded += granted;",
        "#endif\n    v->shared->ports[0].forwarded += granted;",
    ),
    (
        "what waited before this turn is counted with what it has sent",
        "    u32 left = b->taken == 0 ? ann_count_held(v) : 0;",
        "    u32 left = 0;",
    ),
    (
        "what a message sends is counted for no outbox",
        "            v->shared->ports[port].wanted += 1;\n        if (stay",
        "            ;\n        if (stay",
    ),
    (
        "what found no room behind others of its row has gone",
        "            left -= granted;\n            continue;",
        "            left -= want;\n            continue;",
    ),
    (
        "outputs in a row have one slot",
        "        GLOBAL u8 *slot = ann_device_local_slot(l, ring, first + i);\n        GLOBAL u8 *output = ann_held_at(v, k);",
        "        GLOBAL u8 *slot = ann_device_local_slot(l, ring, first);\n        GLOBAL u8 *output = ann_held_at(v, k);",
    ),
    (
        "of a row that is lost one output is counted",
        "    ann_count_unforwarded_of(v, number, count);\n    ann_count_unforwarded(v, count);",
        "    ann_count_unforwarded_of(v, number, 1);\n    ann_count_unforwarded(v, 1);",
    ),
    (
        "in the row of an outbox stands what is of another",
        "#else\n    return *(GLOBAL const u64 *)output == place;",
        "#else\n    return *(GLOBAL const u64 *)output != ~(u64)0;",
    ),
    (
        "what is held at the end is lost of all outboxes",
        "        u32 goes = stays && !full && ann_return(v, k);",
        "        u32 goes = 0;",
    ),
];

/// It was there once: a call that had lain in the slot of the ring's next message made room for the last message, whose output then
/// went over another one that nobody had received.
pub(crate) const OLD_CALL: Fault =
    ("an old call makes room for the last message", "    b->due = 1;\n    if (!room ||", "    if (!room ||");

/// Those of a block that goes on while outputs wait.
pub(crate) const OF_HOLDS: &[Fault] = &[
    (
        "no message is taken while an output waits",
        "    u32 room = (ANN_LAUNCH_HOLD - s->pending) / ANN_LIMIT;",
        "    u32 room = s->pending != 0 ? 0 : ANN_LAUNCH_HOLD / ANN_LIMIT;",
    ),
    (
        "what has gone is moved together with what is held",
        "        if (ANN_HAS_GONE(output))\n            continue;\n#endif\n        GLOBAL u8 *place = ann_held_at(v, to);",
        "#endif\n        GLOBAL u8 *place = ann_held_at(v, to);",
    ),
    (
        "an output's last word stays behind when outputs are moved together",
        "from != to && at < ANN_OUTPUT_STRIDE; at += 8)",
        "from != to && at + 8 < ANN_OUTPUT_STRIDE; at += 8)",
    ),
    (
        "what a later message sends overtakes what is held for the host",
        "    return v->shared->returns != 0 || ann_hold_room(v, 1) == 0;",
        "    return ann_hold_room(v, 1) == 0;",
    ),
    (
        "a block that goes on says that it waits",
        "ann_is_held_up(v) ? ANN_STALLED_BY_KERNEL : ANN_STALLED_HOLDS;\n    /* The host's",
        "ANN_STALLED_BY_KERNEL;\n    /* The host's",
    ),
    (
        "of what was held before the turn nothing is offered behind it",
        "#if ANN_LAUNCH_HOLD\n    u32 left = ann_count_held(v);",
        "#if ANN_LAUNCH_HOLD\n    u32 left = b->taken == 0 ? ann_count_held(v) : 0;",
    ),
];

/// The same, of several threads.
pub(crate) const OF_TWO_PORTS_OF_THREADS: &[Fault] = &[
    (
        "all outboxes lead to one kernel",
        "        parcel->block = port << 24 | block;",
        "        parcel->block = (block == ANN_FOR_THE_HOST ? port : 1) << 24 | block;",
    ),
    (
        "what is held of a disconnected outbox is offered to nobody",
        "        u32 goes = stays && !full && ann_return(v, parcel->source);",
        "        u32 goes = ends && stays && !full && ann_return(v, parcel->source);",
    ),
    (
        "what is lost is counted for no outbox",
        "            ann_count_up_by(&b->ports[ANN_PARCEL_PORT(parcel)].lost, 1);\n",
        "            ;\n",
    ),
    (
        "what is held is told of no outbox",
        "            ann_count_up_by(&b->ports[ANN_PARCEL_PORT(parcel)].left, 1);\n",
        "            ;\n",
    ),
];

/// The same, of those that tell late.
pub(crate) const OF_TWO_PORTS_LATE: &[Fault] = &[(
    "what an outbox has sent is not told late",
    "    ann_store_ports(v);\n#endif\n    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), \
     s->forwarded);\n#endif\n}",
    "#endif\n    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);\n#endif\n}",
)];

/// Those of a leader that does so by itself, and tells late.
pub(crate) const OF_TWO_ALONE: &[Fault] = &[
    (
        "what waits for room is what has gone",
        "        parcel->source = k < gone ? ANN_GONE : k;\n",
        "        parcel->source = k < gone ? ANN_GONE : k - 1;\n",
    ),
    (
        "what waits for room stays in the block's own memory",
        "            ann_store_word(v->outputs + k * ANN_OUTPUT_STRIDE + at, ann_load_word(output + at));\n",
        "            ;\n",
    ),
    (
        "what was sent on is not told late",
        "    ann_store_ports(v);\n#endif\n    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), \
         s->forwarded);\n#endif\n}",
        "    ann_store_ports(v);\n#endif\n#endif\n}",
    ),
    (
        "slots of the ring between kernels are not given back late",
        "        ann_device_store_release_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), next);\n",
        "",
    ),
    (
        "a block that was told late does not rest",
        "    ann_settle_up(v);\n#if ANN_LAUNCH_CONNECTABLE && ANN_DEFERS\n    ann_rest(v);\n",
        "    ann_settle_up(v);\n#if ANN_LAUNCH_CONNECTABLE && ANN_DEFERS\n",
    ),
];

/// Those of a block whose outputs become a variant of what the other takes.
pub(crate) const OF_VARIANTS: &[Fault] = &[
    ("the tag is not written", "        ann_store_tag(slot + l->tag_place, l->tag, l->tag_bytes);\n", ""),
    ("the tag is cut off", "        *(GLOBAL u16 *)place = (u16)tag;", "        *place = (u8)tag;"),
];

/// The same, of several threads.
pub(crate) const OF_VARIANTS_OF_THREADS: &[Fault] = &[
    (
        "of the last part of an output half a word goes",
        "    u32 count = left < 8 ? left : 8;",
        "    u32 count = left < 4 ? left : 4;",
    ),
    (
        "the last part of an output is left out",
        "    for (u32 at = 0; at < count; at++)\n        to[at]",
        "    for (u32 at = 0; at + 1 < count; at++)\n        to[at]",
    ),
];

/// Those of a block whose outputs say whom they are for.
pub(crate) const OF_PEERS: &[Fault] = &[
    (
        "what is for a kernel goes to the one before it",
        "        if (to != 0 && v->shared->peers[i] == to)\n            return i;",
        "        if (to != 0 && v->shared->peers[i] == to)\n            return 0;",
    ),
    (
        "what is for nobody goes to a place that has no kernel",
        "to != 0 && v->shared->peers[i]",
        "v->shared->peers[i]",
    ),
    (
        "an address that nobody has is taken for an output that has gone",
        "            *(GLOBAL u64 *)output = ~(u64)1;\n",
        "            ;\n",
    ),
    (
        "addresses are those of the launch",
        "        v->shared->peers[i] = ((GLOBAL const u64 *)(v->link + ANN_PORTS))[i];\n",
        "        if (v->shared->peers[i] == 0) v->shared->peers[i] = ((GLOBAL const u64 *)(v->link + ANN_PORTS))[i];\n",
    ),
];

/// Those of a block whose outputs may be for any of several.
pub(crate) const OF_ANY: &[Fault] = &[
    (
        "the same kernel is always asked first",
        "            s->dealt = (place + 1) % ANN_PEERS;\n            return 1;",
        "            return 1;",
    ),
    (
        "the one whose turn it is takes all, or it waits",
        "        waits |= offered == 0 && ANN_LINK(v, place)->waits;\n",
        "        if (offered == 0)\n            return 0;\n",
    ),
    (
        "what finds no room waits, although it may not",
        "        waits |= offered == 0 && ANN_LINK(v, place)->waits;\n",
        "        waits |= offered == 0;\n",
    ),
    (
        "what waits for one that may be waited for is lost",
        "    return waits ? 0 : ANN_DEVICE_LOCAL_CLOSED;",
        "    return ANN_DEVICE_LOCAL_CLOSED;",
    ),
    (
        "one that has ended may be waited for",
        "    return closed == blocks ? ANN_DEVICE_LOCAL_CLOSED : 0;",
        "    return 0;",
    ),
    (
        "what is nearly the address of any is it",
        "#define ANN_IS_FOR_ANY(output) (*(GLOBAL const u64 *)(output) == ANN_ANY)",
        "#define ANN_IS_FOR_ANY(output) ((*(GLOBAL const u64 *)(output) | 1) == (ANN_ANY | 1))",
    ),
    (
        "room for what waits is not seen",
        "        return ann_look_around(v, output) != ANN_SOME_WAITS;",
        "        return 0;",
    ),
    (
        "one that has ended looks as if it had room",
        "            if ((reserved & ANN_DEVICE_LOCAL_CLOSED) != 0)\n                continue;\n            found",
        "            found",
    ),
];

/// The same of several threads.
pub(crate) const OF_ANY_OF_THREADS: &[Fault] = &[
    (
        "what is for any goes before what has an address",
        "        ann_count_up_by(&v->shared->any, 1);\n        return ANN_PORTS;",
        "        ann_count_up_by(&v->shared->any, 1);\n        return ann_place_in_turn(v, 0);",
    ),
    (
        "what one has no room for is offered to no other",
        "    u32 is_last = round >= ann_linked_places(v);",
        "    u32 is_last = 1;",
    ),
    (
        "the turn is that of the one that has just taken something",
        "        s->dealt = (ann_place_in_turn(v, b->any_granted + b->any_round - 2) + 1) % ANN_PEERS;",
        "        s->dealt = ann_place_in_turn(v, b->any_granted + b->any_round - 2) % ANN_PEERS;",
    ),
    (
        "what was sent in a round is counted again in the next one",
        "    v->shared->counted += granted;",
        "    v->shared->counted += 0;",
    ),
    (
        "what none takes is lost, although it may wait",
        "            u32 waits = (ann_look_around(v, output) & ANN_SOME_WAITS) != 0;",
        "            u32 waits = 0;",
    ),
];

/// Those of a block whose outputs are for all who take their topics.
pub(crate) const OF_TOPICS: &[Fault] = &[
    (
        "an entry that lies further on is not found",
        "        at = (at + 1) & last;\n    }\n    *front",
        "        break;\n    }\n    *front",
    ),
    (
        "the last who takes a topic gets nothing",
        "u64 left = *front & ANN_TOPIC_MASK & ~((u64)1 << place);",
        "u64 left = *front & ANN_TOPIC_MASK & ~((u64)3 << place);",
    ),
    (
        "a copy that has gone goes again",
        "    *front = (*front & ~ANN_TOPIC_MASK) | left;\n    return left ==",
        "    return left ==",
    ),
    (
        "what nobody takes goes to the first",
        "return places != 0 ? (u32)(places & ~ANN_TOPIC_HOST) : (u32)1 << ANN_PEERS;",
        "return places != 0 ? (u32)(places & ~ANN_TOPIC_HOST) : 1;",
    ),
    (
        "what comes back to the host says who took it",
        "    *(GLOBAL u64 *)output &= ~ANN_TOPIC_MASK;\n",
        "    ;\n",
    ),
    (
        "the topics of messages have places of their own",
        "    u64 topic = *front & ~ANN_TOPIC_MASK;",
        "    u64 topic = *front;",
    ),
    (
        "what the host hears says who else does",
        "    ann_forget_places(output);\n    ann_return(v, place);",
        "    ann_return(v, place);",
    ),
    (
        "nobody else gets what the host hears",
        "    *front = marked;\n    return ann_places_of(output) == 0;",
        "    *front = marked;\n    return 1;",
    ),
    (
        "what was for the host alone is for nobody then",
        "        if (ann_tell_host(v, k))\n            *front = ~(u64)0;",
        "        if (ann_tell_host(v, k))\n            *front &= ~ANN_TOPIC_MASK;",
    ),
    ("the host's copies are not counted", "    v->shared->ports[ANN_PEERS].forwarded += 1;\n", ""),
    (
        "the host gets what is held a second time",
        "    if (!ann_is_heard(output)) {\n        ann_forget_places(output);\n        return 0;\n    }\n",
        "    ann_forget_places(output);\n    return 0;\n",
    ),
];

/// The same with several threads.
pub(crate) const OF_TOPICS_OF_THREADS: &[Fault] = &[
    (
        "counts of a place are those of all before it",
        "    u32 granted = v->shared->ports[place].granted;",
        "    u32 granted = v->shared->granted;",
    ),
    (
        "what has gone by all kernels is not told to the host",
        " && !(v->shared->heard != 0 && ann_is_heard(output));",
        ";",
    ),
    ("the host hears what is not for it", "    if (!ann_is_heard(output))\n        return 0;\n", ""),
    (
        "a copy goes to a place that does not take it",
        "        u32 takes = ann_places_of(output) >> place & 1;",
        "        u32 takes = 1;",
    ),
    (
        "an output has gone with its first copy",
        "        if (!ann_is_done(v, v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE, ANN_PARCEL_PORT(parcel)))\n            continue;",
        "        ;",
    ),
    (
        "room for one place is looked for at another",
        "return ann_goes_on(v, output) ? ann_port_has_room(v, port, output)",
        "return ann_goes_on(v, output) ? ann_port_has_room(v, 0, output)",
    ),
];

pub(crate) const OF_TIMERS: &[Fault] = &[
    ("timers of one time come in any order", ": (i32)(a->number - b->number) < 0;", ": 0;"),
    (
        "what a failed handler has set is kept",
        "    if (code == 0)\n        ann_set_timers(v, later);",
        "    ann_set_timers(v, later);",
    ),
    ("the place that is in use is given out", "heap(v) + count + b->due;", "heap(v) + count;"),
    ("timers keep the host waiting", "    if (first && t->after) {", "    if (0) {"),
    ("the first timer is not told", "ANN_CONTROL_DUE), ann_first_due(v));", "ANN_CONTROL_DUE), 0);"),
];

/// Of a block with ticks, and a message before all others.
pub(crate) const OF_EVENTS: &[Fault] = &[
    ("a tick is not set again", "    t->tick = next;\n", "    t->tick = 0;\n"),
    (
        "a tick is set again behind its handler, if that succeeds",
        "    if (code == 0)\n        ann_set_timers(v, later);",
        "    if (code == 0)\n        ann_set_timers(v, later);\n    if (code != 0 && v->shared->due)\n        ann_timers_of(v)->tick = 0;",
    ),
    ("ticks that were missed come one by one", "    if (next <= now)\n", "    if (0)\n"),
    (
        "a tick takes room from timers",
        "    u32 room = ANN_TIMERS - count;",
        "    u32 room = ANN_TIMERS - count - b->due;",
    ),
    (
        "a tick counts as a timer that waits",
        "ANN_TIMERS_TAKEN_SHIFT | waits;",
        "ANN_TIMERS_TAKEN_SHIFT | (waits + 1);",
    ),
    (
        "the last message has come, and is lost",
        "        t->armed = ANN_EVENTS_STOPPED;\n",
        "        t->armed = ANN_EVENTS_MISSED;\n",
    ),
    (
        "the last message is not lost where it has no room",
        "    waits += t->armed == ANN_EVENTS_MISSED;\n",
        "",
    ),
    (
        "an inactive block has a last message",
        " || (b->state.command & ANN_ACTIVE) == 0 || t->armed",
        " || t->armed",
    ),
    (
        "the last message does not look for room",
        "    if (!room || ann_credit_or_stall(v, 1) == 0) {",
        "    if (!room) {",
    ),
    (
        "the last message comes behind the end",
        "        if (ann_begin_stop(v, command))\n            return;\n",
        "",
    ),
    ("the start comes again", "        t->start = 0;\n        return slot;", "        return slot;"),
    (
        "the time of what nobody sends is not told",
        "    if (event != 0 && (due == 0 || event <= due))",
        "    if (event != 0 && ann_starts(v))",
    ),
    ("a tick is due when the block is armed", "    t->tick = now + ANN_TICK;", "    t->tick = now;"),
    (
        "a tick has the bytes of the message before",
        "        payload[i] = 0;\n",
        "        payload[i] |= 0xFF;\n",
    ),
];

/// Of a block that has timers and is connected.
pub(crate) const OF_LINKED_TIMERS: &[Fault] = &[
    (
        "a timer is taken while outputs wait",
        "    if (ANN_IS_HELD_UP(v))\n        return 0;\n#endif\n    first = first && !starts;",
        "#endif\n    first = first && !starts;",
    ),
    (
        "timers are counted as messages of other kernels",
        "        ann_timers_of(v)->taken += b->taken;",
        "        s->taken += b->taken;",
    ),
];

/// Those of asks.
pub(crate) const OF_ASKS: &[Fault] = &[
    ("the code of a failure is lost", "        code = meta & 0xFFFFu;", "        code = 0;"),
    (
        "an ask that is out of time is said to be lost",
        "        ann_write_end(v, slot, ANN_OUT_OF_TIME, 0);",
        "        ann_write_end(v, slot, ANN_ASK_LOST, 0);",
    ),
    ("an answer is not copied", "            to[i] = from[i];", "            (void)from;"),
    ("an answer waits until the time is up", "    ann_hurry_timer(v, timer, ann_now(v));", ""),
    (
        "what a direct call asks waits",
        "    if (b->asks_leave && b->asked_in.stride != 0) {",
        "    if (b->asked_in.stride != 0) {",
    ),
    (
        "an ask has the generation of the one before",
        "ANN_U32(ann_answer_at(v, entry), 0)) + 1;",
        "ANN_U32(ann_answer_at(v, entry), 0));",
    ),
    ("asks are not told", "        word += (u64)1 << ANN_TIMERS_ASKS_SHIFT;", "        word += 0;"),
    (
        "a place is free though its answer has not come",
        "        t->awaited &= ~((u64)1 << entry);\n        ann_write_end",
        "        t->awaited &= ~((u64)1 << entry);\n        t->busy &= ~((u64)1 << entry);\n        ann_write_end",
    ),
    ("the place of a lost query is not free", "    ann_free_asks(v, bit);", "    t->awaited &= ~bit;"),
];

/// Those of calls through kernels.
pub(crate) const OF_THROUGH: &[Fault] = &[
    (
        "each output carries the call",
        "        u32 carries = !carried;\n#endif",
        "        u32 carries = 1;\n#endif",
    ),
    (
        "a call that goes on is ended as well",
        "    if (!carried)\n        ann_end_call",
        "    if (caller != 0)\n        ann_end_call",
    ),
    (
        "a failed handler is none that sent nothing",
        "        ann_end_call(v, caller, code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code);",
        "        ann_end_call(v, caller, ANN_KIND_NO_REPLY, 0);",
    ),
    (
        "a call that is lost is told to nobody",
        "        ann_end_call(v, ANN_CARRIED(output), ANN_KIND_LOST, 0);",
        "        ;",
    ),
    ("unread calls have no end", "            ann_end_call(v, call, ANN_KIND_ENDED, 0);", "            ;"),
    (
        "an address stays behind",
        "                *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);",
        "                *ANN_U64(slot, l->correlation) = 0;",
    ),
    (
        "a call that goes on is answered at once",
        "    return (caller == 0 || ann_is_through(caller)) && ANN_IS_LINKED(v);",
        "    return caller == 0 && ANN_IS_LINKED(v);",
    ),
    ("places have no generations", "    return (u32)(call >> 32);", "    return 1;"),
];

/// The same, by one of two outboxes.
pub(crate) const OF_THROUGH_PORTS: &[Fault] = &[
    ("any outbox carries the call", "!carried && *ANN_U64(output, 0) == 0;", "!carried;"),
    (
        "an address stays behind",
        "\n            *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);",
        "\n            *ANN_U64(slot, l->correlation) = 0;",
    ),
    (
        "what is lost takes no call with it",
        "#if ANN_LAUNCH_THROUGH\n        ann_lose(v, ann_held_at(v, k));\n",
        "#if 0\n",
    ),
];

/// Those of replies.
pub(crate) const OF_REPLIES: &[Fault] = &[
    ("what is sent first is the answer", "    for (; k != 0; k--) {", "    for (; 0; k--) {"),
    (
        "a call that was answered goes on",
        "                caller = 0;\n                all -= 1;",
        "                all -= 1;",
    ),
    (
        "an answer goes on as well",
        "                caller = 0;\n                all -= 1;",
        "                caller = 0;",
    ),
    (
        "a last kernel answers by any outbox",
        "        } else if (ann_is_through(caller) && code == 0 && !replies) {",
        "        } else if (0) {",
    ),
    (
        "what is behind an answer goes where it lies",
        "        *(GLOBAL ANN_OUTPUT *)(output - ANN_OUTPUT_STRIDE) = *(GLOBAL const ANN_OUTPUT *)output;\n    }\n}",
        "    }\n}",
    ),
    (
        "what is beside no reply is told to nobody",
        "            ann_account(v, slot, code, outbox.sent, outbox.sent);",
        "            ann_account(v, slot, code, outbox.sent, 0);",
    ),
    (
        "nobody's message is answered",
        "        u32 replies = caller != 0 && code == 0 && ann_reply_first(&outbox);",
        "        u32 replies = code == 0 && forwarded && ann_reply_first(&outbox);",
    ),
];

/// Those of several threads.
pub(crate) const OF_REPLIES_OF_THREADS: &[Fault] = &[(
    "what a thread sends first is the answer",
    "        if (job->code == 0 && job->caller != 0)\n            ann_reply_first(&outbox);",
    "        ;",
)];

/// Those of a leader that is alone.
pub(crate) const OF_REPLIES_ALONE: &[Fault] = &[(
    "what the leader sends first is the answer",
    "    if (code == 0 && caller != 0)\n        ann_reply_first(&outbox);",
    "    ;",
)];

/// Those of traces.
pub(crate) const OF_TRACES: &[Fault] = &[
    (
        "outputs carry the span of their message",
        "u64 own = (word & 0xFFFFFFFF00000000ul) | span;",
        "u64 own = word;",
    ),
    ("a lost record is not counted", "            b->records_lost += 1;\n", ""),
    (
        "a failed message has outputs",
        "= code == 0 ? sent : 0;\n    *ANN_U32(slot, 52)",
        "= sent;\n    *ANN_U32(slot, 52)",
    ),
    ("blocks have the same spans", "ann_block(v) * 0x9E3779B1u", "0"),
    ("lost records take no number", "(u32)(b->next_record + b->records_lost)", "(u32)b->next_record"),
    ("a span has no number", "return span != 0 ? span : 1;", "return span;"),
    (
        "what carries nothing carries the last trace",
        "        b->trace = 0;\n        if (trace != 0) {\n            b->trace = ann_record(v, trace, slot",
        "        if (trace != 0) {\n            b->trace = ann_record(v, trace, slot",
    ),
    (
        "a full ring is written",
        "        if (b->next_record - b->records_seen >= capacity) {\n",
        "        if (0) {\n",
    ),
];

/// Those of several threads.
pub(crate) const OF_TRACES_OF_THREADS: &[Fault] = &[
    (
        "what carries nothing carries what lay there",
        "        job->sent = outbox.sent;\n#if ANN_LAUNCH_TRACED\n        ann_mark(",
        "        job->sent = outbox.sent;\n#if 0\n        ann_mark(",
    ),
    (
        "outputs carry nothing",
        "        ann_mark(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + job->sent, own);\n",
        "",
    ),
    (
        "a turn tells of its first message only",
        "    for (u32 i = 0; i < count; i++) {\n        GLOBAL const ann_job *job = ann_job_at(v, i);\n        GLOBAL u8 *image",
        "    for (u32 i = 0; i < 1; i++) {\n        GLOBAL const ann_job *job = ann_job_at(v, i);\n        GLOBAL u8 *image",
    ),
];

/// Those of a leader that is alone.
pub(crate) const OF_TRACES_ALONE: &[Fault] = &[(
    "what carries nothing carries the last trace",
    "    b->trace = 0;\n    if (trace != 0) {\n        b->trace = ann_record(v, trace, image",
    "    if (trace != 0) {\n        b->trace = ann_record(v, trace, image",
)];

/// Those of connected kernels.
pub(crate) const OF_TWO_TRACED: &[Fault] = &[
    (
        "a trace ends at a link",
        "        *ANN_U64(slot, l->trace) = trace;",
        "        *ANN_U64(slot, l->trace) = 0;",
    ),
    ("what comes back carries nothing", "= *(GLOBAL const u64 *)(output + ANN_OUTPUT_SPAN);", "= 0;"),
];

/// The same by several outboxes.
pub(crate) const OF_TRACED_PORTS: &[Fault] = &[(
    "what is held carries nothing",
    "            ann_mark(v->outputs, b->state.pending, b->state.pending + all - stay, b->trace);",
    "            ann_mark(v->outputs, b->state.pending, b->state.pending + all - stay, 0);",
)];

/// Those of traces and timers.
pub(crate) const OF_TRACED_TIMERS: &[Fault] = &[(
    "a message to itself carries a trace",
    "    *ANN_U64(slot, b->launch.in_trace) = 0;",
    "    *ANN_U64(slot, b->launch.in_trace) = b->trace;",
)];

/// Those of causal stamps.
pub(crate) const OF_STAMPS: &[Fault] = &[
    (
        "a message raises nothing",
        "    u64 last = b->stamp > stamp ? b->stamp : stamp;",
        "    u64 last = b->stamp;",
    ),
    (
        "the clock is what the message says",
        "    u64 last = b->stamp > stamp ? b->stamp : stamp;",
        "    u64 last = stamp;",
    ),
    ("the time raises nothing", "    b->stamp = (last > now ? last : now) + 1;", "    b->stamp = last + 1;"),
    ("an effect is no later than its cause", "(last > now ? last : now) + 1;", "(last > now ? last : now);"),
    (
        "a reply carries nothing",
        "    *ANN_U64(slot, v->shared->launch.out_stamp) = is_output ? v->shared->stamp : 0;",
        "    *ANN_U64(slot, v->shared->launch.out_stamp) = 0;",
    ),
];

/// Those of several threads.
pub(crate) const OF_STAMPS_OF_THREADS: &[Fault] = &[
    (
        "outputs carry the turn's last stamp",
        "        ann_stamp_outputs(v->outputs, i * ANN_LIMIT, i * ANN_LIMIT + job->sent, v->shared->stamp);",
        "        ann_stamp_outputs(v->outputs, 0, i * ANN_LIMIT + job->sent, v->shared->stamp);",
    ),
    (
        "what is no output carries what lay there",
        "        u64 stamp = (meta & ~ANN_REPLY) >> 24 == ANN_KIND_MESSAGE ? ANN_STAMP_OF(output) : 0;",
        "        u64 stamp = meta >> 24 == ANN_KIND_MESSAGE ? ANN_STAMP_OF(output) : 0;",
    ),
];

/// Those of a leader that is alone.
pub(crate) const OF_STAMPS_ALONE: &[Fault] =
    &[("a message of its own is no event", "    ann_begin_event(v, ann_stamp(v, image));\n", "")];

/// Those of connected kernels.
pub(crate) const OF_TWO_STAMPED: &[Fault] = &[
    (
        "a stamp ends at a link",
        "        *ANN_U64(slot, l->stamp) = stamp;",
        "        *ANN_U64(slot, l->stamp) = 0;",
    ),
    (
        "what comes back carries nothing",
        "= *(GLOBAL const u64 *)(output + ANN_OUTPUT_SPAN + ANN_LAUNCH_TRACED * 8);",
        "= 0;",
    ),
];

/// The same by several outboxes.
pub(crate) const OF_STAMPED_PORTS: &[Fault] = &[(
    "what is held carries nothing",
    "            ann_stamp_outputs(v->outputs, b->state.pending, b->state.pending + all - stay, b->stamp);",
    "            ann_stamp_outputs(v->outputs, b->state.pending, b->state.pending + all - stay, 0);",
)];

/// Those of stamps, ticks and timers.
pub(crate) const OF_STAMPED_TIMERS: &[Fault] = &[
    (
        "a message to itself carries a later stamp",
        "    *ANN_U64(slot, b->launch.in_stamp) = b->stamp;",
        "    *ANN_U64(slot, b->launch.in_stamp) = b->stamp + ((u64)1 << 40);",
    ),
    (
        "a tick is no event of its own",
        "    ann_begin_event(v, 0);\n#endif\n    ann_head_timer(",
        "#endif\n    ann_head_timer(",
    ),
];

/// Those of a block whose outputs go along rows.
pub(crate) const OF_ROWS: &[Fault] = &[
    (
        "a row behind the last is read",
        "    if (row >= ANN_ROWS_ALL(v))\n        return 0;\n    u32 begin",
        "    if (row > ANN_ROWS_ALL(v))\n        return 0;\n    u32 begin",
    ),
    (
        "a cursor behind the end of its row is one in the next",
        "    if (from > end - begin)\n        return 0;\n",
        "    if (from > end - begin + 1)\n        return 0;\n",
    ),
    ("the cursor stays", "        ((GLOBAL u32 *)output)[1] += granted;\n", "        ;\n"),
    (
        "the value is that of the entry behind",
        "ann_key_of_entry(v, entry + ANN_ROWS_ENTRIES(v))",
        "ann_key_of_entry(v, entry + 1 + ANN_ROWS_ENTRIES(v))",
    ),
    (
        "the key is written before the message",
        "    for (u32 at = 0; at < ANN_ROW_BYTES; at += 8)\n        ANN_COPY_PART(l, copy + at, output + ANN_ROW_OFFSET + at, ANN_ROW_BYTES - at);\n    ann_mark_copy(v, copy, entry);\n",
        "    ann_mark_copy(v, copy, entry);\n    for (u32 at = 0; at < ANN_ROW_BYTES; at += 8)\n        ANN_COPY_PART(l, copy + at, output + ANN_ROW_OFFSET + at, ANN_ROW_BYTES - at);\n",
    ),
    (
        "a copy that finds no room is lost with all behind it",
        "            ann_lose_copies(v, want, 0);\n            granted = want;\n",
        "            ann_lose_copies(v, want, 0);\n            granted = (u32)(of.end - of.next);\n",
    ),
    (
        "copies that wait are not told",
        "#else\n    ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_HELD), held);\n",
        "#else\n    ;\n",
    ),
    (
        "what waits at the end is counted as outputs",
        "    for (u32 k = s->pending_from; k < s->pending; k++)\n        copies += ann_copies_of(v, ann_held_at(v, k));\n",
        "    for (u32 k = s->pending_from; k < s->pending; k++)\n        copies += 1;\n",
    ),
];

/// The same with several threads.
pub(crate) const OF_ROWS_OF_THREADS: &[Fault] = &[
    (
        "what is behind an output that waits goes past it",
        "        if (b->left == 0 && ann_walk_row(v, ann_held_at(v, k)))",
        "        if (ann_walk_row(v, ann_held_at(v, k)))",
    ),
    (
        "an output that has gone goes again",
        "            parcel->source = ANN_GONE;\n        else\n            b->left += 1;",
        "            ;\n        else\n            b->left += 1;",
    ),
];

/// The same of a leader that handles messages alone.
pub(crate) const OF_ROWS_ALONE: &[Fault] = &[(
    "the link's count of copies is told late",
    "#if defined(ANN_OUTPUT) && defined(ANN_ROWS)\n    ann_store_copies(v);\n",
    "#if defined(ANN_OUTPUT) && defined(ANN_ROWS)\n",
)];

/// The same of a block that goes on while outputs wait.
pub(crate) const OF_ROWS_HELD: &[Fault] = &[
    (
        "what is moved together is not what is counted",
        "    v->shared->counted -= s->pending_from;\n",
        "    ;\n",
    ),
    ("copies that have gone are on the way", "        b->copies -= before;\n", "        ;\n"),
    (
        "what is sent later overtakes what is for the host",
        "    b->returns = linked ? 0 : left;\n",
        "    b->returns = 0;\n",
    ),
    (
        "a copy that waits stands for its whole row",
        "            b->copies -= before - ann_copies_of(v, output);\n",
        "            ;\n",
    ),
];

/// Those of sparse keys.
pub(crate) const OF_SPARSE: &[Fault] = &[
    (
        "the last place is given to nobody",
        "    if (place < v->shared->own) {\n        v->actors[ANN_ACTORS_GIVEN]",
        "    if (place + 1 < v->shared->own) {\n        v->actors[ANN_ACTORS_GIVEN]",
    ),
    ("a place is given twice", "    at[1] = place + 1;\n", "    at[1] = place + (place != 1);\n"),
    (
        "a search ends at the last entry",
        "        if (at[1] == 0 || at[0] == key)\n",
        "        if (at[1] == 0 || at[0] == key || entry == entries - 1)\n",
    ),
    (
        "a search ends one entry early",
        "        if (at[1] == 0 || at[0] == key)\n",
        "        if (at[1] == 0 || at[0] == key || v->actors[ANN_ACTORS_HEAD + 2 * ((entry + 1) & (entries - 1)) + 1] == 0)\n",
    ),
    (
        "entries lie where others would look for them last",
        "    return (key ^ key >> 33) & (entries - 1);\n}\n\n/* The key's entry",
        "    return ~(key ^ key >> 33) & (entries - 1);\n}\n\n/* The key's entry",
    ),
    (
        "places in use are not told",
        "        ann_store_relaxed_u64(ann_actor_count(v, ANN_ACTORS_USED), place + 1);\n",
        "",
    ),
    (
        "counts stand where those of outboxes do",
        "shard_stride - ANN_PORTS_END - ANN_ACTOR_COUNTS, word)",
        "shard_stride - ANN_ACTOR_COUNTS, word)",
    ),
];

/// The same, of several threads.
pub(crate) const OF_SPARSE_OF_THREADS: &[Fault] = &[
    (
        "a newcomer is not noticed",
        "                ann_count_up_by(&v->shared->newcomers, 1);\n",
        "                ;\n",
    ),
    (
        "each message of a newcomer gets a place",
        "    if (at[1] != 0)\n        return at[1] - 1;\n    u64 place = v->actors[ANN_ACTORS_GIVEN];",
        "    u64 place = v->actors[ANN_ACTORS_GIVEN];",
    ),
];

/// The same, of a kernel with timers.
pub(crate) const OF_SPARSE_TIMERS: &[Fault] = &[(
    "keys of other blocks get places",
    "    if (key % v->shared->launch.grid != ann_block(v))\n        return ANN_NO_ACTOR;\n#endif\n    return ann_place_actor(v, key);",
    "#endif\n    return ann_place_actor(v, key);",
)];

/// Those of actors that give way.
pub(crate) const OF_EVICTING: &[Fault] = &[
    (
        "a removed entry leaves its gap open",
        "        if (pushed >= ((next - gap) & mask)) {\n",
        "        if (0) {\n",
    ),
    (
        "an entry that lies where it belongs is moved",
        "        if (pushed >= ((next - gap) & mask)) {\n",
        "        {\n",
    ),
    (
        "a gap is not closed beyond the table's end",
        "        if (pushed >= ((next - gap) & mask)) {\n",
        "        if (next > gap && pushed >= ((next - gap) & mask)) {\n",
    ),
    (
        "the hand does not move",
        "        v->actors[ANN_ACTORS_HAND] = place + 1 < places ? place + 1 : 0;\n",
        "        ;\n",
    ),
    (
        "the hand leaves the last place out",
        "        v->actors[ANN_ACTORS_HAND] = place + 1 < places ? place + 1 : 0;\n",
        "        v->actors[ANN_ACTORS_HAND] = place + 2 < places ? place + 1 : 0;\n",
    ),
    (
        "the hand leaves marks where they are",
        "        if (record[1] == ANN_ACTOR_SEEN)\n            record[1] = 0;\n",
        "",
    ),
    (
        "the state of an evicted place is not reset",
        "        ((GLOBAL ANN_STATE *)v->states)[place] = *ann_new_state(v);\n",
        "",
    ),
    (
        "a new actor begins with the state of another block",
        "    u64 blocks = v->shared->launch.grid - ann_block(v);\n",
        "    u64 blocks = v->shared->launch.grid;\n",
    ),
    (
        "evictions are not told",
        "        ann_store_relaxed_u64(evicted, ann_load_relaxed_u64(evicted) + 1);\n",
        "        (void)evicted;\n",
    ),
    (
        "an entry is not looked for again when others have moved",
        "        /* Entries may have moved. */\n        at = ann_find_actor(v, key);\n",
        "",
    ),
    (
        "who comes often goes first",
        "    *mark = *mark == ANN_ACTOR_NEW || *mark == ANN_ACTOR_ENDED ? 0 : ANN_ACTOR_SEEN;\n",
        "    *mark = 0;\n",
    ),
    (
        "who has come once stays",
        "    *mark = *mark == ANN_ACTOR_NEW || *mark == ANN_ACTOR_ENDED ? 0 : ANN_ACTOR_SEEN;\n",
        "    *mark = ANN_ACTOR_SEEN;\n",
    ),
];

/// The same, in turns of several messages by several threads.
pub(crate) const OF_CROWDS: &[Fault] = &[
    (
        "an actor with a message in the turn gives way",
        "        if (job->kind == ANN_KIND_MESSAGE && job->actor != ANN_NO_ACTOR)\n            ann_place_record(v, job->actor)[1] = ANN_ACTOR_IN_TURN;\n",
        "        (void)job;\n",
    ),
    (
        "who had a message in a turn has one in the next",
        "    *mark = *mark == ANN_ACTOR_NEW || *mark == ANN_ACTOR_ENDED ? 0 : ANN_ACTOR_SEEN;\n",
        "    *mark = *mark == ANN_ACTOR_NEW || *mark == ANN_ACTOR_ENDED ? 0 : *mark;\n",
    ),
    (
        "who finds no place has the one of the message before",
        "        job->actor = ann_actor(v, message);\n        ((GLOBAL u32 *)v->owners)[i]",
        "        job->actor = ann_actor(v, message);\n        if (job->actor == ANN_NO_ACTOR && i != 0)\n            job->actor = ann_job_at(v, i - 1)->actor;\n        ((GLOBAL u32 *)v->owners)[i]",
    ),
];

/// Those of actors that end.
pub(crate) const OF_ENDING: &[Fault] = &[
    ("the state of one that has ended stays", "        state = *ann_new_state(v);\n", ""),
    ("a message that has failed ends its actor", "    if (code == 0 && ends) {\n", "    if (ends) {\n"),
    (
        "one that has ended is not removed",
        "    ann_remove_actor(v, record[0]);\n    record[0] = v->actors[ANN_ACTORS_FREE];\n",
        "    record[0] = v->actors[ANN_ACTORS_FREE];\n",
    ),
    ("places that were given back are lost", "    v->actors[ANN_ACTORS_FREE] = place + 1;\n", ""),
    (
        "of the places that were given back the last but one is lost",
        "    record[0] = v->actors[ANN_ACTORS_FREE];\n",
        "    record[0] = 0;\n",
    ),
    (
        "the list of free places does not go on",
        "        v->actors[ANN_ACTORS_FREE] = ann_place_record(v, place)[0];\n",
        "        ;\n",
    ),
    (
        "a place that was given again counts as free",
        "        v->actors[ANN_ACTORS_BACK] -= 1;\n",
        "        ;\n",
    ),
    (
        "ends are not told",
        "    ann_store_relaxed_u64(ended, ann_load_relaxed_u64(ended) + v->shared->ended);\n",
        "",
    ),
    ("ends are told again", "    v->shared->ended = 0;\n}\n", "}\n"),
];

/// The same, of several threads.
pub(crate) const OF_ENDING_OF_THREADS: &[Fault] = &[
    (
        "nobody frees the places of a turn",
        "        if (leader)\n            ann_free_ended(&view, count);\n",
        "",
    ),
    (
        "the last message of a turn frees no place",
        "    for (u32 i = 0; i < count; i++) {\n        GLOBAL const ann_job *job = ann_job_at(v, i);\n        if (job->kind == ANN_KIND_MESSAGE && job->actor != ANN_NO_ACTOR)\n            ann_free_actor",
        "    for (u32 i = 0; i + 1 < count; i++) {\n        GLOBAL const ann_job *job = ann_job_at(v, i);\n        if (job->kind == ANN_KIND_MESSAGE && job->actor != ANN_NO_ACTOR)\n            ann_free_actor",
    ),
];
