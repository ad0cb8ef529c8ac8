//! The C header and the Rust structures agree on every offset, size and constant: T-01, T-03 and the ring's
//! layout.

use std::{fmt::Write as _, mem::offset_of, process::Command};

use annulus_abi::{
    control::{ControlBlock, PortCounts, STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS, command, state},
    error,
    ring::{CLOSED, RingHeader, SealedUnit, SlotHeader, kind},
    telemetry::Telemetry,
    vitals::{
        At, HostWords, ShardVitals, phase,
        ports::{MOST_PORTS, PortLink, ShardPorts},
    },
};

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
        control, inbound, outbound, telemetry, at, host);
    offsets!(source, HostWords, "annulus_host_words": staged, dropped_before, traces_recorded, traces_lost, reserved);
    offsets!(source, PortCounts, "annulus_port_counts": forwarded, unforwarded, held, padding);
    offsets!(source, PortLink, "annulus_port_link": kernel, target, waits, name);
    offsets!(source, ShardPorts, "annulus_shard_ports": counts, links);
    for (name, value) in [
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
    ] {
        writeln!(source, "_Static_assert({name} == {value}ull, \"{name}\");")
            .expect("writing to a string cannot fail");
    }

    let folder = std::env::temp_dir().join(format!("annulus-abi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let file = folder.join("twin.c");
    std::fs::write(&file, source).expect("the temporary folder is writable");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let output = Command::new(&compiler)
        .args([
            "-std=c11",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
            "-I",
            concat!(env!("CARGO_MANIFEST_DIR"), "/include"),
        ])
        .arg(&file)
        .output()
        .unwrap_or_else(|error| {
            panic!("cannot run the C compiler `{compiler}`: {error}; set CC or install gcc")
        });
    std::fs::remove_dir_all(&folder).ok();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
