//! Launch options: defaults, presets, limits, and what is said about values that are wrong. Q-07, Q-08, Q-09,
//! Q-10, Q-11, Q-13, B-01, B-03, B-04.

use std::time::Duration;

use annulus_queue::QueueOptions;
use annulus_runtime::{
    Backpressure, Consistency, Deduplication, InvalidLaunch, LaunchOptions, LaunchProblem, MAX_BLOCK,
    MAX_GRID, MAX_WINDOW, MIN_WINDOW, NamedQueue, ProcessingMode, RunMode, SendOutcome, Share,
};

/// What is wrong with these options.
fn problems(options: LaunchOptions) -> Vec<String> {
    let all = |invalid: InvalidLaunch| invalid.problems().iter().map(ToString::to_string).collect();
    options.validate().err().map_or_else(Vec::new, all)
}

/// The one thing that is wrong, which names all of these.
#[track_caller]
fn problem(options: LaunchOptions, names: &[&str]) {
    let problems = problems(options);
    assert_eq!(problems.len(), 1, "{problems:?}");
    for name in names {
        assert!(problems[0].contains(name), "`{name}` in: {}", problems[0]);
    }
}

/// How many messages a queue made from these options holds.
fn held(options: &LaunchOptions) -> usize {
    let (sender, _receiver) = annulus_queue::queue::<u64>(options.to_queue_options()).unwrap();
    sender.capacity()
}

#[test]
fn q07_the_default_capacity_is_4096() {
    assert_eq!(held(&LaunchOptions::default()), 4096);
    assert_eq!(LaunchOptions::default(), LaunchOptions::production());
}

#[test]
fn q07_capacity_is_a_power_of_two_within_limits() {
    for exponent in 4..=20 {
        assert!(problems(LaunchOptions::default().capacity(1 << exponent)).is_empty(), "2^{exponent}");
    }
    for (value, remedy) in [
        (0, "use 16"),
        (1, "use 16"),
        (8, "use 16"),
        (15, "use 16"),
        (17, "use 32"),
        (5000, "use 8192"),
        (1 << 21, "use 1048576"),
        (u32::MAX, "use 1048576"),
    ] {
        let value_said = format!("capacity is {value}");
        problem(
            LaunchOptions::default().capacity(value),
            &[&value_said, "power of 2", "16 ..= 1048576", remedy],
        );
        let value_said = format!("output_capacity is {value}");
        problem(LaunchOptions::default().output_capacity(value), &[&value_said, "power of 2", remedy]);
    }
}

#[test]
fn q07_the_remedy_is_valid() {
    for value in (0..200).chain([4095, 4097, 1_000_000, 1_048_575, 1_048_577, u32::MAX]) {
        for problem in problems(LaunchOptions::default().capacity(value)) {
            let remedy = problem.rsplit_once("use ").unwrap().1.parse().unwrap();
            assert!(problems(LaunchOptions::default().capacity(remedy)).is_empty(), "{problem}");
            assert!(remedy >= value || remedy == 1 << 20, "{problem}");
        }
    }
}

#[test]
fn q08_the_window_has_limits_and_is_clamped() {
    let window = |messages| LaunchOptions::default().deduplication_window(messages);
    assert_eq!((MIN_WINDOW, MAX_WINDOW), (16, 1024));
    assert_eq!(LaunchOptions::default().effective_deduplication_window(), 1024);
    for valid in [16, 17, 500, 1024] {
        assert!(problems(window(valid)).is_empty());
        assert_eq!(window(valid).effective_deduplication_window(), valid);
    }
    problem(window(15), &["deduplication_window is 15", "16 ..= 1024", "use 16"]);
    problem(window(1025), &["deduplication_window is 1025", "16 ..= 1024", "use 1024"]);
    // Validating changes nothing: the clamped value is asked for.
    let clamped = window(1024).capacity(64);
    assert!(problems(clamped.clone()).is_empty());
    assert_eq!(clamped.effective_deduplication_window(), 64);
    assert_eq!(window(32).capacity(64).effective_deduplication_window(), 32);
}

#[test]
fn q09_nothing_is_dropped_or_reordered_unless_asked_for() {
    let options = LaunchOptions::default();
    assert_eq!(options, options.clone().backpressure(Backpressure::Block));
    assert_eq!(options, options.clone().priority(false));
    assert_eq!(options, options.clone().deduplication(Deduplication::Off));
    assert_eq!(options, options.clone().expiry(None));
    assert_eq!(options, options.clone().grid(1).block(1).active(true).calls(true).timestamps(true));
    assert_eq!(options, options.clone().track_latency(false));
}

/// M-01, M-02: a kernel stays unless its launch says otherwise; one that leaves takes a message first.
#[test]
fn m01_m02_a_kernel_stays_unless_asked_to_leave() {
    let options = LaunchOptions::default();
    assert_eq!(options.shape.run_mode, RunMode::Persistent);
    assert_eq!(options, options.clone().run_mode(RunMode::Persistent).leave_after(1000).count_turns(false));
    assert!(problems(options.clone().run_mode(RunMode::EventDriven).leave_after(1)).is_empty());
    problem(options.run_mode(RunMode::EventDriven).leave_after(0), &["leave_after is 0", "use 1"]);
}

/// B-01: messages order memory by default, where that is needed; words that contradict each other are
/// refused.
#[test]
fn b01_b03_b04_consistency_and_causal_ordering() {
    use Consistency::{Relaxed, ReleaseAcquire, Sequential};
    let options = LaunchOptions::default();
    assert_eq!((options.shape.consistency, options.shape.causal_ordering), (ReleaseAcquire, None));
    for (consistency, causal, is_valid) in [
        (Relaxed, false, true),
        (Relaxed, true, false),
        (ReleaseAcquire, false, true),
        (ReleaseAcquire, true, true),
        (Sequential, false, false),
        (Sequential, true, true),
    ] {
        let options = options.clone().consistency(consistency);
        assert!(problems(options.clone()).is_empty());
        let options = options.causal_ordering(causal);
        if is_valid {
            assert!(problems(options).is_empty(), "{consistency:?} {causal}");
        } else {
            let word = if causal { "causal_ordering is on" } else { "causal_ordering is off" };
            problem(
                options,
                &[word, &format!("{consistency:?}"), "ReleaseAcquire", "leave causal_ordering out"],
            );
        }
    }
}

#[test]
fn q10_options_of_a_queue() {
    let options =
        LaunchOptions::default().capacity(16).backpressure(Backpressure::DropOldest).name("readings");
    let (sender, receiver) = annulus_queue::queue(options.to_queue_options()).unwrap();
    assert_eq!((sender.capacity(), sender.name()), (16, Some("readings")));
    for i in 0..16 {
        assert_eq!(sender.try_send(i), Ok(SendOutcome::Accepted));
    }
    assert_eq!(sender.try_send(16), Ok(SendOutcome::Evicted(0)));
    assert_eq!(receiver.try_recv(), Ok(1));
    let (unnamed, _receiver) =
        annulus_queue::queue::<u8>(LaunchOptions::default().to_queue_options()).unwrap();
    assert_eq!(unnamed.name(), None);
    let policies = LaunchOptions::default()
        .capacity(64)
        .priority(true)
        .expiry(Duration::from_secs(3))
        .deduplication(Deduplication::ById);
    let expected = QueueOptions::new()
        .capacity(64)
        .priority(true)
        .expiry(Duration::from_secs(3))
        .deduplication(Deduplication::ById)
        .deduplication_window(64);
    assert_eq!(policies.to_queue_options(), expected, "the window is clamped to the capacity");
}

#[test]
fn q11_presets() {
    let preset = |capacity, window, backpressure| {
        LaunchOptions::production().capacity(capacity).deduplication_window(window).backpressure(backpressure)
    };
    assert_eq!(LaunchOptions::production(), preset(4096, 1024, Backpressure::Block));
    assert_eq!(LaunchOptions::high_throughput(), preset(16_384, 1024, Backpressure::Block));
    let low_latency = LaunchOptions::low_latency();
    assert_eq!(
        low_latency.clone().spin(Duration::ZERO),
        preset(256, 256, Backpressure::Reject).spin(Duration::ZERO)
    );
    for preset in [LaunchOptions::production(), LaunchOptions::high_throughput(), low_latency] {
        assert!(problems(preset).is_empty());
    }
}

#[test]
fn q13_every_problem_is_reported_at_once() {
    let options = LaunchOptions::default().capacity(5000).deduplication_window(2048);
    let error = options.validate().unwrap_err();
    assert_eq!(error.problems().len(), 2);
    let text = error.to_string();
    for name in ["capacity is 5000", "power of 2", "use 8192", "deduplication_window is 2048", "use 1024"] {
        assert!(text.contains(name), "`{name}` in: {text}");
    }
    let everything = options.output_capacity(3).grid(0).block(0).max_messages_per_iteration(0).name("");
    assert_eq!(problems(everything.track_latency(true).timestamps(false)).len(), 8);
}

#[test]
fn q13_a_program_can_tell_problems_apart() {
    let error = LaunchOptions::default().capacity(5000).block(0).name("").validate().unwrap_err();
    let expected = [
        LaunchProblem::PowerOfTwo { option: "capacity", given: 5000, valid: 8192 },
        LaunchProblem::Range { option: "block", given: 0, min: 1, max: MAX_BLOCK },
        LaunchProblem::Name,
    ];
    assert_eq!(error.problems(), expected);
}

#[test]
fn methods_and_fields_say_the_same() {
    let by_methods = LaunchOptions::default()
        .name("n")
        .grid(2)
        .block(3)
        .actors(4)
        .mode(ProcessingMode::Batch)
        .max_messages_per_iteration(5)
        .supersteps(true)
        .connectable(true)
        .active(false)
        .spin(Duration::from_nanos(6))
        .capacity(64)
        .backpressure(Backpressure::Reject)
        .deduplication(Deduplication::ById)
        .deduplication_window(17)
        .priority(true)
        .expiry(Duration::from_nanos(7))
        .output_capacity(128)
        .calls(false)
        .sealed(false)
        .timestamps(false)
        .track_latency(true)
        .dead_letters(8);
    let mut by_fields = LaunchOptions::default();
    by_fields.name = Some("n".into());
    (by_fields.shape.grid, by_fields.shape.block, by_fields.shape.actors) = (2, 3, 4);
    by_fields.shape.mode = Some(ProcessingMode::Batch);
    by_fields.shape.max_messages_per_iteration = Some(5);
    (by_fields.shape.supersteps, by_fields.shape.connectable, by_fields.shape.active) = (true, true, false);
    by_fields.shape.spin = Duration::from_nanos(6);
    by_fields.shape.sealed = false;
    (by_fields.inbound.capacity, by_fields.inbound.backpressure) = (64, Backpressure::Reject);
    by_fields.inbound.deduplication = Deduplication::ById;
    by_fields.inbound.deduplication_window = 17;
    by_fields.inbound.priority = true;
    by_fields.inbound.expiry = Some(Duration::from_nanos(7));
    (by_fields.outbound.capacity, by_fields.outbound.calls) = (Some(128), false);
    (by_fields.observe.timestamps, by_fields.observe.track_latency) = (false, true);
    by_fields.observe.dead_letters = 8;
    assert_eq!(by_methods, by_fields);
}

#[test]
fn a_grid_and_a_block_have_limits() {
    let options = LaunchOptions::default;
    assert!(problems(options().grid(MAX_GRID).block(MAX_BLOCK)).is_empty());
    problem(options().grid(0), &["grid is 0", "1 ..= 65536", "use 1"]);
    problem(options().grid(MAX_GRID + 1), &["grid is 65537", "use 65536"]);
    problem(options().block(0), &["block is 0", "1 ..= 1024", "use 1"]);
    problem(options().block(MAX_BLOCK + 1), &["block is 1025", "use 1024"]);
}

#[test]
fn an_iteration_takes_at_most_what_fits() {
    let options = |cap| {
        LaunchOptions::default().mode(ProcessingMode::Batch).capacity(64).max_messages_per_iteration(cap)
    };
    assert!(problems(options(1)).is_empty() && problems(options(64)).is_empty());
    problem(options(0), &["max_messages_per_iteration is 0", "1 ..= 64", "use 1"]);
    problem(options(65), &["max_messages_per_iteration is 65", "use 64"]);
}

#[test]
fn a_block_does_not_spin_for_minutes() {
    let options = |time| LaunchOptions::low_latency().spin(time);
    assert!(problems(options(LaunchOptions::MAX_SPIN)).is_empty());
    problem(
        options(Duration::from_secs(100)),
        &["spin is 100s", "10s at most", "use microseconds to milliseconds"],
    );
    let nearly = LaunchOptions::MAX_SPIN + Duration::from_nanos(1);
    problem(options(nearly), &["spin is 10.000000001s"]);
}

#[test]
fn dead_letters_have_a_limit() {
    let options = |most| LaunchOptions::default().dead_letters(most);
    assert!(problems(options(0)).is_empty() && problems(options(LaunchOptions::MAX_DEAD_LETTERS)).is_empty());
    problem(options(1_000_000_000), &["dead_letters is 1000000000", "0 ..= 1048576", "use 1048576"]);
}

#[test]
fn names_have_a_limit() {
    let long = |letters: usize| "ä".repeat(letters);
    let (named, queue) = (
        |letters| LaunchOptions::default().name(long(letters)),
        |letters| LaunchOptions::default().queue(NamedQueue::new(long(letters))),
    );
    assert!(problems(named(64)).is_empty() && problems(queue(64)).is_empty());
    for options in [named(65), queue(65)] {
        problem(options, &["the name that begins with \"ää", "has 130 bytes, and may have 128"]);
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    problem(
        LaunchOptions::default().track_latency(true).timestamps(false),
        &["track_latency", "leave timestamps on"],
    );
    problem(LaunchOptions::default().name(""), &["name is empty", "leave it out"]);
}

#[test]
fn q18_every_policy_is_offered() {
    let options = LaunchOptions::default;
    for by in [Deduplication::ById, Deduplication::ByPayload] {
        assert!(problems(options().deduplication(by).priority(true)).is_empty());
    }
    assert!(problems(options().expiry(Duration::from_nanos(1))).is_empty());
    problem(options().expiry(Duration::ZERO), &["expiry is 0", "use a longer one"]);
}

#[test]
fn q12_launches_have_the_presets_of_queues() {
    use annulus_queue::{MessageQueue, QueueOptions};
    for (launch, queue) in [
        (LaunchOptions::production(), QueueOptions::production()),
        (LaunchOptions::low_latency(), QueueOptions::low_latency()),
        (LaunchOptions::high_throughput(), QueueOptions::high_throughput()),
        (LaunchOptions::orleans(), QueueOptions::orleans()),
        (LaunchOptions::graph(), QueueOptions::graph()),
        (LaunchOptions::realtime(), QueueOptions::realtime()),
        (LaunchOptions::ml(), QueueOptions::ml()),
    ] {
        assert!(problems(launch.clone()).is_empty());
        let made = |options| MessageQueue::<u64>::new(options).unwrap();
        let (launched, plain) = (made(launch.to_queue_options()), made(queue.clone()));
        assert_eq!(launched.capacity(), plain.capacity());
        assert_eq!(launched.backpressure(), plain.backpressure());
        // All else that the two kinds of options have in common: what a queue of these options allocates,
        // which depends on the window, and whether it orders by priority.
        assert_eq!(launched.memory_usage(), plain.memory_usage());
        let by_id = annulus_queue::Deduplication::ByPayload;
        let memory =
            |options: QueueOptions| MessageQueue::<u64>::memory_usage_of(&options.deduplication(by_id));
        assert_eq!(memory(launch.to_queue_options()), memory(queue));
    }
}

#[test]
fn q39_named_queues_are_checked_like_the_kernels_own() {
    let named = |queue: NamedQueue| LaunchOptions::production().queue(queue);
    problem(named(NamedQueue::new("a").capacity(17)), &["queue \"a\"", "capacity is 17", "use 32"]);
    problem(
        named(NamedQueue::new("a").deduplication_window(8)),
        &["queue \"a\"", "deduplication_window is 8", "16 ..= 1024", "use 16"],
    );
    problem(named(NamedQueue::new("a").expiry(Duration::ZERO)), &["queue \"a\"", "expiry is 0"]);
    problem(
        named(NamedQueue::new("a").share(Share::Weight(1001))),
        &["weight is 1001", "1 ..= 1000", "use 1000"],
    );
    problem(LaunchOptions::production().share(Share::Weight(0)), &["weight is 0", "use 1"]);
    problem(named(NamedQueue::new("")), &["queue 1 has an empty name"]);
    problem(named(NamedQueue::new("a")).queue(NamedQueue::new("a")), &["two queues are named \"a\""]);
    let many = |count: usize| {
        (0..count)
            .map(|i| NamedQueue::new(i.to_string()))
            .fold(LaunchOptions::default(), LaunchOptions::queue)
    };
    assert!(problems(many(16)).is_empty());
    problem(many(17), &["17 queues", "16 besides its own"]);
}

#[test]
fn k04_rounds_need_turns_in_step() {
    let rounds = LaunchOptions::default().rounds(true);
    assert!(problems(rounds.clone()).is_empty());
    assert!(problems(LaunchOptions::default().supersteps(false).rounds(true)).is_empty());
    problem(rounds.supersteps(false), &["rounds are on, and supersteps off", "leave"]);
}

/// A status, a log and a metric are lines.
#[test]
fn o_01_names_have_no_control_characters() {
    problem(
        LaunchOptions::default().name("one\ntwo"),
        &[r#""one\ntwo""#, "control character", "leave it out"],
    );
    let queue = NamedQueue::new("orders\0");
    problem(LaunchOptions::default().queue(queue), &[r#""orders\0""#, "control character"]);
    assert!(problems(LaunchOptions::default().name("größe 数 \"x\" {y=1}")).is_empty());
}
