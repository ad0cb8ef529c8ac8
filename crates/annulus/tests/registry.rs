//! Every kernel of a program can be found, launched and talked to by its name.

use std::{sync::LazyLock, time::Duration};

use annulus::{
    AlreadyRegistered, DynamicError, HandleError, LaunchOptions, RegisteredKernel, ShutdownOutcome, Topology,
    TopologyError,
    kernel::{Binding, KernelDefinition},
    prelude::*,
};
use serde_json::{Value, json};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: i64,
}

/// Adds up each sensor's readings, times a factor.
#[ring_kernel(actors = 4)]
fn sums(reading: &Reading, sum: &mut i64, factor: &i64, out: &Outbox<Reading>) {
    *sum = sum.wrapping_add(reading.value.wrapping_mul(*factor));
    out.send(Reading { sensor: reading.sensor, value: *sum });
}

mod one {
    use annulus::prelude::*;

    #[ring_kernel]
    pub(super) fn twice_named(value: &super::Reading) {
        let _ = value;
    }
}

mod two {
    use annulus::prelude::*;

    #[ring_kernel]
    fn twice_named(value: &super::Reading) {
        let _ = value;
    }
}

/// What somebody takes for `Reading`.
mod other {
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy, Debug)]
    #[repr(C)]
    pub(super) struct Reading {
        #[ring(key)]
        pub(super) sensor: u32,
        pub(super) value: f64,
    }

    /// As large as a reading.
    #[derive(RingMessage, Clone, Copy, Debug)]
    #[repr(C)]
    pub(super) struct Bytes {
        pub(super) bytes: [u64; 2],
    }
}

/// The same layout, and not the same type: it has no key.
mod twin {
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy, Debug)]
    #[repr(C)]
    pub(super) struct Reading {
        pub(super) sensor: u32,
        pub(super) value: i64,
    }
}

/// Even values go out by one outbox, odd ones by two others.
#[ring_kernel]
fn deal(reading: &Reading, even: &Outbox<Reading>, odd: &Outbox<twin::Reading>, raw: &Outbox<other::Bytes>) {
    if reading.value % 2 == 0 {
        even.send(*reading);
    } else {
        odd.send(twin::Reading { sensor: reading.sensor, value: reading.value });
        raw.send(other::Bytes { bytes: [reading.sensor.into(), reading.value as u64] });
    }
}

/// Answers readings of the first sensor, and sends all others on.
#[ring_kernel]
fn small(reading: &Reading, others: &Outbox<Reading>, reply: &Reply<Reading>) {
    if reading.sensor == 0 {
        reply.send(*reading);
    } else {
        others.send(*reading);
    }
}

/// A kernel that the linker does not see: the kernel `twice_named` under another name.
struct Hidden;

// SAFETY: the definition is that of a kernel with these types.
unsafe impl RingKernel for Hidden {
    type Message = Reading;
    type Output = <one::twice_named as RingKernel>::Output;
    type Answer = Self::Output;
    const DEFINITION: &'static KernelDefinition =
        &KernelDefinition { name: "hidden", ..*one::twice_named::DEFINITION };
}

/// Registers it, once: all tests are of one program, and see the same list.
fn hidden() -> &'static RegisteredKernel {
    static HIDDEN: LazyLock<&RegisteredKernel> =
        LazyLock::new(|| RegisteredKernel::register::<Hidden>(LaunchOptions::production).unwrap());
    *HIDDEN
}

fn runtime() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

fn launch_sums(runtime: &Runtime) -> annulus::DynamicKernel {
    let kernel = RegisteredKernel::find("sums").unwrap();
    let binding = Binding::read(&kernel.definition().bindings[0], json!(10)).unwrap();
    assert_eq!(kernel.options(), sums::options());
    kernel.launch(runtime, kernel.options(), vec![binding]).unwrap()
}

/// R-09, R-10: the list knows every kernel with its types and its place, without reflection.
#[test]
fn r09_r10_all_kernels_are_listed() {
    hidden();
    let paths: Vec<_> = RegisteredKernel::all().iter().map(|kernel| kernel.path()).collect();
    assert_eq!(
        paths,
        [
            "registry::deal",
            "registry::one::hidden",
            "registry::small",
            "registry::sums",
            "registry::one::twice_named",
            "registry::two::twice_named",
        ]
    );
    let definition = RegisteredKernel::find("sums").unwrap().definition();
    assert_eq!((definition.message.name, definition.output.unwrap().name), ("Reading", "Reading"));
    assert!(definition.file.ends_with("registry.rs"));
}

#[test]
fn a_kernel_without_name_or_with_two_is_not_found() {
    hidden();
    let unknown = RegisteredKernel::find("sum").unwrap_err().to_string();
    assert_eq!(
        unknown,
        "no kernel is called `sum`; there are registry::deal, registry::one::hidden, registry::small, registry::sums, registry::one::twice_named, registry::two::twice_named"
    );
    let two = RegisteredKernel::find("twice_named").unwrap_err().to_string();
    assert!(two.starts_with("several kernels are called `twice_named`: say which of registry::one"), "{two}");
    assert_eq!(RegisteredKernel::find("one::twice_named").unwrap().path(), "registry::one::twice_named");
}

#[test]
fn a_kernel_takes_and_gives_json() {
    let runtime = runtime();
    let kernel = launch_sums(&runtime);
    for value in [1, 2] {
        kernel.send_blocking(&json!({"sensor": 3, "value": value}).to_string()).unwrap();
    }
    for sum in [10, 30] {
        let output: Value =
            serde_json::from_str(&kernel.recv_timeout(Duration::from_secs(60)).unwrap()).unwrap();
        assert_eq!(output, json!({"sensor": 3, "value": sum}));
    }
    assert_eq!(kernel.call_blocking(r#"{"sensor": 1, "value": -1}"#).unwrap(), r#"{"sensor":1,"value":-10}"#);
    // A reply can be received before its message is counted.
    annulus::block_on(kernel.control().drained());
    assert_eq!(kernel.control().status().processed, 3);
}

/// R-08: what is wrong with a message names the type and the place.
#[test]
fn r08_a_wrong_message_is_refused() {
    let runtime = runtime();
    let kernel = launch_sums(&runtime);
    let error = kernel.send_blocking(r#"{"sensor": 3, "value": "x"}"#).unwrap_err();
    assert!(matches!(error, DynamicError::Text { message: "Reading", .. }));
    assert!(error.to_string().starts_with("not of type Reading: .value: invalid type: string"), "{error}");
    let error = kernel.send_blocking(r#"{"sensor": 3, "value": 1} {}"#).unwrap_err();
    assert!(error.to_string().contains("trailing characters"), "{error}");
    let error = kernel.call_blocking(r#"{"sensor": 9, "value": 1}"#).unwrap_err();
    assert!(error.to_string().contains("actor"), "{error}");
}

/// A launch by name without what it binds is an error that says what is missing.
#[test]
fn r08_a_wrong_binding_names_both_types() {
    let kernel = RegisteredKernel::find("sums").unwrap();
    let error = kernel.launch(&runtime(), LaunchOptions::default().actors(1), vec![Binding::parameter(1u8)]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("factor: Parameter of i64") && error.contains("u8"), "{error}");
}

/// R-10: a kernel that the linker does not see is registered at run time, found and launched like any other; a
/// second one of its path is refused, also if the linker has seen the first.
#[test]
fn r10_registered_at_run_time_and_twice_refused() {
    let kernel = hidden();
    assert_eq!(RegisteredKernel::find("one::hidden").unwrap().path(), kernel.path());
    let launched = kernel.launch(&runtime(), kernel.options().actors(1), vec![]).unwrap();
    launched.send_blocking(r#"{"sensor": 0, "value": 1}"#).unwrap();
    launched.control().drained_blocking();
    assert_eq!(launched.control().status().processed, 1);

    let refused: AlreadyRegistered =
        RegisteredKernel::register::<Hidden>(LaunchOptions::production).unwrap_err();
    assert_eq!(refused.path, "registry::one::hidden");
    let refused = RegisteredKernel::register::<sums>(sums::options).unwrap_err().to_string();
    assert_eq!(refused, "registry::sums is registered already: each kernel of a program once");
}

/// R-08: who knows the types alone sends and receives by a kernel's name; JSON goes to it as well, whoever
/// launched it.
#[test]
fn r08_senders_receivers_and_json_by_name() {
    let runtime = runtime();
    let kernel = sums::bind(10).launch(&runtime, sums::options().name("mine")).unwrap();
    let sender = runtime.sender::<Reading>("mine").unwrap();
    let receiver = runtime.receiver::<Reading>("mine").unwrap();
    // They keep it, as handles do.
    drop(kernel);
    let _ = sender.clone().send_blocking(Reading { sensor: 3, value: 2 }).unwrap();
    assert_eq!(receiver.recv_blocking().unwrap().value, 20);
    let dynamic = runtime.dynamic("mine").unwrap();
    assert_eq!(dynamic.call_blocking(r#"{"sensor": 3, "value": 1}"#).unwrap(), r#"{"sensor":3,"value":30}"#);
    drop((sender, receiver));
    assert!(runtime.kernel("mine").is_ok());
    drop(dynamic);
    // The name is free, or about to be.
    let _again = sums::bind(1).launch(&runtime, sums::options().name("mine")).unwrap();
}

/// R-08: the error names both types and the field that differs. R-09: bytes as many as a message has are no
/// message.
#[test]
fn r08_r09_names_both_types_and_there_is_no_byte_fallback() {
    let runtime = runtime();
    let _kernel = sums::bind(1).launch(&runtime, sums::options()).unwrap();
    let refused = |error: HandleError| error.to_string();
    let input = |error: HandleError| {
        assert!(matches!(error, HandleError::Input { takes: "Reading", .. }), "{error}");
        refused(error)
    };
    assert_eq!(
        input(runtime.sender::<other::Reading>("sums").unwrap_err()),
        "input of kernel `sums` takes `Reading`, not `Reading`: field `value` is i64 there, f64 here"
    );
    assert_eq!(
        input(runtime.sender::<other::Bytes>("sums").unwrap_err()),
        "input of kernel `sums` takes `Reading`, not `Bytes`: field `sensor` stands there where `bytes` stands here"
    );
    // The same fields, but no key: messages would reach other actors.
    assert_eq!(
        input(runtime.sender::<twin::Reading>("sums").unwrap_err()),
        "input of kernel `sums` takes `Reading`, not `Reading`: it is another type than \
         registry::twin::Reading, of the same name and fields"
    );
    assert_eq!(
        refused(runtime.receiver::<other::Reading>("sums").unwrap_err()),
        "output of kernel `sums` is `Reading`, not `Reading`: field `value` is i64 there, f64 here"
    );
    assert_eq!(
        refused(runtime.receiver::<Reading>("sums.out").unwrap_err()),
        "kernel `sums` has no outbox `out`: ask by the kernel's name alone"
    );
    assert_eq!(
        refused(runtime.sender::<Reading>("sum").unwrap_err()),
        "no kernel named `sum` is running; these are: sums"
    );
    let _silent = one::twice_named::launch(&runtime, LaunchOptions::production().actors(1)).unwrap();
    assert_eq!(
        refused(runtime.receiver::<Reading>("twice_named").unwrap_err()),
        "kernel `twice_named` sends nothing: its handler has no `&Outbox`"
    );
}

/// R-08: of several outboxes, the type says which one, or its name does.
#[test]
fn r08_outboxes_by_type_and_name() {
    let runtime = runtime();
    let kernel = deal::launch(&runtime, LaunchOptions::production()).unwrap();
    for value in 0..4 {
        let _ = kernel.send_blocking(Reading { sensor: 0, value }).unwrap();
    }
    let raw = runtime.receiver::<other::Bytes>("deal").unwrap();
    assert_eq!(raw.recv_blocking().unwrap().bytes, [0, 1]);
    assert_eq!(raw.recv_timeout(Duration::from_secs(60)).unwrap().bytes, [0, 3]);
    let even = runtime.receiver::<Reading>("deal.even").unwrap();
    assert_eq!(annulus::block_on(even.recv()).unwrap().value, 0);
    assert_eq!(even.try_recv().unwrap().value, 2);
    // Outputs are plain data: the same name and the same layout are the same type.
    assert_eq!(runtime.receiver::<Reading>("deal.odd").unwrap().recv_blocking().unwrap().value, 1);

    let refused = |error: HandleError| error.to_string();
    assert_eq!(
        refused(runtime.receiver::<Reading>("deal").unwrap_err()),
        "kernel `deal` sends `Reading` by several outboxes: say which of deal.even, deal.odd"
    );
    assert_eq!(
        refused(runtime.receiver::<Reading>("deal.raw").unwrap_err()),
        "output of kernel `deal.raw` is `Bytes`, not `Reading`: field `bytes` stands there where `sensor` stands here"
    );
    assert_eq!(
        refused(runtime.receiver::<Reading>("deal.bad").unwrap_err()),
        "kernel `deal` has no outbox `bad`; it has even, odd, raw"
    );
    assert_eq!(
        refused(runtime.receiver::<other::Reading>("deal").unwrap_err()),
        "output of kernel `deal` is `Reading`, `Reading`, `Bytes`, not `Reading`: \
         none of its outboxes even, odd, raw sends that"
    );
}

/// `sums` behind one outbox of `deal`.
fn dealt() -> Topology {
    Topology::new()
        .kernel("deal", deal::bind(), deal::options())
        .kernel("even", sums::bind(10), sums::options())
        .link("deal.even", "even")
}

/// R-10, P-04: a topology launches targets first, whatever order it was written in; what it links stays among its
/// kernels, and it is shut down from its sources on, so that nothing is lost.
#[test]
fn r10_a_topology_runs_from_end_to_end() {
    let runtime = runtime();
    let plan = dealt().check().unwrap();
    assert_eq!(plan.order, ["even", "deal"]);
    assert_eq!((plan.entries, plan.exits), (vec!["deal".into()], vec!["deal".into(), "even".into()]));
    assert!(plan.cycles.is_empty());
    let running = dealt().launch(&runtime).unwrap();
    let memory: u64 = running.kernels().iter().map(|kernel| kernel.status().memory.shards()).sum();
    assert!(memory <= plan.memory, "{memory} are at most {}", plan.memory);
    let sender = runtime.sender::<Reading>("deal").unwrap();
    for value in 0..100 {
        let _ = sender.send_blocking(Reading { sensor: 1, value }).unwrap();
    }
    let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    let drained = |name: &str| (name.to_owned(), ShutdownOutcome::Drained);
    assert_eq!(outcomes, [drained("deal"), drained("even")]);
    let sums = runtime.receiver::<Reading>("even");
    assert!(sums.is_err(), "its name is free");
    assert_eq!(running.kernels()[0].status().processed, 50);
    assert_eq!(running.kernels()[1].status().outputs_lost, 0);
}

/// R-10: a topology is checked whole: every problem is named at once, with its remedy, and nothing is launched.
#[test]
fn r10_a_topology_is_checked_whole() {
    let wrong = dealt()
        .kernel("even", sums::bind(1), sums::options().capacity(17))
        .kernel("silent", one::twice_named::bind(), LaunchOptions::production().actors(1))
        .link("deal", "even")
        .link("deal.odd", "even")
        .link("deal.raw", "even")
        .link("deal.bad", "even")
        .link("silent", "even")
        .link("even.out", "even")
        .link("even", "nobody")
        .link("nobody.out", "even")
        .link("deal.even", "silent")
        .link_with("even", "even", Backpressure::DropOldest);
    let runtime = runtime();
    let TopologyError::Invalid(problems) = wrong.launch(&runtime).unwrap_err() else { panic!("invalid") };
    assert!(runtime.kernels().is_empty());
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "two kernels are called `even`: give each its own name",
            "`even`: invalid launch options: capacity is 17, and must be a power of 2, 16 ..= 1048576: use 32",
            "link from `deal` to `even`: `deal` has several outboxes: say which of even, odd, raw",
            "link from `deal.odd` to `even`: `deal.odd` and `even` have each a type `Reading`, and these have not \
             the same `#[ring(key)]`: use one type",
            "link from `deal.raw` to `even`: `deal.raw` sends `Bytes`, and `even` takes `Reading`: field `sensor` \
             stands there where `bytes` stands here",
            "link from `deal.bad` to `even`: `deal` has no outbox `bad`; it has even, odd, raw",
            "link from `silent` to `even`: `twice_named` sends nothing: its handler has no `&Outbox`",
            "link from `even.out` to `even`: `sums` has one outbox, and none is called `out`: leave that out",
            "link from `even` to `nobody`: no kernel is called `nobody`; there are deal, even, even, silent",
            "link from `nobody.out` to `even`: no kernel is called `nobody`; there are deal, even, even, silent",
            "link from `deal.even` to `silent`: an outbox has one target, and this one has another already: remove \
             one",
            "link from `even` to `even`: DropOldest is not offered between kernels: use Block or Reject",
        ]
    );
    let error = dealt().max_memory(1000).check().unwrap_err().to_string();
    assert!(error.contains("and max_memory is 1000: lower capacities"), "{error}");
}

/// R-08: what blocks may hold counts as memory of a topology.
#[test]
fn r08_a_topology_counts_holds() {
    let memory = |hold: u32| {
        let options = deal::options().grid(2).hold(hold);
        Topology::new().kernel("deal", deal::bind(), options).check().unwrap().memory
    };
    let [some, more, most] = [64, 128, 192].map(memory);
    assert!(more > some && more - some == most - more, "{some} {more} {most}");
}

/// P-02: of an outbox and a reply only the outbox can be connected, so it need not be named.
#[test]
fn p02_a_topology_does_not_connect_replies() {
    let linked =
        |from: &str| dealt().kernel("small", small::bind(), small::options()).link(from, "even").check();
    linked("small").unwrap();
    linked("small.others").unwrap();
    let error = linked("small.reply").unwrap_err().to_string();
    let told = "`reply` of `small` answers who asked: connect an outbox (others), and let this one be";
    assert!(error.contains(told), "{error}");
}

/// R-10: what a runtime alone knows ends the launch, and what was launched before.
#[test]
fn r10_a_topology_that_fails_half_way_leaves_nothing() {
    let runtime = runtime();
    let _taken = sums::bind(1).launch(&runtime, sums::options().name("deal")).unwrap();
    let error = dealt().launch(&runtime).unwrap_err();
    assert!(matches!(&error, TopologyError::Launch { kernel, .. } if kernel == "deal"), "{error}");
    // The name of the other one is free, or about to be.
    let _even = sums::bind(1).launch(&runtime, sums::options().name("even")).unwrap();
}

/// K-01: cycles that can stand still are named before anything runs, in the guide's words; one link that loses keeps
/// a cycle going. What has no cycle is none.
#[test]
fn k01_a_topologys_cycles_are_named() {
    let ring = |backpressure| {
        Topology::new()
            .kernel("a", sums::bind(1), sums::options())
            .kernel("b", sums::bind(1), sums::options())
            .kernel("c", sums::bind(1), sums::options())
            .link("a", "b")
            .link("c", "a")
            .link_with("b", "a", backpressure)
    };
    let waits = ring(Backpressure::Block);
    assert_eq!(waits.check().unwrap().cycles, [["a", "b"]]);
    let drawn = waits.drawn().unwrap();
    let words = "`a` to `b` is a cycle: if all its rings are full it stands still; keep fewer messages under way \
                 than the rings hold, or use Reject for one link\n";
    assert!(drawn.contains(words), "{drawn}");
    let loses = ring(Backpressure::Reject);
    assert!(loses.check().unwrap().cycles.is_empty());
    assert!(loses.drawn().unwrap().contains("b     ── Reading or lost ─▶ a\n"), "{}", loses.drawn().unwrap());
    // It runs, from whichever kernel it was launched first.
    let runtime = runtime();
    let running = waits.launch(&runtime).unwrap();
    let _ = runtime.sender("c").unwrap().send_blocking(Reading { sensor: 0, value: 0 }).unwrap();
    for kernel in running.kernels() {
        let begins = std::time::Instant::now();
        while kernel.status().processed == 0 {
            assert!(begins.elapsed() < Duration::from_secs(60), "{}", kernel.status());
            std::thread::yield_now();
        }
    }
}

/// R-10: the same from TOML; what is wrong with the text says where.
#[cfg(feature = "toml")]
#[test]
fn r10_a_topology_from_toml() {
    let text = r#"
        [kernels.deal]
        capacity = 64
        tracing = true
        trace_sample = 1

        [kernels.north]
        kernel = "registry::sums"
        actors = 2
        bind = { factor = 10 }

        [[links]]
        from = "deal.even"
        to = "north"
        backpressure = "Reject"
    "#;
    let topology = Topology::from_toml(text).unwrap();
    let drawn = topology.drawn().unwrap();
    let lines: Vec<_> = drawn.lines().take(5).collect();
    assert_eq!(
        lines,
        [
            "host       ── Reading ─────────▶ deal",
            "deal.even  ── Reading or lost ─▶ north",
            "deal.odd   ── Reading ─────────▶ host",
            "deal.raw   ── Bytes ───────────▶ host",
            "north      ── Reading ─────────▶ host",
        ]
    );
    let dot = topology.to_dot().unwrap();
    assert!(dot.contains(r#""deal" -> "north" [label="even: Reading", style=dashed];"#), "{dot}");
    let svg = topology.to_svg().unwrap();
    assert!(svg.contains(">sums, grid 1</text>") && svg.contains("stroke-dasharray"), "{svg}");

    let runtime = runtime();
    let running = topology.launch(&runtime).unwrap();
    runtime.dynamic("deal").unwrap().send_blocking(r#"{"sensor": 1, "value": 4}"#).unwrap();
    let sum = runtime.dynamic("north").unwrap().recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(sum, r#"{"sensor":1,"value":40}"#);
    let traces = |name: &str| runtime.dynamic(name).unwrap().control().status().traces;
    assert_eq!([traces("deal").map(|traces| traces.recorded), traces("north").map(|_| 0)], [Some(1), None]);
    drop(running);
    let unfollowed = Topology::from_toml(&text.replace("tracing = true", "tracing = false")).unwrap();
    let error = unfollowed.check().unwrap_err().to_string();
    assert!(error.contains("nothing is followed: add .tracing(true), or leave trace_sample out"), "{error}");

    let refused = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from));
        let error = Topology::from_toml(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused("registry::sums", "sum", "kernel `north`: no kernel is called `sum`; there are");
    refused("{ factor = 10 }", "{}", "kernel `north`: it binds factor: write bind.factor = …");
    refused("{ factor = 10 }", "{ factor = 'x' }", "kernel `north`: bind.factor: ");
    refused("{ factor = 10 }", "{ factor = 1, more = 1 }", "bind.more: the kernel binds factor");
    refused("capacity = 64", "capacitance = 64", "line 3");
    refused("\"Reject\"", "\"Drop\"", "unknown variant `Drop`");
}

/// R-10: all that is wrong, one line each: with kernels' names, with what is bound, with options and with links.
#[cfg(feature = "toml")]
#[test]
fn r10_a_topology_from_toml_says_all_that_is_wrong() {
    let text = r#"
        [kernels.deal]
        bind = { factor = 1 }

        [kernels.east]
        kernel = "registry::sums"
        bind = { factor = "x", more = 1, other = 2 }

        [kernels.north]
        kernel = "registry::sums"

        [kernels.west]
        kernel = "registry::sum"
        bind = { factor = 1 }

        [kernels.south]
        kernel = "registry::sums"
        bind = { factor = 1 }
        capacity = 17

        [[links]]
        from = "deal"
        to = "nobody"

        [[links]]
        from = "west"
        to = "south"

        [[links]]
        from = "west.some"
        to = "nowhere"

        [[links]]
        from = "south"
        to = "north"
        backpressure = "DropOldest"
    "#;
    let error = Topology::from_toml(text).unwrap_err().to_string();
    let begins = [
        "kernel `deal`: bind.factor: the kernel binds nothing",
        "kernel `east`: bind.more: the kernel binds factor",
        "kernel `east`: bind.other: the kernel binds factor",
        "kernel `east`: bind.factor: invalid type: string \"x\", expected ",
        "kernel `north`: it binds factor: write bind.factor = …",
        "kernel `west`: no kernel is called `registry::sum`; there are ",
        "`south`: ",
        "link from `deal` to `nobody`: no kernel is called `nobody`; there are deal, east, north, south, west",
        "link from `west.some` to `nowhere`: no kernel is called `nowhere`; there are ",
        "link from `south` to `north`: DropOldest is not offered between kernels: use Block or Reject",
    ];
    assert_eq!(error.lines().count(), begins.len(), "{error}");
    for (line, begin) in error.lines().zip(begins) {
        assert!(line.starts_with(begin), "{line}");
    }
}
