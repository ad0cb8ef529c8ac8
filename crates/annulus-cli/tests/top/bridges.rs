//! Bridges of a process, as `top`, `why` and `export` show them from outside: from runtime to runtime, and to queues.

use std::{
    collections::BTreeSet,
    fs,
    process::Command,
    time::{Duration, Instant},
};

use annulus::{
    BridgeOptions, RuntimeBuilder, Vitals,
    prelude::*,
    queue::{MessageQueue, QueueOptions},
};
use annulus_observe::{BridgeKind, HealthWatch, Observer};
use serde_json::Value;

use super::{Folder, table, top};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn pass(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

const LONG: Duration = Duration::from_secs(60);

fn eventually(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LONG, "it does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a command of `annulus` says, of this process alone.
fn said(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
    let output = command.args(arguments).env("ANNULUS_DIR", &folder.0).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The table, when this line is in it.
fn shown(folder: &Folder, line: &str) -> String {
    let start = Instant::now();
    loop {
        let text = table(&folder.0, &[]);
        if text.lines().any(|shown| shown == line) {
            return text;
        }
        assert!(start.elapsed() < LONG, "{line:?} is not in {text}");
    }
}

/// Batches of four, and of no fewer.
fn fours() -> BridgeOptions {
    BridgeOptions::new().messages(4).delay(Duration::from_secs(3600))
}

/// The metrics of bridges without the labels of processes: `annulus_bridge_held from="parse",to="count"} 4`.
fn of_bridges(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with("annulus_bridge"));
    let of = |line: &str| Some(format!("{} {}", line.split('{').next()?, &line[line.find("from=")?..]));
    lines.filter_map(of).collect()
}

/// Whether the metrics, from inside and from outside, are the same, and these are among them.
fn tells(folder: &Folder, inside: &Observer, expected: &[&str]) {
    tells_of(folder, inside, expected, "");
}

/// The same of those metrics alone that have this in them.
fn tells_of(folder: &Folder, inside: &Observer, expected: &[&str], part: &str) {
    let start = Instant::now();
    loop {
        let of = |text: &str| {
            let lines = of_bridges(text).into_iter();
            lines.filter(|line| line.contains(part)).collect::<BTreeSet<_>>()
        };
        let outside = of(&said(folder, &["export"]));
        let known = of(&inside.prometheus());
        if known == outside && expected.iter().all(|line| known.contains(*line)) {
            return;
        }
        assert!(start.elapsed() < LONG, "inside {known:#?}, outside {outside:#?}");
    }
}

fn builder(folder: &Folder) -> RuntimeBuilder<annulus::Cpu> {
    Runtime::builder().backend(annulus::Cpu::new().workers(1)).vitals(Vitals::In(folder.0.clone()))
}

fn runtime(folder: &Folder) -> Runtime {
    builder(folder).build().unwrap()
}

/// What is seen from outside of the one runtime of a folder.
fn seen(folder: &Folder) -> annulus_observe::Process {
    let mut files = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    annulus_observe::look(&files.next().unwrap()).unwrap()
}

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::production().capacity(16).output_capacity(16).name(name)
}

/// D-03, O-01: a bridge whose target has no room is named, with that target, and what the target is at; and each tool counts
/// what the bridge's own status counts.
#[test]
fn o_01_a_bridge_to_another_runtime_is_shown() {
    let folder = Folder::new("bridges");
    let [here, there] = [(); 2].map(|()| runtime(&folder));
    let parse = pass::launch(&here, options("parse")).unwrap();
    let count = pass::launch(&there, options("count").active(false)).unwrap();
    let bridge = parse.bridge_to_with(&count, fours(), Backpressure::Block).unwrap();
    let mut sent = 0;
    eventually(|| {
        sent += u64::from(parse.try_send(Number { value: sent }).is_ok());
        parse.status().stall.is_some_and(|stall| stall.waits_for == ["count"])
    });
    assert_eq!((bridge.status().moved, bridge.status().held), (16, 4));

    let text = shown(&folder, "    => count: 16 moved, 0 per s, 4 held, waits for room");
    assert!(text.contains("  stalled on host (bridge to count)\n"), "{text}");
    let json = String::from_utf8(top(&folder.0, &["--json"]).stdout).unwrap();
    let runtimes: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown: Vec<&Value> = runtimes.iter().map(|runtime| &runtime["kernels"][0]["bridges"]).collect();
    assert_eq!((shown.len(), shown[1]), (2, &Value::Array(Vec::new())), "{json}");
    let of = |name: &str| &shown[0][0][name];
    assert_eq!((of("kind"), of("from"), of("to")), (&"to_kernels".into(), &"parse".into(), &"count".into()));
    assert_eq!((of("moved"), of("held"), of("moved_bytes")), (&16.into(), &4.into(), &128.into()));
    assert_eq!(
        (of("waits_for_room"), of("ended"), of("outbox")),
        (&true.into(), &false.into(), &Value::Null)
    );
    assert_eq!((&of("batches")["full"], &of("dropped")["discarded"]), (&4.into(), &0.into()), "{json}");

    // What a process leaves when it dies.
    let files = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let autopsies: String = files.map(|file| said(&folder, &["autopsy", file.to_str().unwrap()])).collect();
    assert!(autopsies.contains("    bridge to `count`, 16 moved, 4 held, waiting for room\n"), "{autopsies}");

    // Told by the runtime whose kernel is the cause, and not by the other one; from outside, and inside of the source's runtime.
    let cause = "`parse` shard 0 waits for room in `count` (over a bridge);\n\
                 `count` shard 0 is inactive: activate the kernel; 16 messages are in its rings: that is the cause";
    assert_eq!(here.why().to_string(), cause);
    let told = said(&folder, &["why", "--interval", "0.05"]);
    assert!(told.contains(&cause.replace('\n', "\n  ")), "{told}");
    assert_eq!(
        (told.matches("nothing waits in vain").count(), told.matches("(over a bridge)").count()),
        (1, 1),
        "{told}"
    );

    // Health has it as the reason why the source stands still.
    let mut watch = HealthWatch::default();
    let health = [0, 2, 4].map(|seconds| {
        let files = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
        let processes: Vec<_> = files.map(|file| annulus_observe::look(&file).unwrap()).collect();
        watch.look(Duration::from_secs(seconds), &processes)
    });
    let parse_health = health[2].kernels.iter().find(|health| health.kernel == "parse").unwrap();
    let evidence = &parse_health.reasons[0].evidence;
    assert!(evidence.starts_with("shard 0 took no message for ") && evidence.ends_with(cause), "{evidence}");

    let inside = Observer::of(&here);
    let ends = "from=\"parse\",to=\"count\"";
    let expect = |lines: &[&str]| {
        let lines: Vec<_> = lines.iter().map(|line| line.replace("ENDS", ends)).collect();
        tells(&folder, &inside, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    };
    expect(&[
        "annulus_bridge_moved_total ENDS} 16",
        "annulus_bridge_moved_bytes_total ENDS} 128",
        "annulus_bridge_batches_total ENDS,cause=\"full\"} 4",
        "annulus_bridge_dropped_total ENDS,cause=\"discarded\"} 0",
        "annulus_bridge_held ENDS} 4",
        "annulus_bridges_begun_total ENDS} 1",
        "annulus_bridges_working ENDS} 1",
        "annulus_bridges_waiting ENDS} 1",
    ]);

    // It goes on.
    count.activate_blocking().unwrap();
    while !sent.is_multiple_of(4) {
        let _ = parse.send_blocking(Number { value: sent }).unwrap();
        sent += 1;
    }
    for _ in 0..sent {
        count.recv_timeout(LONG).unwrap();
    }
    eventually(|| bridge.status().held == 0);
    expect(&["annulus_bridge_held ENDS} 0", "annulus_bridges_waiting ENDS} 0"]);
    // What has ended is counted on, together with the next one of these ends.
    bridge.stop();
    assert!(bridge.ended_timeout(LONG));
    let moved = bridge.status().moved;
    let line = |moved: u64| format!("annulus_bridge_moved_total ENDS}} {moved}");
    expect(&[&line(moved), "annulus_bridges_working ENDS} 0", "annulus_bridges_begun_total ENDS} 1"]);
    assert!(!table(&folder.0, &[]).contains("=> count"), "it has ended");
    let second = parse.bridge_to(&count).unwrap();
    let _ = parse.send_blocking(Number { value: 0 }).unwrap();
    count.recv_timeout(LONG).unwrap();
    eventually(|| second.status().moved == 1);
    expect(&[&line(moved + 1), "annulus_bridges_working ENDS} 1", "annulus_bridges_begun_total ENDS} 2"]);
}

/// D-04, O-01: a queue that nobody receives from is named as what a kernel waits for, over its bridge; one that a kernel
/// consumes stands with that kernel.
#[test]
fn o_01_bridges_of_queues_are_shown() {
    let folder = Folder::new("bridged-queues");
    let here = runtime(&folder);
    let kernel = pass::launch(&here, options("double")).unwrap();
    let queue =
        |name: &str| here.queues().create::<Number>(QueueOptions::new().name(name).capacity(16)).unwrap();
    let (numbers, doubled) = (queue("numbers"), queue("doubled"));
    kernel.consume(&numbers);
    let publishes = kernel.publish_to_with(&doubled, fours());
    let inside = Observer::of(&here);
    eventually(|| {
        let _ = numbers.try_send(Number { value: 1 });
        publishes.status().moved == 16 && kernel.status().stalled_shards == 1 && numbers.len() == 16
    });
    let text = shown(&folder, "    => queue doubled: 16 moved, 0 per s, 4 held, waits for room");
    assert!(text.contains("\n    <= queue numbers: "), "{text}");
    let told = said(&folder, &["why", "--interval", "0.05"]);
    let expected =
        "`double` shard 0 is waiting for room in the queue `doubled` (over a bridge): receive from it";
    assert!(told.contains(expected), "{told}");
    assert!(here.why().to_string().contains(expected), "{}", here.why());
    tells(&folder, &inside, &["annulus_bridges_waiting from=\"double\",to=\"doubled\"} 1"]);
    let process = annulus_observe::look_inside(&here);
    let [consumes, publishes] = &process.kernels[0].bridges[..] else { panic!("{process:#?}") };
    assert_eq!((consumes.kind, publishes.kind), (BridgeKind::FromQueue, BridgeKind::ToQueue));
}

/// D-03, O-01: behind a bridge, the links of the other runtime are followed, too: from inside as from outside.
#[test]
fn o_01_the_cause_is_behind_a_link_of_another_runtime() {
    let folder = Folder::new("bridge-and-link");
    let [here, there] = [(); 2].map(|()| runtime(&folder));
    let parse = pass::launch(&here, options("parse")).unwrap();
    let [count, last] = ["count", "last"]
        .map(|name| pass::launch(&there, options(name).connectable(true).active(false)).unwrap());
    count.connect(&last).unwrap();
    count.activate_blocking().unwrap();
    parse.bridge_to_with(&count, fours(), Backpressure::Block).unwrap();
    let cause = "`parse` shard 0 waits for room in `count` (over a bridge);\n\
                 `count` shard 0 waits for room in `last`;\n\
                 `last` shard 0 is inactive: activate the kernel; 16 messages are in its rings: that is the cause";
    let start = Instant::now();
    loop {
        while parse.try_send(Number { value: 1 }).is_ok() {}
        let told = here.why().to_string();
        if told == cause {
            break;
        }
        assert!(start.elapsed() < LONG, "{told}");
    }
    let told = said(&folder, &["why", "--interval", "0.05"]);
    assert!(told.contains(&cause.replace('\n', "\n  ")), "{told}");
}

/// O-01: the table of bridges lies behind what all shards may need, which is more than a reader takes at once.
#[test]
fn o_01_bridges_are_found_far_back_in_the_file() {
    let folder = Folder::new("bridges-far-back");
    let here = builder(&folder).telemetry_lines(10_000).build().unwrap();
    let file = fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap();
    let all =
        annulus_abi::vitals::bridges::MOST_BRIDGES * size_of::<annulus_abi::vitals::bridges::BridgeEntry>();
    assert!(file.metadata().unwrap().len() > (128 << 20) + all as u64 + 4096, "the table is far back");
    let kernel = pass::launch(&here, options("double")).unwrap();
    let queue = MessageQueue::<Number>::new(QueueOptions::new().name("numbers")).unwrap();
    let bridge = kernel.consume(&queue);
    let _ = queue.send_blocking(Number { value: 1 }).unwrap();
    eventually(|| bridge.status().moved == 1);
    eventually(|| {
        let process = seen(&folder);
        let [bridge] = &process.kernels[0].bridges[..] else { panic!("{process:#?}") };
        assert_eq!((bridge.kind, &*bridge.from), (BridgeKind::FromQueue, "numbers"));
        bridge.counts.moved == 1
    });
}

/// O-01: a bridge that has found no entry of the table takes one when another bridge has ended.
#[test]
fn o_01_a_bridge_without_an_entry_takes_the_next_one() {
    let folder = Folder::new("many-bridges");
    let here = runtime(&folder);
    let kernel = pass::launch(&here, options("double")).unwrap();
    let bridges: Vec<_> = (0..=annulus_abi::vitals::bridges::MOST_BRIDGES)
        .map(|number| {
            let queue = MessageQueue::<Number>::new(QueueOptions::new().name(number.to_string())).unwrap();
            let bridge = kernel.consume(&queue);
            (queue, bridge)
        })
        .collect();
    let shown = || {
        let process = seen(&folder);
        process.kernels[0].bridges.iter().map(|bridge| bridge.from.clone()).collect::<BTreeSet<_>>()
    };
    let but = |left_out: usize| {
        (0..bridges.len()).filter(|number| *number != left_out).map(|number| number.to_string()).collect()
    };
    let (queue, last) = bridges.last().unwrap();
    assert_eq!(shown(), but(bridges.len() - 1), "there is no entry for the last one");
    bridges[7].1.stop();
    assert!(bridges[7].1.ended_timeout(LONG));
    let _ = queue.send_blocking(Number { value: 1 }).unwrap();
    eventually(|| last.status().moved == 1);
    eventually(|| shown() == but(7));
}

/// O-05: what a bridge has moved is still told when another kernel has the place of its own one.
#[test]
fn o_05_counts_of_a_bridge_outlast_its_kernel() {
    let folder = Folder::new("past-bridges");
    let here = builder(&folder).telemetry_lines(1).build().unwrap();
    let there = runtime(&folder);
    let far = pass::launch(&there, options("far")).unwrap();
    let source = pass::launch(&here, options("source")).unwrap();
    let bridge = source.bridge_to(&far).unwrap();
    let _ = source.send_blocking(Number { value: 1 }).unwrap();
    source.shutdown_blocking(LONG);
    assert!(bridge.ended_timeout(LONG));
    drop((bridge, source));
    let mut next = None;
    eventually(|| {
        next = pass::launch(&here, options("next")).ok();
        // Somebody may still have the first one, and the next one then has no place.
        next.is_some() && table(&folder.0, &[]).contains("\n  next ")
    });
    let told = of_bridges(&said(&folder, &["export"]));
    for line in [
        "annulus_bridge_moved_total from=\"source\",to=\"far\"} 1",
        "annulus_bridges_working from=\"source\",to=\"far\"} 0",
    ] {
        assert!(told.contains(line), "{line} in {told:#?}");
    }
}

/// O-05: a bridge has one name, from inside and from outside: one that is too long for a file is cut in both, and no name has a
/// character that ends a text there.
#[test]
fn o_05_names_of_bridges_are_the_same_from_inside() {
    let folder = Folder::new("names-of-bridges");
    let [here, there] = [(); 2].map(|()| runtime(&folder));
    let source = pass::launch(&here, options("source")).unwrap();
    let names = ["x".repeat(100), "y".repeat(100)];
    let targets = names.each_ref().map(|name| pass::launch(&there, options(name)).unwrap());
    source.bridge_to_all(&targets, BridgeOptions::new(), Backpressure::Block).unwrap();
    let queue = MessageQueue::<Number>::new(QueueOptions::new().name("num\0bers")).unwrap();
    source.consume(&queue);
    let publishes = targets[0].publish_to(&MessageQueue::with_defaults());
    let inside = Observer::of(&here);
    let long = format!(
        "annulus_bridges_working from=\"source\",to=\"{}, {}\u{2026}\"}} 1",
        names[0],
        &names[1][..23]
    );
    tells_of(
        &folder,
        &inside,
        &[&long, "annulus_bridges_working from=\"numbers\",to=\"source\"} 1"],
        "source",
    );
    assert_eq!(publishes.status().to, "(unnamed)");
}
