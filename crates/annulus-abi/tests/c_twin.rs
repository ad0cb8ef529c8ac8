//! The C header and the Rust structures agree on every offset, size and constant: T-01, T-03 and the ring's
//! layout.

use std::{fmt::Write as _, mem::offset_of, path::PathBuf, process::Command};

use annulus_abi::{
    control::{
        ActorCounts, ControlBlock, PortCounts, STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS, command,
        state,
    },
    error,
    memory::KernelMemory,
    ring::{CLOSED, RingHeader, SealedUnit, SlotHeader, kind},
    telemetry::Telemetry,
    vitals::{
        self, At, HostWords, KernelEntry, RequestPage, ShardVitals, VitalsHeader, black_box,
        black_box::BoxHeader,
        bridges::{BridgeCounts, BridgeEntry, MOST_BRIDGES, bridge_kind, bridge_state},
        kernel_flags, kernel_state, phase,
        ports::{MOST_PORTS, PortLink, ShardPorts},
        recorder::{self, Record, event},
    },
};

mod vitals_file;

macro_rules! offsets {
    ($out:ident, $rust:ty, $c:literal: $($field:ident),+ $(,)?) => {
        $(writeln!(
            $out,
            concat!("_Static_assert(offsetof(", $c, ", ", stringify!($field), ") == {}, \"", stringify!($field), "\");"),
            offset_of!($rust, $field),
        ).expect("writing to a string cannot fail");)+
        writeln!($out, concat!("_Static_assert(sizeof(", $c, ") == {}, \"", $c, "\");"), size_of::<$rust>())
            .expect("writing to a string cannot fail");
    };
}

/// T-01: 64 bytes. T-03: the fields at 0, 8, 16, 24, 32, 40, 48, 56, 58 (and 60). A C compiler checks what
/// Rust says.
#[test]
fn t_01_t_03_c_and_rust_agree() {
    let mut source = String::from("#include <stddef.h>\n#include \"annulus_abi.h\"\n");
    offsets!(source, Telemetry, "annulus_telemetry":
        messages_processed, messages_dropped, last_processed_timestamp, queue_depth, unmeasured, total_latency_nanos,
        max_latency_nanos, min_latency_nanos, error_code, epoch, check);
    offsets!(source, ControlBlock, "annulus_control_block":
        command, host_reserved, host_heartbeat, host_padding, state, last_error, processed, failed, unknown_actor, sent,
        leaving, acknowledged, dead_letters_lost, prints_lost, stalled, unread, forwarded, taken,
        rested, unforwarded, turns, due, timers);
    offsets!(source, RingHeader, "annulus_ring_header":
        reserved, consumed_seen, lost, producer_padding, consumed, consumer_padding);
    offsets!(source, SlotHeader, "annulus_slot_header": commit, meta);
    offsets!(source, SealedUnit, "annulus_sealed_unit": content, lap);
    offsets!(source, At, "annulus_at": phase, number, key, count, failed, failed_key, reserved);
    offsets!(source, ShardVitals, "annulus_shard_vitals":
        control, inbound, outbound, telemetry, at, host, actors);
    offsets!(source, ActorCounts, "annulus_actor_counts": used, evicted, ended, padding);
    offsets!(source, HostWords, "annulus_host_words": staged, dropped_before, traces_recorded, traces_lost, fed, reserved);
    offsets!(source, PortCounts, "annulus_port_counts": forwarded, unforwarded, held, padding);
    offsets!(source, PortLink, "annulus_port_link": kernel, target, waits, name);
    offsets!(source, ShardPorts, "annulus_shard_ports": counts, links);
    equal(
        &mut source,
        &[
            ("ANNULUS_COMMAND_ACTIVE", u64::from(command::ACTIVE)),
            ("ANNULUS_COMMAND_TERMINATE", command::TERMINATE.into()),
            ("ANNULUS_COMMAND_TELEMETRY", command::TELEMETRY.into()),
            ("ANNULUS_COMMAND_EPOCH_SHIFT", command::EPOCH_SHIFT.into()),
            ("ANNULUS_STATE_LAUNCHED", state::LAUNCHED.into()),
            ("ANNULUS_STATE_ACTIVE", state::ACTIVE.into()),
            ("ANNULUS_STATE_INACTIVE", state::INACTIVE.into()),
            ("ANNULUS_STATE_TERMINATED", state::TERMINATED.into()),
            ("ANNULUS_STALLED_BY_HOST", STALLED_BY_HOST.into()),
            ("ANNULUS_STALLED_BY_KERNEL", STALLED_BY_KERNEL.into()),
            ("ANNULUS_STALLED_HOLDS", STALLED_HOLDS.into()),
            ("ANNULUS_PHASE_UNKNOWN", phase::UNKNOWN),
            ("ANNULUS_PHASE_ASLEEP", phase::ASLEEP),
            ("ANNULUS_PHASE_LOOKING", phase::LOOKING),
            ("ANNULUS_PHASE_IN_HANDLER", phase::IN_HANDLER),
            ("ANNULUS_PHASE_PUBLISHING", phase::PUBLISHING),
            ("ANNULUS_PHASE_STALLED_ON_HOST", phase::STALLED_ON_HOST),
            ("ANNULUS_PHASE_STALLED_ON_KERNEL", phase::STALLED_ON_KERNEL),
            ("ANNULUS_PHASE_AT_BARRIER", phase::AT_BARRIER),
            ("ANNULUS_PHASE_INACTIVE", phase::INACTIVE),
            ("ANNULUS_PHASE_ENDED", phase::ENDED),
            ("ANNULUS_MOST_PORTS", MOST_PORTS as u64),
            ("ANNULUS_RING_CLOSED", CLOSED),
            ("ANNULUS_KIND_MESSAGE", kind::MESSAGE.into()),
            ("ANNULUS_KIND_TOMBSTONE", kind::TOMBSTONE.into()),
            ("ANNULUS_KIND_NO_REPLY", kind::NO_REPLY.into()),
            ("ANNULUS_KIND_FAILED", kind::FAILED.into()),
            ("ANNULUS_KIND_DEAD_LETTER", kind::DEAD_LETTER.into()),
            ("ANNULUS_KIND_PRINT", kind::PRINT.into()),
            ("ANNULUS_KIND_LOST", kind::LOST.into()),
            ("ANNULUS_KIND_ENDED", kind::ENDED.into()),
            ("ANNULUS_KIND_RECORD", kind::RECORD.into()),
            ("ANNULUS_ERROR_FIRST_OWN", error::FIRST_OWN.into()),
            ("ANNULUS_ERROR_PANICKED", error::PANICKED.into()),
            ("ANNULUS_ERROR_TOO_MANY_OUTPUTS", error::TOO_MANY_OUTPUTS.into()),
            ("ANNULUS_ERROR_INDEX_OUT_OF_BOUNDS", error::INDEX_OUT_OF_BOUNDS.into()),
            ("ANNULUS_ERROR_DIVISION_BY_ZERO", error::DIVISION_BY_ZERO.into()),
            ("ANNULUS_ERROR_OVERFLOW", error::OVERFLOW.into()),
            ("ANNULUS_ERROR_BUDGET_EXHAUSTED", error::BUDGET_EXHAUSTED.into()),
            ("ANNULUS_ERROR_BARRIER_NOT_REACHED", error::BARRIER_NOT_REACHED.into()),
            ("ANNULUS_ERROR_NOT_THE_LEADER", error::NOT_THE_LEADER.into()),
            ("ANNULUS_ERROR_TIMERS_FULL", error::TIMERS_FULL.into()),
            ("ANNULUS_ERROR_UNKNOWN_ACTOR", error::UNKNOWN_ACTOR.into()),
        ],
    );
    compile("structures", &source, "-fsyntax-only");
}

/// the vitals file, its flight recorder, its page of requests and the black box, in the same way.
#[test]
fn r_06_c_and_rust_agree_on_files() {
    let mut source = String::from("#include <stddef.h>\n#include \"annulus_abi.h\"\n");
    offsets!(source, VitalsHeader, "annulus_vitals_header":
        magic, version, kernel_stride, kernels_offset, shards_offset, kernels, shards, shard_stride, pid, started,
        clock_origin, boot, backend, library, executable, records_offset, records, record_stride, requests_offset,
        ports_offset, port_stride, histograms_offset, histogram_stride, device, bridges_page, bridges, check);
    offsets!(source, RequestPage, "annulus_request_page": telemetry_until, bell, reserved);
    offsets!(source, KernelMemory, "annulus_kernel_memory":
        inbound, outbound, replies, dead_letters, traces, prints, control, queues, states, bindings, links, scratch, host,
        shared, device);
    offsets!(source, KernelEntry, "annulus_kernel_entry":
        state, left_behind, ended_at, mirrored_at, target, waits, queue_capacity, drops, slow, counting_since, linked, id,
        launched_at, first_shard, grid, block, mode, max_batch, flags, inbound_capacity, outbound_capacity, actors,
        message_size, output_size, name, kernel, message, output, errors, ports, message_align, output_align,
        message_layout, output_layout, memory, constant, check);
    offsets!(source, BridgeCounts, "annulus_bridge_counts":
        moved, bytes, by_count, by_timer, by_close, evicted, discarded, lost, duplicate, too_large, held);
    offsets!(source, BridgeEntry, "annulus_bridge_entry":
        state, reserved, counts, waits, waits_runtime, waits_kernel, changing, number, kernel, began, kind, outbox, from,
        to, constant, check);
    offsets!(source, Record, "annulus_record": number, time, kernel, event, shard, values, check);
    offsets!(source, BoxHeader, "annulus_box_header":
        magic, version, flags, started, kernel, grid, capacity, shards_offset, shard_stride, slots_offset, slot_stride,
        payload_offset, payload_size, type_offset, type_bytes, type_check, units, at_offset, at_stride, reserved, check);
    equal(
        &mut source,
        &[
            ("ANNULUS_VITALS_MAGIC", vitals::MAGIC),
            ("ANNULUS_VITALS_VERSION", vitals::VERSION.into()),
            ("ANNULUS_VITALS_PAGE", vitals::PAGE as u64),
            ("ANNULUS_MOST_KERNELS", vitals::MOST_KERNELS as u64),
            ("ANNULUS_MOST_SHARDS", vitals::MOST_SHARDS as u64),
            ("ANNULUS_LONGEST_LEASE", vitals::LONGEST_LEASE),
            ("ANNULUS_CAUSES", recorder::CAUSES.len() as u64),
            ("ANNULUS_KERNEL_FREE", kernel_state::FREE.into()),
            ("ANNULUS_KERNEL_LAUNCHED", kernel_state::LAUNCHED.into()),
            ("ANNULUS_KERNEL_ENDED", kernel_state::ENDED.into()),
            ("ANNULUS_KERNEL_CONNECTABLE", kernel_flags::CONNECTABLE.into()),
            ("ANNULUS_KERNEL_SUPERSTEPS", kernel_flags::SUPERSTEPS.into()),
            ("ANNULUS_KERNEL_CALLS", kernel_flags::CALLS.into()),
            ("ANNULUS_KERNEL_TIMESTAMPS", kernel_flags::TIMESTAMPS.into()),
            ("ANNULUS_KERNEL_MIRRORED", kernel_flags::MIRRORED.into()),
            ("ANNULUS_KERNEL_LATENCIES", kernel_flags::LATENCIES.into()),
            ("ANNULUS_KERNEL_BLACK_BOX", kernel_flags::BLACK_BOX.into()),
            ("ANNULUS_KERNEL_TRACING", kernel_flags::TRACING.into()),
            ("ANNULUS_KERNEL_KEYS", kernel_flags::KEYS.into()),
            ("ANNULUS_KERNEL_ROUNDS", kernel_flags::ROUNDS.into()),
            ("ANNULUS_KERNEL_SPARSE_KEYS", kernel_flags::SPARSE_KEYS.into()),
            ("ANNULUS_LEFT_BEHIND", vitals::LEFT_BEHIND.into()),
            ("ANNULUS_KERNEL_ASKS_BY_SHIFT", kernel_flags::ASKS_BY_SHIFT.into()),
            ("ANNULUS_KERNEL_ASKS_BY", kernel_flags::ASKS_BY.into()),
            ("ANNULUS_MOST_BRIDGES", MOST_BRIDGES as u64),
            ("ANNULUS_BRIDGE_FREE", bridge_state::FREE.into()),
            ("ANNULUS_BRIDGE_WORKS", bridge_state::WORKS.into()),
            ("ANNULUS_BRIDGE_ENDED", bridge_state::ENDED.into()),
            ("ANNULUS_BRIDGE_TO_KERNELS", bridge_kind::TO_KERNELS.into()),
            ("ANNULUS_BRIDGE_TO_QUEUE", bridge_kind::TO_QUEUE.into()),
            ("ANNULUS_BRIDGE_FROM_QUEUE", bridge_kind::FROM_QUEUE.into()),
            ("ANNULUS_RECORDS", recorder::RECORDS as u64),
            ("ANNULUS_NO_SHARD", recorder::NO_SHARD.into()),
            ("ANNULUS_BOX_MAGIC", black_box::MAGIC),
            ("ANNULUS_BOX_VERSION", black_box::VERSION.into()),
            ("ANNULUS_EVENT_LAUNCHED", event::LAUNCHED.into()),
            ("ANNULUS_EVENT_READY", event::READY.into()),
            ("ANNULUS_EVENT_ACTIVATED", event::ACTIVATED.into()),
            ("ANNULUS_EVENT_DEACTIVATED", event::DEACTIVATED.into()),
            ("ANNULUS_EVENT_CLOSED", event::CLOSED.into()),
            ("ANNULUS_EVENT_DRAINED", event::DRAINED.into()),
            ("ANNULUS_EVENT_TERMINATED", event::TERMINATED.into()),
            ("ANNULUS_EVENT_LOST", event::LOST.into()),
            ("ANNULUS_EVENT_FAILED", event::FAILED.into()),
            ("ANNULUS_EVENT_DROPPED", event::DROPPED.into()),
            ("ANNULUS_EVENT_STALLED", event::STALLED.into()),
            ("ANNULUS_EVENT_CYCLE", event::CYCLE.into()),
            ("ANNULUS_EVENT_NOT_LAUNCHED", event::NOT_LAUNCHED.into()),
            ("ANNULUS_EVENT_SLOW", event::SLOW.into()),
            ("ANNULUS_EVENT_PRINTED", event::PRINTED.into()),
        ],
    );
    compile("files", &source, "-fsyntax-only");
}

/// a reader in C finds in a file what Rust has written, and its checks.
#[test]
fn r_06_a_reader_in_c_reads_a_file() {
    let mut bytes = vitals_file::file();
    let launched = Record {
        number: 1,
        time: 5,
        kernel: 3,
        event: event::LAUNCHED,
        shard: recorder::NO_SHARD,
        values: [2, 0, 0],
        check: 0,
    };
    // The reader finds it at the end.
    bytes.extend(launched.to_words().into_iter().flat_map(u64::to_ne_bytes));
    let program = compile("reader", include_str!("vitals_file/reader.c"), "-O1");
    let folder = program.parent().unwrap();
    let told = |bytes: &[u8]| {
        let file = folder.join("file.vitals");
        std::fs::write(&file, bytes).unwrap();
        let output = Command::new(&program).arg(&file).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = "process 4711, cpu, Tesla of Annulus\n\
                    kernel detect-1 (detect): 2 shards of 64 threads, Reading 8:4:feed, 4096 bytes of rings, 800 of states\n\
                    shard 0: 0 processed, phase 0\n\
                    shard 1: 100 processed, phase 3, message 88123, key 17\n\
                    record 1: event 1 of launch 3, 2\n";
    assert_eq!(told(&bytes), expected);
    let mut changed = bytes.clone();
    changed[vitals_file::KERNELS_AT + size_of::<KernelEntry>() + 200] ^= 1;
    let last = changed.len() - 20;
    changed[last] ^= 1;
    assert_eq!(
        told(&changed),
        "process 4711, cpu, Tesla of Annulus\nkernel 1 is damaged\nthe record is damaged\n"
    );
    bytes[100] ^= 1;
    assert_eq!(told(&bytes), "the header is damaged\n");
    std::fs::remove_dir_all(folder).ok();
}

/// Adds assertions that names of the header have these values.
fn equal(source: &mut String, values: &[(&str, u64)]) {
    for (name, value) in values {
        writeln!(source, "_Static_assert({name} == {value}ull, \"{name}\");")
            .expect("writing to a string cannot fail");
    }
}

/// Compiles a text in C against the header, in a folder of its own. Returns where the program is, if there is one.
fn compile(name: &str, source: &str, how: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("annulus-abi-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let file = folder.join("twin.c");
    std::fs::write(&file, source).expect("the temporary folder is writable");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let output = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Werror", how, "-I", concat!(env!("CARGO_MANIFEST_DIR"), "/include")])
        .arg(&file)
        .arg("-o")
        .arg(folder.join("twin"))
        .output()
        .unwrap_or_else(|error| {
            panic!("cannot run the C compiler `{compiler}`: {error}; set CC or install gcc")
        });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    if how == "-fsyntax-only" {
        std::fs::remove_dir_all(&folder).ok();
    }
    folder.join("twin")
}
