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
    ("telemetry misses what was processed", "    s->shown_processed += b->processed;\n", ""),
    (
        "telemetry misses what waits for a block that takes nothing",
        "&& s->shown_depth != ann_depth(v))",
        "&& 0)",
    ),
    ("an epoch of telemetry begins with the latencies of the last one", "        s->shown_max = 0;\n", ""),
    (
        "what failed is counted as sent",
        "    b->state.next_out += answers;\n    if (code == 0) {\n",
        "    b->state.next_out += answers;\n    b->state.sent += code != 0;\n    if (code == 0) {\n",
    ),
    ("a lost dead letter is not counted", "            s->dead_letters_lost += 1;\n", ""),
    (
        "a block that has room again says that it waits",
        "    if (credit != 0)\n        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);\n",
        "",
    ),
    (
        "a block without room thinks that it has work",
        "    return !s->stalled || ann_credit(v, 1) != 0;\n}\n\n/* Naps",
        "    return 1;\n}\n\n/* Naps",
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
        "code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code, caller",
        "ANN_KIND_FAILED, code, caller",
    ),
    ("who listens for dead letters is not woken", "(asleep == 2 && noted != 0)", "0"),
    (
        "a latency counts in the next bucket",
        "+ ((nanos >> (exponent - 5)) & 31);",
        "+ ((nanos >> (exponent - 5)) & 31) + 1;",
    ),
];

/// Those of a block that is connected to another kernel.
pub(crate) const OF_TWO: &[Fault] = &[
    (
        "that the block rests is not taken back",
        "    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);\n",
        "",
    ),
    ("what is sent on is not counted", "    s->forwarded += count;\n    if (", "    if ("),
    (
        "what the block has taken is not told",
        "        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_TAKEN), s->taken);\n",
        "        ;\n",
    ),
    ("what waits for room is lost without a trace", "            ann_count_unforwarded(v, want);\n", ""),
    (
        "what is held when the block ends goes to nobody, though the host would take it",
        "    if (v->shared->link.grid == 0)\n        ann_return_held(v);\n    s->unforwarded",
        "    s->unforwarded",
    ),
    ("outputs that do not wait for room do", "if (granted == 0 && b->link.waits)", "if (granted == 0)"),
];
