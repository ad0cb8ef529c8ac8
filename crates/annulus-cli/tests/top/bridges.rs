//! Bridges of a process, as `top`, `why` and `export` show them from outside: from runtime to runtime, and to queues.

use std::{
    collections::BTreeSet,
    fs,
    process::Command,
    time::{Duration, Instant},
};

use annulus::{BridgeOptions, Vitals, prelude::*, queue::QueueOptions};
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
    let start = Instant::now();
    loop {
        let outside = of_bridges(&said(folder, &["export"]));
        let known = of_bridges(&inside.prometheus());
        if known == outside && expected.iter().all(|line| known.contains(*line)) {
            return;
        }
        assert!(start.elapsed() < LONG, "inside {known:#?}, outside {outside:#?}");
    }
}

fn runtime(folder: &Folder) -> Runtime {
    let cpu = annulus::Cpu::new().workers(1);
    Runtime::builder().backend(cpu).vitals(Vitals::In(folder.0.clone())).build().unwrap()
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
