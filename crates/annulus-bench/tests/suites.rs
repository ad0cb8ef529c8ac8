//! The suites run, and measure what the specification's rows about figures ask for, beside what they are compared
//! with. The runs are so short that their figures mean nothing; no test looks at one.

use std::process::Command;

use annulus_opencl::OpenCl;
use annulus_runtime::BackendSource;
use serde_json::Value;

/// Runs the cases of a suite whose names contain `case`, and asserts that each of these pairs of a case and a
/// candidate was measured, in this unit.
fn measures(suite: &str, case: &str, unit: &str, pairs: &[(&str, &str)]) {
    measures_on("cpu", suite, case, unit, pairs);
}

/// The same of a backend.
fn measures_on(backend: &str, suite: &str, case: &str, unit: &str, pairs: &[(&str, &str)]) {
    let output = Command::new(env!("CARGO_BIN_EXE_annulus-bench"))
        .args([suite, "--trial", "--json", "--runs", "2", "--case", case, "--backend", backend])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for (case, candidate) in pairs {
        let line = lines
            .iter()
            .find(|line| line["case"] == *case && line["candidate"] == *candidate)
            .unwrap_or_else(|| panic!("{suite} did not measure `{case}` of `{candidate}`: {lines:#?}"));
        assert_eq!(line["unit"], unit, "{line}");
        let median = line["median"].as_f64().unwrap();
        assert!(median.is_finite() && median > 0.0, "{line}");
    }
}

#[test]
fn n01_full_queues_that_evict_beside_another_crates() {
    let case = "overflow, 8 B";
    let pairs = [(case, "annulus queue, DropOldest"), (case, "ArrayQueue::force_push")];
    measures("queue", case, "ns", &pairs);
}

/// Each backpressure of a kernel, with room and without, and a receive.
#[test]
fn n01_sends_under_each_backpressure() {
    for backend in backends() {
        let of = |case, unit, pairs: &[(&str, &str)]| measures_on(backend, "backpressure", case, unit, pairs);
        let each = ["annulus Block", "annulus Reject", "annulus DropOldest", "annulus DropNew"];
        for case in ["a send with room", "a send with room, inactive", "a send to a full kernel"] {
            of(case, "ns", &each.map(|candidate| (case, candidate)));
            of(case, "ns", &[(case, "limit a plain queue")]);
        }
        let at_work = "sends to a kernel at work a send";
        of("sends to a kernel at work", "ns or %", &each.map(|candidate| (at_work, candidate)));
        let case = "a receive";
        of(case, "ns", &[(case, "annulus try_recv"), (case, "annulus try_recv_batch, 64")]);
    }
}

#[test]
fn n02_messages_a_second_beside_bare_cache_lines() {
    let case = "1 producer, batches of 64 messages";
    measures(
        "stream",
        case,
        "M messages/s",
        &[(case, "annulus batch"), (case, "annulus adaptive"), (case, "limit cache lines")],
    );
}

#[test]
fn n03_polls_beside_a_transfer_and_loads() {
    let pairs = [("fresh p50", "annulus poll"), ("fresh p50", "limit transfer"), ("cached", "annulus poll")];
    measures("poll", "", "ns", &pairs);
}

/// On each backend that is there, of a kernel that looks for messages, one that rests, and one at work.
#[test]
fn n03_t10_polls_of_each_backend() {
    for backend in backends() {
        let pairs = [
            ("fresh p50", "annulus poll"),
            ("cached", "annulus poll"),
            ("cached", "annulus poll, the kernel rests"),
            ("busy p50", "annulus poll"),
        ];
        measures_on(backend, "poll", "", "ns", &pairs);
    }
}

#[test]
fn n05_operations_and_memory_of_queues_that_look_at_messages() {
    let dedup = "dedup by id, window of 1024, 8 B";
    let priority = "priority at a backlog of 1024, one thread, 8 B";
    measures("queue", dedup, "ns", &[(dedup, "annulus dedup"), (dedup, "annulus message queue")]);
    measures("queue", priority, "ns", &[(priority, "annulus priority"), (priority, "annulus queue")]);
    let memory = "memory, messages of 8 B";
    measures(
        "queue",
        memory,
        "bytes",
        &[(memory, "annulus, a place"), (memory, "annulus, a key of the window")],
    );
}

#[test]
fn q02_a_queue_beside_one_lock() {
    for case in ["one lock, one to one, 8 B", "one lock, two to one, 8 B"] {
        let locks = ["annulus queue", "one lock", "one lock+backoff", "one lock, condition variables"];
        measures("queue", case, "ns", &locks.map(|candidate| (case, candidate)));
    }
}

#[test]
fn n06_a_hop_between_kernels_of_each_backend() {
    for backend in backends() {
        measures_on(
            backend,
            "k2k",
            "hop",
            "ns",
            &[("hop", "annulus, 1 thread"), ("hop", "through the host")],
        );
    }
}

/// What each backend that is there takes for a message from kernel to kernel, in and out of a ring of the device's.
#[test]
fn n06_an_operation_of_a_devices_queue() {
    for backend in backends() {
        let case = "queue operation";
        let of_cpu = [(case, "annulus, 1 thread")];
        let of_devices = [(case, "annulus, 1 thread"), (case, "annulus, 32 threads")];
        let pairs = if backend == "cpu" { &of_cpu[..] } else { &of_devices };
        measures_on(backend, "k2k", case, "ns", pairs);
    }
}

#[test]
fn n07_bytes_beside_serde_json() {
    let pairs = [
        ("encode", "annulus bridged"),
        ("encode", "annulus direct"),
        ("encode", "serde_json"),
        ("read", "annulus bridged, in place"),
        ("read", "serde_json"),
    ];
    measures("serialize", "", "ns", &pairs);
}

/// Messages with a text and a list, and direct ones, one at a time and in batches.
#[test]
fn n09_bridged_messages_beside_direct_ones() {
    for backend in backends() {
        let case = "to a kernel, a message";
        let ways = [
            "annulus bridged, one at a time",
            "annulus bridged, 64 a batch",
            "annulus direct, one at a time",
            "annulus direct, 64 a batch",
        ];
        measures_on(backend, "serialize", case, "ns", &ways.map(|way| (case, way)));
    }
}

#[test]
fn n08_a_message_there_and_back() {
    measures("rtt", "8-byte", "ns", &[("8-byte message p50", "annulus try_recv")]);
}

/// What the specification's tests on hardware ask for at least: the fourth, of a message's bytes, is N-07's.
#[test]
fn n10_a_thousand_messages_an_answer_and_an_end() {
    for backend in backends() {
        let of = |case, unit, pairs: &[(&str, &str)]| measures_on(backend, "thresholds", case, unit, pairs);
        of("a thousand", "messages/s", &[("a thousand messages", "annulus")]);
        of("one message", "ns", &[("one message p50", "annulus"), ("one message p99", "annulus")]);
        of("an end", "ms", &[("an end", "annulus, at rest"), ("an end", "annulus, at work")]);
    }
}

/// The percentiles that the specification's benchmarks have, with something to compare them with.
#[test]
fn d07_latency_percentiles() {
    for percentile in ["p50", "p99", "p99.9"] {
        let case = format!("16-byte message {percentile}");
        measures("rtt", "16-byte", "ns", &[(&case, "annulus try_recv"), (&case, "limit ping-pong")]);
    }
}

/// What the specification's benchmarks have of memory: what a kernel takes, beside what it processes.
#[test]
fn d07_memory_beside_rates() {
    for backend in backends() {
        let case = "a kernel's memory, beside its rate";
        for metric in ["rate", "memory"] {
            let case = format!("{case} {metric}");
            let pairs = [(&*case, "annulus, 256 slots"), (&*case, "annulus, 16,384, in front: priority")];
            measures_on(backend, "costs", "a kernel's memory", "M messages/s or KiB", &pairs);
        }
    }
}

/// A stamp, and what a kernel tells of itself.
#[test]
fn t07_w13_stamps_telemetry_and_the_time() {
    for backend in backends() {
        let pairs = [
            ("a message is sent, and processed sent", "limit none of them"),
            ("a message is sent, and processed sent", "annulus, stamps"),
            ("a message is sent, and processed processed", "annulus, stamps, telemetry"),
            ("a message is sent, and processed processed", "annulus, track_latency"),
        ];
        measures_on(backend, "costs", "a message is sent", "ns/message", &pairs);
        let case = "the time of a turn";
        measures_on(backend, "costs", case, "ns", &[(case, "annulus, asked"), (case, "annulus, not asked")]);
    }
}

/// The backends that are there: the CPU, and OpenCL if it has a device.
fn backends() -> Vec<&'static str> {
    match OpenCl::new().open() {
        Ok(_) => vec!["cpu", "opencl"],
        Err(error) => {
            println!("skipped: OpenCL: {error}");
            vec!["cpu"]
        }
    }
}

#[test]
fn b05_each_order_of_memory_beside_the_default() {
    for backend in backends() {
        for case in
            ["1 producer, batches of 64 messages, by consistency", "a full ring is emptied, by consistency"]
        {
            let orders = ["annulus, ReleaseAcquire", "annulus, Relaxed", "annulus, Sequential"];
            measures_on(backend, "stream", case, "M messages/s", &orders.map(|order| (case, order)));
        }
    }
}

/// On the CPU alone: PoCL takes seconds to compile the kernels.
#[test]
fn p02_asks_beside_hops_and_calls_beside_calls() {
    for case in ["one at a time", "32 at a time"] {
        measures("asks", case, "ns", &[(case, "a hop"), (case, "an ask")]);
    }
    measures("asks", "a call", "ns", &[("a call", "three calls"), ("a call", "through three")]);
}

/// On the CPU alone, for the same reason.
#[test]
fn p07_timers_beside_messages() {
    for case in ["1 at a time", "64 at a time"] {
        let timers = ["a message", "a timer", "a timer among others"];
        measures("timers", case, "ns", &timers.map(|timer| (case, timer)));
    }
    measures(
        "timers",
        "late",
        "ns",
        &[("late p50", "a timer of 1 ms"), ("late p99", "a thread that sleeps")],
    );
}

/// On the CPU alone: PoCL takes seconds to compile the two kernels.
#[test]
fn b08_sums_of_a_block_beside_global_atomics() {
    let case = "a sum of 1024 values, 64 threads";
    let pairs = [(case, "annulus, global atomics"), (case, "annulus, block_reduce")];
    measures("cooperate", case, "ns", &pairs);
}

#[test]
fn b07_barriers_of_blocks_of_different_sizes() {
    let case = "a barrier, per thread";
    measures("cooperate", case, "ns", &[(case, "annulus, 32 threads"), (case, "annulus, 1024 threads")]);
}

#[test]
fn b07_barriers_of_warps_beside_one_of_the_block() {
    for backend in backends() {
        let case = "a barrier of each warp and of the block, 256 threads";
        let pairs = [(case, "annulus, of each warp"), (case, "annulus, of the block")];
        measures_on(backend, "cooperate", case, "ns", &pairs);
    }
}

#[test]
fn p09_loops_beside_the_same_by_hand() {
    let cases = [
        ("y += factor · x, 2000 elements", "annulus, zip"),
        ("y += factor · x, 1997 elements", "annulus, by index"),
        ("x · y in eight lanes, 2000 elements", "annulus, chunks_exact"),
        ("an array of 64 elements in a message", "annulus, arrays by index"),
    ];
    let by_hand = cases.map(|(case, _)| (case, "limit by hand"));
    measures("loops", "elements", "ns", &[cases, by_hand].concat());
}
