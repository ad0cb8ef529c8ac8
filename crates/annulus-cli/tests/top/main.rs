//! `annulus top`, of another `annulus` that sends.
#![cfg(target_os = "linux")]

mod bridges;
mod cuda;
mod damaged;
mod served;
mod twins;

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

/// A folder for vitals files, gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("annulus-top-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn top(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["top", "--once", "--interval", "0.05"])
        .args(arguments)
        .env("ANNULUS_DIR", folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn table(folder: &Path, arguments: &[&str]) -> String {
    String::from_utf8(top(folder, arguments).stdout).unwrap()
}

/// A process that is killed when the test is over.
struct Sender(Child);

impl Drop for Sender {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process with the kernel `anomalies` on the CPU, which has handled `messages` messages and waits for
/// more.
fn sender(folder: &Path, messages: usize) -> Sender {
    sender_on("cpu", folder, messages).expect("the CPU is always there")
}

/// The same on another backend; `None` if the process has ended, since this machine has no such device.
fn sender_on(backend: &str, folder: &Path, messages: usize) -> Option<Sender> {
    let child = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["send", "anomalies", "--actors", "8", "--backend", backend])
        .args(["--bind", r#"limits={"threshold": 3}"#])
        .env("ANNULUS_DIR", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut child = Sender(child);
    let line = "{\"series\": 1, \"value\": 1.0, \"sequence\": 0}\n";
    // A process that has ended reads nothing.
    let _ = child.0.stdin.as_mut().unwrap().write_all(line.repeat(messages).as_bytes());
    let start = Instant::now();
    loop {
        let seen = String::from_utf8(top(folder, &["--json"]).stdout).unwrap();
        let process: Value = serde_json::from_str(seen.trim()).unwrap_or_default();
        if process["kernels"][0]["processed"] == messages {
            return Some(child);
        }
        if child.0.try_wait().unwrap().is_some() {
            return None;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{seen}");
    }
}

/// O-03's numbers, as text and as JSON, without the help of the process.
#[test]
fn o_03_top_shows_what_runs() {
    let folder = Folder::new("runs");
    assert!(table(&folder.0, &[]).contains("no process of this user has kernels"));
    let mut child = sender(&folder.0, 20);
    let text = table(&folder.0, &["--shards"]);
    assert!(text.contains(&format!("process {}, cpu, ", child.0.id())), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("anomalies ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(&cells[1..8], ["1", "active", "20", "0", "0", "0", "0"], "{text}");
    assert!(text.contains("\n    shard 0 "), "{text}");

    let line = String::from_utf8(top(&folder.0, &["--json"]).stdout).unwrap();
    let process: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&process["pid"], &process["alive"]), (&child.0.id().into(), &true.into()), "{line}");
    assert!(process["device"].as_str().unwrap().starts_with("CPU, "), "{line}");
    assert_eq!(process["other_boot"], false);
    let kernel = &process["kernels"][0];
    assert_eq!(kernel["message_layout"]["hash"].as_str().unwrap().len(), 16, "{line}");
    assert!(
        kernel["message_layout"]["size"].as_u64() >= kernel["message_layout"]["align"].as_u64(),
        "{line}"
    );
    assert!(kernel["memory_bytes"].as_u64().unwrap() > 0, "{line}");
    assert_eq!((&kernel["state"], &kernel["per_second"]), (&"active".into(), &0.0.into()));
    assert_eq!(kernel["shards"][0]["processed"], 20);

    let none = table(&folder.0, &["--pid", "1"]);
    assert!(none.contains("no process of this user"), "{none}");
    drop(child.0.stdin.take());
    assert!(child.0.wait().unwrap().success());
    assert!(table(&folder.0, &[]).contains("no process of this user has kernels"), "it has ended in order");
}

/// A number that no process has is told at once, and not waited for. A process that is there may yet launch kernels.
#[test]
fn o_03_top_knows_a_process_that_is_not_there() {
    let folder = Folder::new("not-there");
    for format in [&["--pid", "4294967295"][..], &["--pid", "4294967295", "--json"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let output = command.arg("top").args(format).env("ANNULUS_DIR", &folder.0).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{said}");
        assert_eq!(
            said,
            "annulus: there is no process 4294967295, and none of that number has left files: see `annulus top`\n"
        );
    }
}

/// T-11: `--telemetry` asks for latencies; what is sent from then on is measured.
#[test]
fn t_11_top_asks_for_latencies() {
    let folder = Folder::new("latency");
    let mut child = sender(&folder.0, 3);
    let kernel = |arguments: &[&str]| {
        let line = String::from_utf8(top(&folder.0, arguments).stdout).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["kernels"][0].clone()
    };
    let unasked = kernel(&["--json"]);
    assert!(unasked["latency_max_seconds"].is_null(), "nobody asked: {unasked}");
    let start = Instant::now();
    let told = loop {
        let told = kernel(&["--json", "--telemetry"]);
        if !told["latency_max_seconds"].is_null() {
            break told;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{told}");
        let line = "{\"series\": 1, \"value\": 1.0, \"sequence\": 0}\n";
        child.0.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    };
    let [least, most] = ["min", "max"].map(|end| told[format!("latency_{end}_seconds")].as_f64().unwrap());
    assert!(0.0 < least && least <= most, "{told}");
    let text = table(&folder.0, &["--telemetry"]);
    assert!(text.contains("        AGE    LATENCY        P99  PHASE\n"), "{text}");
    assert!(!table(&folder.0, &[]).contains("LATENCY"));
}

/// A kernel on a device is shown by copies, whose age is told.
#[test]
fn o_03_top_shows_what_runs_on_a_device() {
    let folder = Folder::new("device");
    let Some(sender) = sender_on("opencl", &folder.0, 5) else {
        return println!("skipped: no OpenCL device");
    };
    // A later copy finds the block asleep.
    let start = Instant::now();
    loop {
        let text = table(&folder.0, &[]);
        assert!(text.contains(&format!("process {}, opencl, ", sender.0.id())), "{text}");
        let row = text.lines().find(|line| line.trim_start().starts_with("anomalies ")).unwrap();
        assert!(row.contains(" active ") && row.ends_with(" ago)"), "{text}");
        if row.contains("  asleep") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{text}");
    }
}

/// A process that was killed is shown as that.
#[test]
fn r_05_top_shows_the_dead() {
    let folder = Folder::new("dead");
    let mut child = sender(&folder.0, 3);
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    let text = table(&folder.0, &[]);
    assert!(text.contains(": DEAD, this is how it was last"), "{text}");
    assert!(text.contains("anomalies "), "{text}");
}

/// What `why` says.
fn why(folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["why", "--interval", "0.05"])
        .env("ANNULUS_DIR", folder)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A process that waits for nothing has no cause to name.
#[test]
fn o_01_why_says_that_nothing_waits() {
    let folder = Folder::new("why");
    let sender = sender(&folder.0, 3);
    let text = why(&folder.0);
    assert!(text.starts_with(&format!("process {}, ", sender.0.id())), "{text}");
    assert!(text.ends_with("\n  nothing waits in vain\n"), "{text}");
}

/// A process without kernels is named, and is not taken for one that waits for nothing.
#[test]
fn o_01_why_says_that_a_process_has_no_kernels() {
    let folder = Folder::new("why-of-none");
    let why = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        command.args(["why", "--interval", "0.05"]).args(arguments).env("ANNULUS_DIR", &folder.0);
        let output = command.output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()))
    };
    let told =
        "annulus: no process 1 of this user has kernels, as far as their files tell: see `annulus top`\n";
    assert_eq!(why(&["1"]), (Some(1), [String::new(), told.into()]));
    assert_eq!(why(&["--pid", "1"]).0, Some(1));
    // Without a number nothing is missing.
    let (code, [said, _]) = why(&[]);
    assert_eq!(
        (code, &*said),
        (Some(0), "no process of this user has kernels, as far as their files tell\n")
    );
}

/// O-01: of a process that died `why` names the command that says more, and says of nothing that it goes on.
#[test]
fn o_01_why_sends_to_the_autopsy_of_the_dead() {
    let folder = Folder::new("why-of-the-dead");
    let mut sender = sender(&folder.0, 3);
    sender.0.kill().unwrap();
    sender.0.wait().unwrap();
    let text = why(&folder.0);
    let pid = sender.0.id();
    let end =
        format!(": DEAD, this is how it was last\n  `annulus autopsy {pid}` says what its shards were at\n");
    assert!(text.starts_with(&format!("process {pid}, ")) && text.ends_with(&end), "{text}");
}

/// What a process that waits for messages spends its time on; as text, as folded stacks and as JSON.
#[test]
fn profile_tells_of_another_process() {
    let folder = Folder::new("profile");
    let profile = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        command.args(["profile", "--seconds", "0.05"]).args(arguments).env("ANNULUS_DIR", &folder.0);
        let output = command.output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()))
    };
    let (code, [told, _]) = profile(&[]);
    assert_eq!(
        (code, &*told),
        (Some(0), "no process of this user has kernels, as far as their files tell\n")
    );
    let sender = sender(&folder.0, 20);
    let pid = sender.0.id().to_string();
    // Until a profile finds it asleep all the time.
    let start = Instant::now();
    let process: Value = loop {
        let process: Value = serde_json::from_str(&profile(&["--json", &pid]).1[0]).unwrap();
        if process["kernels"][0]["phases"]["asleep"] == 1.0 {
            break process;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{process}");
    };
    let kernel = &process["kernels"][0];
    assert_eq!((&process["pid"], &kernel["name"]), (&sender.0.id().into(), &"anomalies".into()));
    assert_eq!((&kernel["messages"], &kernel["shards"][0]["shard"]), (&0.into(), &0.into()));
    assert!(process["looks"].as_u64().unwrap() > 0, "{process}");
    let (_, [text, _]) = profile(&[]);
    assert!(
        text.starts_with(&format!("process {pid}, cpu, ")) && text.contains("`anomalies`: 0 messages"),
        "{text}"
    );
    let (_, [folded, _]) = profile(&["--folded"]);
    assert!(folded.starts_with(&format!("annulus {pid};anomalies;shard 0;")), "{folded}");
    let (code, [_, error]) = profile(&["1"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("no process 1 of this user"), "{error}");
    for wrong in [&["--rate", "0"][..], &["--rate", "10001"], &["--seconds", "0"], &["--json", "--folded"]] {
        assert_eq!(profile(wrong).0, Some(2), "{wrong:?}");
    }
}

/// What is no vitals file is reported, and the others are shown.
#[test]
fn foreign_files_are_told() {
    let folder = Folder::new("foreign");
    fs::write(folder.0.join("1-1-0.vitals"), b"ANNULUSV").unwrap();
    fs::write(folder.0.join("2-1-0.vitals"), [b'x'; 1000]).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.0.join("3-1-0.vitals")).unwrap();
    let text = table(&folder.0, &[]);
    assert!(text.contains("cut off within its header") && text.contains("no vitals file"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
}

#[test]
fn wrong_times_are_refused() {
    for interval in ["0", "-1", "soon", "inf", "1e300"] {
        let output = Command::new(env!("CARGO_BIN_EXE_annulus"))
            .args(["top", &format!("--interval={interval}")])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{interval}");
    }
}

fn autopsy(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_annulus"))
        .arg("autopsy")
        .args(arguments)
        .env("ANNULUS_DIR", folder)
        .output()
        .unwrap()
}

/// R-06: what a killed process was at: by itself, by number, by file, as JSON; and what is told if there is none.
#[test]
fn r_06_autopsy_tells_of_the_dead() {
    let folder = Folder::new("autopsy");
    let told = |arguments: &[&str]| {
        let output = autopsy(&folder.0, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let mut child = sender(&folder.0, 3);
    assert_eq!(told(&[]), "no process has died and left a vitals file\n");
    let pid = child.0.id().to_string();
    assert!(told(&[&pid]).contains("it lives; this is what it is at"));
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    let file = fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    let text = told(&[]);
    assert!(text.starts_with(&format!("process {pid}, cpu, ")), "{text}");
    assert!(text.contains(": it died without ending its runtime\n  on CPU, "), "{text}");
    assert!(
        text.contains("\n  `anomalies`: 3 handled")
            && text.contains("\n    messages are `Observation`: 16 bytes, ")
    );
    assert!(text.contains("`anomalies`: launched, 1 shard\n"), "{text}");
    assert_eq!([told(&[&pid]), told(&[file.to_str().unwrap()])], [text.clone(), text]);
    let json: Value = serde_json::from_str(&told(&["--json"])).unwrap();
    assert_eq!((&json["alive"], &json["kernels"][0]["name"]), (&false.into(), &"anomalies".into()), "{json}");
    assert_eq!(json["records"][0]["event"], "launched", "{json}");
    assert_eq!(json["records"][0]["values"], serde_json::json!({ "shards": 1 }), "{json}");
    assert_eq!(json["records"][1]["values"], serde_json::json!({}), "{json}");
    let drops = &json["kernels"][0]["drops"];
    assert_eq!((&drops["rejected"], &drops["cleared"]), (&0.into(), &0.into()), "{json}");
    assert_eq!(drops.as_object().unwrap().len(), 7, "{json}");

    assert_eq!(json["kernels"][0]["black_box"], Value::Null, "{json}");

    let output = autopsy(&folder.0, &["1"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("process 1 left no vitals file"), "{error}");
    assert_eq!(autopsy(&folder.0, &["/dev/zero"]).status.code(), Some(1));
}

/// What starts a process with the kernel `anomalies` on a backend, for which nearly every message is an anomaly.
fn command(backend: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
    command.args(["send", "anomalies", "--actors", "8", "--backend", backend, "--capacity", "64"]);
    command.args(["--bind", r#"limits={"threshold": 0}"#]).env("ANNULUS_DIR", folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Feeds a process until it ends, since nobody reads what it prints.
fn feed(child: &mut Sender) -> std::thread::JoinHandle<()> {
    let mut input = child.0.stdin.take().unwrap();
    std::thread::spawn(move || {
        for number in 0..1_000_000 {
            let line = format!(
                "{{\"series\": {}, \"value\": {}, \"sequence\": {number}}}\n",
                number % 8,
                number % 7
            );
            if input.write_all(line.as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// The first kernel of the only process of a folder, when two looks have found it so.
fn kernel_when(folder: &Path, is_so: impl Fn(&Value, &Value) -> bool) -> Value {
    let start = Instant::now();
    let mut before = Value::Null;
    loop {
        let seen = String::from_utf8(top(folder, &["--json"]).stdout).unwrap();
        let process: Value = serde_json::from_str(seen.trim()).unwrap_or_default();
        let now = process["kernels"][0].clone();
        if is_so(&now, &before) {
            return now;
        }
        before = now;
        std::thread::sleep(Duration::from_millis(300));
        assert!(start.elapsed() < Duration::from_secs(60), "{seen}");
    }
}

/// One with a black box that has stalled, with its rings full, since nobody reads what it prints; and the thread that
/// feeds it until it ends.
fn stalled(folder: &Path) -> (Sender, std::thread::JoinHandle<()>) {
    stalled_on("cpu", folder)
}

/// The same on another backend.
fn stalled_on(backend: &str, folder: &Path) -> (Sender, std::thread::JoinHandle<()>) {
    let mut child = Sender(command(backend, folder).arg("--black-box").spawn().unwrap());
    let feeds = feed(&mut child);
    kernel_when(folder, |now, before| now["pending"] == 64 && now["processed"] == before["processed"]);
    (child, feeds)
}

/// R-06: what waited when a program was killed is handed to a fresh one, as `autopsy` prints it: nothing is lost but what
/// was handled, and nothing is said twice.
#[test]
fn r_06_what_waited_is_sent_again() {
    is_sent_again("cpu");
}

/// Likewise on a device.
#[test]
fn r_06_what_waited_on_a_device_is_sent_again() {
    match sender_on("opencl", &Folder::new("tried").0, 1) {
        Some(_) => is_sent_again("opencl"),
        None => println!("skipped: no OpenCL device"),
    }
}

fn is_sent_again(backend: &str) {
    let folder = Folder::new(&format!("boxed-{backend}"));
    let (mut child, feeds) = stalled_on(backend, &folder.0);
    let state = |text: &str| serde_json::from_str::<Value>(text.trim()).unwrap_or_default();
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    feeds.join().unwrap();
    let lines = |which: &str| -> Vec<String> {
        let output = autopsy(&folder.0, &["--messages", which]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    };
    let waiting = lines("waiting");
    let [in_handler, last] = ["in-handler", "last"].map(|which| lines(which).len());
    assert_eq!(
        (waiting.len() + last, in_handler),
        (64, 0),
        "the block has stalled between messages, perhaps in a batch"
    );
    let number = |line: &String| state(line)["sequence"].as_u64().unwrap();
    assert!(waiting.windows(2).all(|pair| number(&pair[0]) + 1 == number(&pair[1])), "{waiting:?}");
    let text = String::from_utf8(autopsy(&folder.0, &[]).stdout).unwrap();
    let told =
        format!("    black box: {} messages waiting, 0 in handlers, {last} before them\n", waiting.len());
    assert!(text.contains(&told), "{text}");
    let json = state(&String::from_utf8(autopsy(&folder.0, &["--json"]).stdout).unwrap());
    assert_eq!(json["kernels"][0]["black_box"]["waiting"], waiting.len(), "{json}");

    // As they are.
    let fresh = Folder::new(&format!("boxed-again-{backend}"));
    let mut again = command(backend, &fresh.0).spawn().unwrap();
    again.stdin.take().unwrap().write_all((waiting.join("\n") + "\n").as_bytes()).unwrap();
    let again = again.wait_with_output().unwrap();
    let told = String::from_utf8(again.stderr).unwrap();
    assert!(again.status.success() && told.contains(&format!(" {} processed", waiting.len())), "{told}");

    for (arguments, told) in [
        (&["--messages", "waiting", "--kernel", "other"][..], "no such black box"),
        (&["--kernel", "anomalies"], "--messages"),
        (&["--messages", "waiting", "--json"], "--json"),
    ] {
        let output = autopsy(&folder.0, arguments);
        assert!(!output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(told), "{error}");
    }
}

/// R-06, O-01: what the guide says to do when something is wrong: each of its commands runs beside a process that stands still,
/// or has died since, and says what the guide says.
#[test]
fn r_06_o_01_what_the_guide_says_to_do_is_done() {
    let guide =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/watching.md")).unwrap();
    let part = guide.split("## What to do when\n").nth(1).expect("it has such a part");
    let part = part.split("\n## ").next().unwrap();
    let commands: Vec<&str> = part.lines().filter(|line| line.starts_with("annulus ")).collect();
    let folder = Folder::new("guide");
    let (mut child, feeds) = stalled(&folder.0);
    let pid = child.0.id().to_string();
    let run = |command: &str| {
        let words = command.replace("3711", &pid);
        let mut program = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let output = program.args(words.split(' ').skip(1)).env("ANNULUS_DIR", &folder.0).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let alive = [
        ("annulus top --once", "stalled on host"),
        ("annulus why", "`anomalies` shard 0 is stalled: nobody receives the outputs, of which 64 wait"),
        ("annulus profile 3711 --seconds 1", "stalled on host"),
        ("annulus export", "annulus_messages_dropped_total{"),
        ("annulus autopsy 3711", "it lives; this is what it is at"),
    ];
    let dead = [
        ("annulus autopsy", "it died without ending its runtime"),
        ("annulus autopsy --messages in-handler", ""),
        ("annulus autopsy --messages waiting", "{\"series\":"),
    ];
    let known = [&alive[..], &dead[..]].concat();
    let names: Vec<&str> = known.iter().map(|(command, _)| *command).collect();
    assert_eq!(commands, names, "the guide's commands are those that are run here");
    for (command, told) in alive {
        let text = run(command);
        assert!(text.contains(told), "{command}: {text}");
    }
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    feeds.join().unwrap();
    for (command, told) in dead {
        let text = run(command);
        assert!(text.contains(told), "{command}: {text}");
    }
}
