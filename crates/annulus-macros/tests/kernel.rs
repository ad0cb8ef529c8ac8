//! What `#[ring_kernel]` writes beside a handler: the kernel as data, and its entry on the CPU.
#![allow(clippy::disallowed_types)] // These atomics are a user's data.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use annulus::{
    __private::{
        BindingKind, BoundMemory, Invocation, KernelDefinition, NoOutput, ProcessingMode, RawOutbox,
        StateShape,
    },
    prelude::*,
};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: f32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Alert {
    sensor: u32,
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tick {
    times: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Stats {
    n: u32,
    sum: f32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Limits {
    high: f32,
}

/// Counts, and repeats what it hears as often as the reading says.
#[ring_kernel(mode = Adaptive, max_outputs = 2)]
fn detect(cx: &Cx, reading: &Reading, stats: &mut Stats, alerts: &Outbox<Alert>) -> Result<(), Failure> {
    stats.n += 1;
    stats.sum += reading.value;
    for _ in 0..reading.value as u32 {
        alerts.send(Alert { sensor: reading.sensor + cx.block_index(), value: reading.value });
    }
    if reading.value < 0.0 { Err(Failure::of(77)) } else { Ok(()) }
}

#[ring_kernel(name = "everything", max_outputs = 256)]
fn everything(
    tick: &Tick,
    table: &[f32],
    out: &Outbox<Alert>,
    counts: &[AtomicU32],
    Stats { n, .. }: &mut Stats,
    limits: &Limits,
    history: &mut [u16],
    totals: &[AtomicI64],
    weights: &[f32; 2],
) {
    *n += tick.times;
    history[0] += 1;
    counts[1].fetch_add(tick.times, Ordering::Relaxed);
    totals[0].fetch_sub(1, Ordering::Relaxed);
    out.send(Alert { sensor: *n, value: table[0] + limits.high + weights[1] });
}

#[ring_kernel]
pub(crate) fn quiet(_: &Tick) {}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 65536)]
#[allow(clippy::unused_unit)] // A handler may spell it out.
fn r#match(_cx: &annulus::prelude::Cx, Tick { .. }: &self::Tick) -> () {}

/// Memory for outbound messages, as a block of the CPU backend would lend it.
struct Ring {
    slots: [Alert; 4],
}

impl Ring {
    fn new() -> Self {
        Self { slots: [Alert { sensor: 0, value: 0.0 }; 4] }
    }

    fn outbox(&mut self, limit: u32) -> RawOutbox {
        // SAFETY: four aligned slots that live as long as the ring, which the caller keeps still; nobody else
        // looks.
        let outbox = unsafe { RawOutbox::new(self.slots.as_mut_ptr().cast(), size_of::<Alert>(), 3, limit) };
        // SAFETY: the outbox's slots are this test's own.
        unsafe { outbox.begin(0) };
        outbox
    }
}

fn call<M, S>(
    definition: &KernelDefinition,
    message: &M,
    state: &mut S,
    bindings: &[BoundMemory],
    outbox: &RawOutbox,
) -> Result<(), Failure> {
    let invocation = Invocation {
        cx: Cx::new(1, 2, 0),
        message: std::ptr::from_ref(message).cast(),
        state: std::ptr::from_mut(state).cast(),
        bindings,
        outbox,
        later: None,
        actor: &ThisActor::new(),
    };
    // SAFETY: each test gives the types that its definition names.
    unsafe { (definition.cpu)(&invocation) }
}

fn memory<T>(values: &mut [T]) -> BoundMemory {
    BoundMemory { data: values.as_mut_ptr().cast(), len: values.len() }
}

#[test]
fn success_commits_state_and_sends() {
    let (mut ring, mut stats) = (Ring::new(), Stats { n: 1, sum: 1.0 });
    let outbox = ring.outbox(2);
    let reading = Reading { sensor: 6, value: 2.0 };
    assert_eq!(call(detect::DEFINITION, &reading, &mut stats, &[], &outbox), Ok(()));
    assert_eq!(stats, Stats { n: 2, sum: 3.0 });
    assert_eq!((outbox.sent(), outbox.refused()), (2, false));
    assert_eq!(ring.slots[..2], [Alert { sensor: 7, value: 2.0 }; 2]);
}

#[test]
fn an_error_leaves_the_state_alone() {
    let (mut ring, mut stats) = (Ring::new(), Stats { n: 1, sum: 1.0 });
    let outbox = ring.outbox(2);
    let verdict = call(detect::DEFINITION, &Reading { sensor: 6, value: -1.0 }, &mut stats, &[], &outbox);
    assert_eq!(verdict.map_err(Failure::code), Err(77));
    assert_eq!(stats, Stats { n: 1, sum: 1.0 });
}

#[test]
fn too_many_sends_leave_the_state_alone() {
    let (mut ring, mut stats) = (Ring::new(), Stats { n: 1, sum: 1.0 });
    let outbox = ring.outbox(2);
    let verdict = call(detect::DEFINITION, &Reading { sensor: 6, value: 3.0 }, &mut stats, &[], &outbox);
    assert_eq!(verdict, Ok(()), "the block sees that the outbox refused, and fails the message");
    assert!(outbox.refused());
    assert_eq!(stats, Stats { n: 1, sum: 1.0 });
}

#[test]
fn every_kind_of_parameter_arrives() {
    let (mut ring, mut stats) = (Ring::new(), Stats::default());
    let outbox = ring.outbox(256);
    let (mut table, mut history, mut limits) = ([0.5f32, 9.0], [3u16, 4], [Limits { high: 10.0 }]);
    let mut counts = [AtomicU32::new(0), AtomicU32::new(40)];
    let (mut totals, mut weights) = ([AtomicI64::new(0)], [[1.0f32, 100.0]]);
    let bindings = [
        memory(&mut table),
        memory(&mut counts),
        memory(&mut limits),
        memory(&mut history),
        memory(&mut totals),
        memory(&mut weights),
    ];
    assert_eq!(call(everything::DEFINITION, &Tick { times: 2 }, &mut stats, &bindings, &outbox), Ok(()));
    assert_eq!(stats.n, 2);
    assert_eq!(history, [4, 4]);
    assert_eq!(counts[1].load(Ordering::Relaxed), 42);
    assert_eq!(totals[0].load(Ordering::Relaxed), -1);
    assert_eq!(ring.slots[0], Alert { sensor: 2, value: 110.5 });
}

#[test]
fn the_definition_says_what_was_written() {
    let definition = detect::DEFINITION;
    assert_eq!(definition.name, "detect");
    assert_eq!(definition.module, module_path!());
    assert_eq!(definition.file, file!());
    let (before, _) = include_str!("kernel.rs").split_once("fn detect(").expect("the handler is here");
    assert_eq!(definition.line as usize, before.lines().count() + 1);
    assert_eq!(definition.message, Reading::DESCRIPTOR);
    assert_eq!(definition.output, Some(Alert::DESCRIPTOR));
    assert_eq!(definition.bindings, []);
    assert_eq!(definition.mode, ProcessingMode::Adaptive);
    assert_eq!((definition.max_messages_per_iteration, definition.max_outputs), (32, 2));
    let reading = Reading { sensor: 12, value: 0.0 };
    let key = definition.key.expect("readings have a key");
    // SAFETY: the pointer is to a reading.
    assert_eq!(unsafe { key((&raw const reading).cast()) }, 12);
}

#[test]
fn a_key_decides_whose_the_state_is() {
    let StateShape::PerActor(state) = detect::DEFINITION.state else { panic!("readings have a key") };
    assert_eq!(state.ty, Stats::DESCRIPTOR);
    let mut stats = Stats { n: 9, sum: 9.0 };
    // SAFETY: the pointer is to memory for such a state.
    unsafe { (state.init)((&raw mut stats).cast()) };
    assert_eq!(stats, Stats::default());

    assert!(matches!(everything::DEFINITION.state, StateShape::Whole(_)));
    assert!(matches!(quiet::DEFINITION.state, StateShape::Stateless));
}

#[test]
fn bindings_are_in_the_order_of_the_handler() {
    let bindings: Vec<_> = everything::DEFINITION
        .bindings
        .iter()
        .map(|binding| (binding.name, binding.kind, binding.ty))
        .collect();
    assert_eq!(
        bindings,
        [
            ("table", BindingKind::Table, f32::DESCRIPTOR),
            ("counts", BindingKind::Shared, u32::DESCRIPTOR),
            ("limits", BindingKind::Parameter, Limits::DESCRIPTOR),
            ("history", BindingKind::Whole, u16::DESCRIPTOR),
            ("totals", BindingKind::Shared, i64::DESCRIPTOR),
            ("weights", BindingKind::Parameter, <[f32; 2]>::DESCRIPTOR),
        ]
    );
    let _bound = everything::bind(&[0.5], &[0, 0], Limits { high: 1.0 }, &[0; 16], &[-1], [1.0, 2.0]);
}

#[test]
fn what_is_not_said_has_a_default() {
    let definition = quiet::DEFINITION;
    assert_eq!(definition.mode, ProcessingMode::Continuous);
    assert_eq!((definition.max_messages_per_iteration, definition.max_outputs), (1, 0));
    assert_eq!((definition.output, definition.key), (None, None));
    fn is_no_output<K: RingKernel<Output = NoOutput>>() {}
    is_no_output::<quiet>();

    assert_eq!(everything::DEFINITION.name, "everything");
    assert_eq!(everything::DEFINITION.max_outputs, 256);
    assert_eq!(r#match::DEFINITION.name, "match");
    assert_eq!(r#match::DEFINITION.max_messages_per_iteration, 65536);

    #[ring_kernel(mode = Batch)]
    fn batch(_: &Tick, _sent: &Outbox<Alert>) {}
    assert_eq!((batch::DEFINITION.max_messages_per_iteration, batch::DEFINITION.max_outputs), (64, 1));
}

#[test]
fn the_handler_stays_a_function() {
    let mut history = [];
    quiet(&Tick { times: 1 });
    #[ring_kernel]
    fn local(_: &Tick, history: &mut [u32]) -> Result<(), Failure> {
        Err(Failure::of(history.len() as u16 + 1))
    }
    assert_eq!(local(&Tick { times: 1 }, &mut history).map_err(Failure::code), Err(1));
    fn launches<K: RingKernel>(
        _: fn(&Runtime, LaunchOptions) -> Result<KernelHandle<K>, annulus::__private::LaunchError>,
    ) {
    }
    launches(quiet::launch);
    launches(detect::launch);
}

/// W-06, W-16: the properties of the attribute become the options of its launches.
#[test]
fn w06_the_attribute_says_how_it_is_launched() {
    use annulus::{Backpressure, Deduplication};

    #[ring_kernel(
        capacity = 256,
        output_capacity = 1_024,
        backpressure = DropOldest,
        deduplication = ById,
        deduplication_window = 64,
        priority = true,
        expiry = "1500 us",
        timestamps = false,
        calls = false,
        track_latency = false,
        dead_letters = 5,
        active = false,
        grid = 4,
        block = 64,
        actors = 12,
        sparse_keys = true,
        evict_actors = true,
        run_mode = EventDriven,
        leave_after = 250,
        spin = "5 us",
        consistency = ReleaseAcquire,
        causal_ordering = true,
        sealed = false,
        count_turns = true,
        slow_after = "5 ms",
        black_box = true,
        trace_sample = 0.25,
        causal = true,
        tracing = true,
        connectable = true,
        supersteps = true,
        rounds = true
    )]
    fn asked(_: &Tick) {}

    let expected = LaunchOptions::production()
        .capacity(256)
        .output_capacity(1024)
        .backpressure(Backpressure::DropOldest)
        .deduplication(Deduplication::ById)
        .deduplication_window(64)
        .priority(true)
        .expiry(std::time::Duration::from_micros(1500))
        .timestamps(false)
        .calls(false)
        .dead_letters(5)
        .active(false)
        .grid(4)
        .block(64)
        .actors(12)
        .sparse_keys(true)
        .evict_actors(true)
        .run_mode(annulus::RunMode::EventDriven)
        .leave_after(250)
        .spin(std::time::Duration::from_micros(5))
        .consistency(annulus::Consistency::ReleaseAcquire)
        .causal_ordering(true)
        .sealed(false)
        .count_turns(true)
        .slow_after(std::time::Duration::from_millis(5))
        .black_box(true)
        .causal(true)
        .tracing(true)
        .trace_sample(0.25)
        .connectable(true)
        .supersteps(true)
        .rounds(true);
    assert_eq!(asked::options(), expected);
    assert_eq!(quiet::options(), LaunchOptions::production());

    // Each by itself: actors that give way are those of sparse keys.
    #[ring_kernel(sparse_keys = true)]
    fn sparse(_: &Tick) {}
    #[ring_kernel(evict_actors = true)]
    fn evicting(_: &Tick) {}
    #[ring_kernel(sparse_keys = false, evict_actors = false)]
    fn dense(_: &Tick) {}
    let words = |options: LaunchOptions| (options.shape.sparse_keys, options.shape.evict_actors);
    assert_eq!(words(sparse::options()), (true, false));
    assert_eq!(words(evicting::options()), (true, true));
    assert_eq!(dense::options(), LaunchOptions::production());
}

/// What an attribute says of launches holds for each option that a launch does not name.
#[test]
fn a_launch_has_what_the_attribute_says_unless_it_says_otherwise() {
    #[ring_kernel(capacity = 64, connectable = true, active = false, actors = 3)]
    fn worded(tick: &Tick, sum: &mut u32, out: &Outbox<Tick>) {
        *sum += tick.times;
        out.send(Tick { times: *sum });
    }
    #[ring_kernel(domain = GraphAnalytics)]
    fn graph(_: &Tick) {}

    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let memory = |options| worded::bind().memory(&runtime, options).unwrap();
    let words = memory(worded::options());
    assert_eq!(memory(LaunchOptions::production()), words);
    let kernel = worded::launch(&runtime, LaunchOptions::production().name("plain")).unwrap();
    assert_eq!(kernel.status().memory, words);
    let state = kernel.status().state;
    assert!(matches!(state, annulus::KernelState::Launched | annulus::KernelState::Inactive), "{state}");
    let other = worded::launch(&runtime, LaunchOptions::production().name("other")).unwrap();
    other.connect(&kernel).unwrap();
    // A preset names what it changes.
    let preset = memory(LaunchOptions::low_latency());
    assert!(preset.inbound > words.inbound);
    assert_eq!(preset, memory(worded::options().capacity(256)));
    // A word that needs another one brings it along.
    #[ring_kernel(hold = 64)]
    fn holding(tick: &Tick, out: &Outbox<Tick>, other: &Outbox<Tick>) {
        out.send(*tick);
        other.send(*tick);
    }
    holding::launch(&runtime, LaunchOptions::production()).unwrap();
    // What a domain says, too.
    let domain = |options| graph::bind().memory(&runtime, options).unwrap();
    assert_eq!(domain(LaunchOptions::production()), domain(graph::options()));
    let named = domain(LaunchOptions::production().capacity(4096));
    assert!(domain(LaunchOptions::production()).inbound > named.inbound);
}

/// W-16, M-08: a domain is what the options begin with, and a launch with them is another; each of its defaults can be
/// said otherwise.
#[test]
fn w16_m08_a_domain_is_where_the_options_begin() {
    use annulus::Domain;

    #[ring_kernel(domain = GraphAnalytics)]
    fn graph(_: &Tick) {}
    #[ring_kernel(domain = SpatialSimulation)]
    fn spatial(_: &Tick) {}
    #[ring_kernel(domain = ActorModel)]
    fn actors(_: &Tick) {}
    #[ring_kernel(domain = General)]
    fn general(_: &Tick) {}
    #[ring_kernel(capacity = 64, supersteps = false, mode = Adaptive, domain = SpatialSimulation)]
    fn changed(_: &Tick) {}

    for (domain, options, definition) in [
        (Domain::General, general::options(), general::DEFINITION),
        (Domain::GraphAnalytics, graph::options(), graph::DEFINITION),
        (Domain::SpatialSimulation, spatial::options(), spatial::DEFINITION),
        (Domain::ActorModel, actors::options(), actors::DEFINITION),
    ] {
        let preset = LaunchOptions::for_domain(domain);
        assert_eq!(options, preset, "{domain:?}");
        assert!(preset.validate().is_ok());
        // A launch with other options still has the domain's mode.
        let shape = preset.shape;
        assert_eq!(definition.mode, shape.mode.unwrap_or(ProcessingMode::Continuous), "{domain:?}");
        let cap = shape.max_messages_per_iteration.unwrap_or(1);
        assert_eq!(definition.max_messages_per_iteration, cap, "{domain:?}");
    }
    assert_eq!(general::options(), LaunchOptions::production());
    // What is launched has room for as many messages as the domain says.
    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let general = general::launch(&runtime, general::options().backpressure(Backpressure::Reject)).unwrap();
    let graph = graph::launch(&runtime, graph::options().backpressure(Backpressure::Reject)).unwrap();
    general.deactivate_blocking().unwrap();
    graph.deactivate_blocking().unwrap();
    assert_eq!((0..20_000).filter(|_| general.try_send(Tick { times: 0 }).is_ok()).count(), 4096);
    assert_eq!((0..20_000).filter(|_| graph.try_send(Tick { times: 0 }).is_ok()).count(), 16_384);
    let domains = [graph::options(), spatial::options(), actors::options(), general::options()];
    assert!((0..4).all(|a| (0..a).all(|b| domains[a] != domains[b])), "each one changes something");

    let expected = LaunchOptions::for_domain(Domain::SpatialSimulation).capacity(64).supersteps(false);
    let expected = expected.mode(ProcessingMode::Adaptive).max_messages_per_iteration(32);
    assert_eq!(changed::options(), expected);
    assert_eq!(changed::DEFINITION.mode, ProcessingMode::Adaptive);
}

/// W-15, W-16: a kernel may name the backends that it may be launched on; the error of another one names both.
#[test]
fn w15_w16_a_kernel_may_name_its_backends() {
    #[ring_kernel(backends = [OpenCl, Cuda])]
    fn on_devices(_: &Tick) {}
    #[ring_kernel(backends = ["somebody's", Cpu])]
    fn at_home(_: &Tick) {}
    assert_eq!(on_devices::DEFINITION.backends, ["opencl", "cuda"]);
    assert_eq!(at_home::DEFINITION.backends, ["somebody's", "cpu"]);
    assert!(quiet::DEFINITION.backends.is_empty());

    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    assert!(at_home::launch(&runtime, LaunchOptions::production()).is_ok());
    let error = on_devices::launch(&runtime, LaunchOptions::production()).unwrap_err();
    assert!(matches!(error, annulus::LaunchError::NotAllowed { backend: "cpu", .. }));
    assert_eq!(
        error.to_string(),
        "`on_devices` may be launched on opencl, cuda only, as its attribute says, and this runtime is on cpu: \
         build the runtime on one of those, or add this one to the attribute's `backends`"
    );
    assert!(runtime.kernel("on_devices").is_err());
}

/// W-16: `shared_memory` is the most that the arrays of a block may have, on every backend.
#[test]
fn w16_shared_memory_is_a_limit() {
    use annulus::prelude::{Block, BlockCx};

    #[ring_kernel(shared_memory = 1_024)]
    fn fits(cx: &BlockCx, _: &Tick) {
        let _ = (cx.shared::<u32, 128>(), cx.shared::<f64, 64>());
    }
    #[ring_kernel(shared_memory = 1023, untested)]
    fn too_much(cx: &BlockCx, _: &Tick) {
        let _ = (cx.shared::<u32, 128>(), cx.shared::<f64, 64>());
    }
    #[ring_kernel(shared_memory = 32_768)]
    fn large(cx: &BlockCx, _: &Tick) {
        let _ = cx.shared::<u8, 32_768>();
    }
    #[ring_kernel(untested)]
    fn by_default(cx: &BlockCx, _: &Tick, _state: &Block<u32>) {
        let _ = (cx.shared::<u8, 16_384>(), cx.shared::<i8, 1>());
    }
    assert_eq!(fits::DEFINITION.check(), Ok(()));
    assert_eq!(large::DEFINITION.check(), Ok(()));
    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let launched = too_much::launch(&runtime, LaunchOptions::production());
    let error = launched.unwrap_err().to_string();
    assert!(error.contains("have 1024 bytes, and the kernel may have 1023"), "{error}");
    assert!(error.contains("`shared_memory = 1024`"), "{error}");
    let error = by_default::DEFINITION.check().unwrap_err().to_string();
    assert!(error.contains("have 16385 bytes, and the kernel may have 16384"), "{error}");
}

/// W-16: the guide's table has every word that the attribute takes, as the refusal of an unknown one lists them.
#[test]
fn w16_the_guide_says_what_each_word_does() {
    let guide = include_str!("../../../docs/guide/words.md");
    let refusal = include_str!("ui/kernel_words.stderr");
    let list = refusal.lines().find(|line| line.contains("`modus` is no word of")).expect("it is refused");
    let (_, list) = list.split_once("they are ").expect("it lists them");
    let words: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    assert!(words.len() > 30 && words.contains(&"shared_memory") && words.contains(&"spin"), "{words:?}");
    for word in words {
        let row = guide.lines().any(|line| {
            line.starts_with('|')
                && line.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{word}`")))
        });
        assert!(row, "docs/guide/words.md has no row for `{word}`");
    }
}

/// W-13: the clock is read only for handlers that ask for the time, or may.
#[test]
fn w13_a_handler_that_asks_for_the_time_says_so() {
    #[device_fn]
    fn late(cx: &Cx, limit: u64) -> bool {
        cx.now() > limit
    }

    #[ring_kernel]
    fn asks(cx: &Cx, tick: &Tick) {
        let _ = cx.now() + u64::from(tick.times);
    }
    #[ring_kernel]
    fn may_ask(context: &Cx, tick: &Tick) {
        let _ = late(context, tick.times.into());
    }
    #[ring_kernel]
    fn asks_where_it_is(cx: &Cx, tick: &Tick) {
        let _ = cx.block_index() + tick.times;
    }
    #[ring_kernel]
    fn asks_nothing(_: &Cx, _: &Tick) {}

    let asks_time = [asks::DEFINITION, may_ask::DEFINITION].map(|definition| definition.asks_time);
    assert_eq!(asks_time, [true, true]);
    let others = [asks_where_it_is::DEFINITION, asks_nothing::DEFINITION, quiet::DEFINITION];
    assert!(others.iter().all(|definition| !definition.asks_time));
    let source = |definition: &'static annulus::kernel::KernelDefinition| {
        definition.handler_source(annulus::kernel::Target::OpenCl).unwrap()
    };
    assert!(
        source(asks::DEFINITION).contains("ANN_ASKS_TIME")
            && source(may_ask::DEFINITION).contains("ANN_ASKS_TIME")
    );
    assert!(others.iter().all(|definition| !source(definition).contains("ann_time")));
}

/// W-01, W-02, W-04, W-05: one type per kernel launches it, by named options and never by position, and hands
/// out a typed handle; before the launch there is nothing to send to, poll or reset, so the texts that forbid
/// it are type errors. The handle closes what it opened.
#[test]
fn w01_w02_w04_w05_a_kernel_has_a_type_of_its_own() {
    use annulus::{LaunchOptions, Runtime, prelude::*};

    let launch: fn(&Runtime, LaunchOptions) -> Result<KernelHandle<quiet>, annulus::LaunchError> =
        quiet::launch;
    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let handle = launch(&runtime, quiet::options().grid(2).block(32)).unwrap();
    assert_eq!((handle.name(), handle.grid()), ("quiet", 2));
    assert!(handle.try_send(Tick { times: 1 }).is_ok());
    let status = handle.clone();
    drop(handle);
    assert!(status.status().accepts_messages, "a clone keeps it");
    drop(status);
    let gone = (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        runtime.kernel("quiet").is_err()
    });
    assert!(gone, "the last handle ends the kernel");
}

/// W-03: telemetry is enabled, polled and reset through the handle.
#[test]
fn w03_telemetry_by_the_handle() {
    use annulus::{LaunchOptions, Runtime};

    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let kernel = quiet::launch(&runtime, LaunchOptions::production()).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let _ = kernel.send_blocking(Tick { times: 1 }).unwrap();
    annulus::block_on(kernel.drained());
    assert_eq!(telemetry.poll().messages_processed, 1);
    telemetry.reset();
    assert_eq!(telemetry.poll().messages_processed, 0);
}

/// W-12: text and collections travel inside a message, within bounds that its type says.
#[test]
fn w12_text_and_lists_travel_inside_messages() {
    use annulus::{LaunchOptions, Runtime, prelude::*};

    #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Order {
        symbol: Text<12>,
        prices: List<f64, 4>,
    }

    #[ring_kernel]
    fn best(order: &Order, out: &Outbox<Order>) {
        let mut answer = *order;
        let mut i: usize = 1;
        while i < order.prices.len as usize {
            if order.prices.items[i] > answer.prices.items[0] {
                answer.prices.items[0] = order.prices.items[i];
            }
            i += 1;
        }
        answer.prices.len = 1;
        out.send(answer);
    }

    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let kernel = best::launch(&runtime, LaunchOptions::production()).unwrap();
    let order = Order { symbol: Text::new("ÅNG.ST").unwrap(), prices: List::new(&[1.0, 3.5, 2.0]).unwrap() };
    let answer = kernel.call_blocking(order).unwrap();
    assert_eq!(answer.symbol.as_str(), Ok("ÅNG.ST"));
    assert_eq!(answer.prices.as_slice(), [3.5]);
    assert!(Text::<4>::new("ÅNG.ST").is_err() && List::<f64, 2>::new(&[0.0; 3]).is_err());
}

/// A method `end` of the user's own is called, whatever the receiver is; beside it a handler's actor ends.
#[test]
fn a_method_end_is_the_users_own() {
    #[derive(DeviceType, Clone, Copy, Default)]
    #[repr(C)]
    struct Span {
        first: u32,
        count: u32,
    }

    #[device_impl]
    impl Span {
        fn end(self) -> u32 {
            self.first + self.count
        }
    }

    #[device_impl]
    impl std::ops::Add for Span {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self { first: self.first, count: self.count + other.count }
        }
    }

    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    struct Part {
        span: Span,
    }

    #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Sum {
        of_ends: u32,
    }

    #[ring_kernel]
    fn ends(part: &Part, all: &mut Span, actor: &ThisActor, out: &Outbox<Sum>) {
        let found = if part.span.count != 0 { Some(part.span) } else { None };
        let sum = (*all + part.span).end() + part.span.end() + found.unwrap().end();
        *all = *all + part.span;
        if all.end() > 9 {
            actor.end();
        }
        out.send(Sum { of_ends: sum });
    }

    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build().unwrap();
    let kernel = ends::launch(&runtime, LaunchOptions::production()).unwrap();
    let call = |first, count| {
        let sum = kernel.call_blocking(Part { span: Span { first, count } });
        sum.map(|sum| sum.of_ends)
    };
    assert_eq!(call(1, 4), Ok(4 + 5 + 5));
    assert_eq!(call(1, 6), Ok(10 + 7 + 7));
    assert_eq!(call(1, 4), Ok(4 + 5 + 5), "it began anew");
    assert!(call(1, 0).is_err());
}
