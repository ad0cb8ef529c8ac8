//! Looks that tests make up.

use annulus_abi::{control::state, memory::KernelMemory, vitals::At};

use super::*;
use crate::{CAUSES, FileDamage};

pub(crate) fn shard(phase: Phase, key: u64, done: u64) -> Shard {
    Shard {
        command: 0,
        acknowledged: 0,
        state: state::ACTIVE,
        last_error: 0,
        processed: done,
        failed: 0,
        unknown_actor: 0,
        sent: 0,
        dead_letters_lost: 0,
        stalled: 0,
        unforwarded: 0,
        pending: 0,
        staged: 0,
        timers: annulus_abi::control::Timers::default(),
        actors: Default::default(),
        accepted: done,
        taken: 0,
        unread: 0,
        fed: 0,
        outputs_waiting: 0,
        traces: Default::default(),
        telemetry: None,
        at: At { phase: phase as u64, number: done, key, ..At::default() },
    }
}

/// A look, so many milliseconds after the start.
pub(crate) fn look(millis: u64, shards: Vec<Shard>) -> Process {
    let kernel = Kernel {
        id: 1,
        name: "detect".into(),
        kernel: "detect".into(),
        message: "Reading".into(),
        output: String::new(),
        message_layout: None,
        output_layout: None,
        memory: KernelMemory::default(),
        mode: "adaptive",
        block: 1,
        max_batch: 32,
        actors: 8,
        inbound_capacity: 256,
        outbound_capacity: 256,
        queue_capacity: 256,
        target: None,
        ports: Vec::new(),
        asks_by: None,
        bridges: Vec::new(),
        has_ended: false,
        left_behind: false,
        age: None,
        copied: None,
        copied_at: None,
        errors: Vec::new(),
        drops: [0; CAUSES.len()],
        launched_at: 0,
        tracing: false,
        keys: true,
        rounds: false,
        sparse_keys: false,
        linked: 0,
        slow: 0,
        shards,
        latencies: None,
        black_box: None,
        inside: None,
    };
    Process {
        file: PathBuf::from("17-1-0.vitals"),
        pid: 17,
        liveness: Liveness::Running,
        backend: "cpu".into(),
        device: "CPU, 2 workers".into(),
        other_boot: false,
        library: "0.1.0".into(),
        executable: "/usr/bin/detector".into(),
        started: 0,
        now: millis * 1_000_000,
        kernels: vec![kernel],
        past_bridges: Vec::new(),
        missing: Vec::new(),
        damage: FileDamage::default(),
    }
}

/// Of 1000 looks, 600 find shard 0 in its handler, 400 of these with key 8, and 25 more with that key by turns; shard 1 sleeps but for 50 looks.
fn thousand() -> Profiler {
    let mut profiler = Profiler::new();
    for n in 0..1000 {
        let busy = match n % 10 {
            0..4 => shard(Phase::InHandler, 8, 100 + 3 * n),
            4..6 => shard(Phase::InHandler, 2 * (n % 8), 100 + 3 * n),
            6..9 => shard(Phase::Looking, 8, 100 + 3 * n),
            _ => shard(Phase::Publishing, 8, 100 + 3 * n),
        };
        let other = if n < 50 { shard(Phase::InHandler, 1, 5) } else { shard(Phase::Asleep, 1, 5) };
        profiler.look(&look(n, vec![busy, other]));
    }
    profiler
}

#[test]
fn shares_are_those_of_the_looks() {
    let profile = thousand().profile();
    assert_eq!((profile.pid, profile.looks, profile.elapsed), (17, 1000, Duration::from_millis(999)));
    let kernel = &profile.kernels[0];
    let shares = |shard: &ShardProfile| {
        [Phase::InHandler, Phase::Looking, Phase::Publishing, Phase::Asleep].map(|phase| shard.share(phase))
    };
    assert_eq!(shares(&kernel.shards[0]), [0.6, 0.3, 0.1, 0.0]);
    assert_eq!(shares(&kernel.shards[1]), [0.05, 0.0, 0.0, 0.95]);
    assert_eq!(kernel.share(Phase::InHandler), 0.325);
    assert_eq!([kernel.messages(), kernel.shards[1].messages], [2997, 0]);
    // 0.6 of 999 ms for 2997 messages.
    let each = kernel.shards[0].time_of_a_message(kernel.elapsed()).unwrap();
    assert_eq!(each.as_micros(), 200);
    assert_eq!(kernel.shards[1].time_of_a_message(kernel.elapsed()), None);
    let hottest = &kernel.hottest()[0];
    assert_eq!((hottest.key, hottest.shard), (8, 0));
    assert!((hottest.at_least - 425.0 / 650.0).abs() < 1e-9 && hottest.at_least == hottest.at_most);
}

#[test]
fn a_profile_is_told() {
    assert_eq!(
        thousand().profile().to_string(),
        "\
process 17, cpu, /usr/bin/detector: 1000 looks in 999 ms
  `detect`: 2997 messages, 3000 a second; 1000 looks, so shares are right to ± 3.1 points
    shard      in handler   publishing   looking    asleep   per message
    0              60.0 %       10.0 %    30.0 %     0.0 %   200 µs
    1               5.0 %        0.0 %     0.0 %    95.0 %   -
    all            32.5 %        5.0 %    15.0 %    47.5 %
    hottest keys, by shares of the time in handlers:
      8                    65.4 %, shard 0
      1                    7.7 %, shard 1
      0                    3.8 %, shard 0
      2                    3.8 %, shard 0
      4                    3.8 %, shard 0
      6                    3.8 %, shard 0
      10                   3.8 %, shard 0
      12                   3.8 %, shard 0
      14                   3.8 %, shard 0
",
    );
    let busy = Profile { missed: 101, ..thousand().profile() };
    assert!(busy.to_string().contains("\n  101 looks were missed: "), "{busy}");
    let folded = thousand().profile().folded();
    let lines: Vec<&str> = folded.lines().collect();
    assert_eq!(lines[0], "detector 17;detect;shard 0;in handler;key 8 425");
    assert!(lines.contains(&"detector 17;detect;shard 0;looking 300"), "{folded}");
    assert!(lines.contains(&"detector 17;detect;shard 1;in handler;key 1 50"), "{folded}");
    let counts = lines.iter().map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), 2000, "each look of each shard, once");
}

/// Names of processes are anything; the format has a meaning for some characters.
#[test]
fn frames_are_one_word_of_the_format() {
    let mut process = look(0, vec![shard(Phase::Looking, 0, 0)]);
    process.kernels[0].name = "a;b\nc".into();
    let mut profiler = Profiler::new();
    profiler.look(&process);
    assert_eq!(profiler.profile().folded(), "detector 17;a_b_c;shard 0;looking 1\n");
}

#[test]
fn the_same_copy_counts_once() {
    let mut profiler = Profiler::new();
    for n in 0..100 {
        let mut process = look(n, vec![shard(Phase::InHandler, 1, 0)]);
        process.kernels[0].copied_at = Some(1 + n / 25);
        profiler.look(&process);
    }
    let profile = profiler.profile();
    assert_eq!((profile.looks, profile.kernels[0].looks(Phase::InHandler)), (100, 4));
}

/// Messages that a block's threads handle together have no one key; 0 is a key of messages that have keys.
#[test]
fn only_keys_are_hot() {
    let mut profiler = Profiler::new();
    let mut together = shard(Phase::InHandler, 9, 0);
    together.at.count = 64;
    profiler.look(&look(0, vec![together]));
    assert!(profiler.profile().kernels[0].hottest().is_empty());

    let looked_at = |keys| {
        let mut profiler = Profiler::new();
        let mut process = look(0, vec![shard(Phase::InHandler, 0, 0)]);
        process.kernels[0].keys = keys;
        profiler.look(&process);
        profiler.profile()
    };
    let without = looked_at(false);
    assert!(without.kernels[0].hottest().is_empty());
    assert!(!without.folded().contains("key"));
    let hottest = looked_at(true).kernels[0].hottest();
    assert_eq!((hottest.len(), hottest[0].key), (1, 0));
}

#[test]
fn what_has_ended_spends_nothing() {
    let mut profiler = Profiler::new();
    let mut process = look(0, vec![shard(Phase::InHandler, 1, 0)]);
    profiler.look(&process);
    process.kernels[0].has_ended = true;
    profiler.look(&process);
    process.liveness = Liveness::Dead;
    process.kernels[0].has_ended = false;
    profiler.look(&process);
    let profile = profiler.profile();
    assert_eq!((profile.looks, profile.kernels[0].looks(Phase::InHandler)), (2, 1));
    let mut nothing = Profiler::new();
    process.kernels.clear();
    process.liveness = Liveness::Running;
    nothing.look(&process);
    assert!(nothing.profile().to_string().ends_with("\n  no kernels\n"));
}

#[test]
fn margins_shrink_with_looks() {
    assert_eq!([margin(0), margin(1)], [1.0, 0.98]);
    assert!((margin(2401) - 0.02).abs() < 1e-6);
}
