//! The examples run, on both backends, and show the same on both. Cargo builds them for a test of the whole
//! package; for this file alone, run `cargo build -p annulus --examples` before.

use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
};

use annulus::{OpenCl, Runtime};

/// What each example shows, whatever the backend; those that tell of times and threads say so little.
const SHOWN: [(&str, &str); 34] = [
    ("balance", "others have helped worker 0: true\n"),
    ("calls", "account 7: not enough money"),
    ("chat", "again, carl in street: HELLO, ANNA\n"),
    ("clinic", "3 came by ambulance, 19 are in the log\n"),
    ("cooperation", "product: 1024 of 1024 elements are the same as by hand, bit for bit\n"),
    ("detect", "sensor 7 is 54.4 sigma off"),
    ("devices", "200000 requests, 150136 visits of 47441 visitors\nestimated: 44943\nestimated: 44943\n"),
    ("grain", "bob: Forget: done, without a result\n"),
    ("heat", " .-+#@#*+=-::........:-+@+-:.\n"),
    ("histogram", " 0.00   4926 "),
    ("kitchen", "; the kitchen is closed\n"),
    ("laps", "lap 2: runner 1 is missing, and is not waited for any more\n"),
    ("life", " ▄▄        ▄▀   ▀▄   ██            ▀▀\n"),
    ("limiter", "60000 other clients, none of them refused\n"),
    ("logs", "port 16464: 100 calls without an answer, now to 182.189.125.230\n"),
    ("market", "  20    613 "),
    ("maze", "178 steps, found with "),
    ("patterns", "coordinated: two workers did 5 of 5 tasks; one of a silent worker: true\n"),
    ("payments", "payment 5: paid, 6000 cents are left\nfrom the host: 5999 cents are left\n"),
    ("pipeline", "station 2:  13.9 to  26.0 °C, mean  19.7"),
    ("quality", "machine 2, window 1: 203.2 g\nrefused, 1: part 7, NaN V\n"),
    ("ranks", "200 of 200 ranks are as by hand\n"),
    ("rays", "::::::"),
    ("reduction", " 9 0.6057 1.9443 ████████████████████████\n"),
    ("roads", "400 of 400 ways are as long as by hand\n"),
    ("service", "client 0:  3 granted, 7 left;"),
    ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  \"abc\""),
    ("sieve", "162 primes below 961\n"),
    ("spectrum", "10  0.75 ██████████████████████████████\n"),
    (
        "spelling",
        "unfortunately it is definitely necessary to receive a message from the processor until tomorrow",
    ),
    ("store", "Sell { article: 3, pieces: 1 }: failed in a kernel"),
    ("tracking", "4.7 as measured, 2.3 as believed"),
    ("uploads", "50000 of 50000 uploads are complete, and right\n"),
    ("visitors", "    400000     195620 "),
];

fn run(name: &str, word: &str) -> Output {
    let test = env::current_exe().expect("a test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("it stands in `deps` of the build's folder");
    let path = folder.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    Command::new(&path).arg(word).output().unwrap_or_else(|error| {
        panic!("{}: {error}: run `cargo build -p annulus --examples`", path.display())
    })
}

/// What an example prints, without the last line, which tells of the backend.
fn shown(name: &str, backend: &str) -> String {
    let output = run(name, backend);
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} on {backend}: {}: {errors}\n{text}", output.status);
    let (before, status) = text.trim_end().rsplit_once('\n').expect("several lines");
    assert!(status.contains(&format!(" on {backend}: ")), "{name}: {status}");
    format!("{before}\n")
}

#[test]
fn every_example_runs_on_both_backends() {
    let opencl = Runtime::builder().backend(OpenCl::new()).build();
    for (name, part) in SHOWN {
        let text = shown(name, "cpu");
        assert!(text.contains(part), "{name} shows not what it should:\n{text}");
        if let Err(error) = &opencl {
            println!("skipped: {name} on OpenCL: {error}");
            continue;
        }
        let other = shown(name, "opencl");
        assert!(other.contains(part), "{name} shows not what it should on OpenCL:\n{other}");
        // Threads take turns as they like, and times differ.
        if !["calls", "detect", "roads"].contains(&name) {
            assert_eq!(text, other, "{name} on the CPU, and on OpenCL");
        }
    }
}

/// O-06: a kernel that is launched, watched and ended with an object of the program; each request has its own result, or
/// a reason why there is none.
#[test]
fn o_06_a_grain_has_a_kernel_while_it_is_used() {
    let expected = [
        "alice: each of 100 commands got a result of its own: true",
        "bob: 5 cents",
        "bob: Withdraw { cents: 6 }: too little is there",
        "bob: Forget: done, without a result",
        "alice: Drained; 100 commands done, 0 refused",
        "bob: Drained; 2 commands done, 1 refused",
        "carol was not there",
        "bob: 1 cents",
        "Drained; 1 commands done, 0 refused",
    ];
    assert_eq!(shown("grain", "cpu").lines().collect::<Vec<_>>(), expected);
}

/// P-01, P-02, P-03, P-05, P-06, K-02: patterns of kernels and their hosts; on OpenCL they show the same (above).
#[test]
fn p_01_p_02_p_03_p_05_p_06_k_02_patterns_are_an_example() {
    let lines = [
        "paced: 10 readings, none sooner than its time: true",
        "replies: 8 of 8 requests got their own",
        "scattered: job 0 comes to 100",
        "scattered: job 1 comes to 10",
        "scattered: job 2 comes to 780",
        "scattered: job 3 has a total in time: false; its failed parts: 1",
        "checkpoints: went on after 20000, and has 25000 messages, 312487500 in sum",
        "cached: 0, 1, 2, 3 and 5000 are there: [true, true, false, true, true]",
        "coordinated: two workers did 5 of 5 tasks; one of a silent worker: true",
    ];
    assert_eq!(shown("patterns", "cpu").lines().collect::<Vec<_>>(), lines);
}

/// K-03: whose queue is deeper than one and a half times the average hands ten jobs over.
#[test]
fn k_03_a_coordinator_evens_out_its_workers() {
    let lines = [
        "60 jobs, all for worker 0",
        "without the rule: [60, 0, 0, 0] jobs are done by the workers, the last one in turn 60",
        "4 orders: [20, 20, 10, 10] jobs wait",
        "with the rule: [20, 20, 10, 10] jobs are done by the workers, the last one in turn 20",
        "while all work: each of 300 jobs is done once: true; others have helped worker 0: true",
    ];
    assert_eq!(shown("balance", "cpu").lines().collect::<Vec<_>>(), lines);
}

/// K-05: a chat, whose rooms are topics.
#[test]
fn k_05_a_chat_has_topics_for_rooms() {
    let lines = [
        "anna hears carl in room.garden: Is anybody here?",
        "bert hears carl in room.garden: Is anybody here?",
        "bert hears anna in room.hall: Who is in the hall?",
        "anna hears bert in street: Do not shout.",
        "bert hears bert in room.garden: Anna?",
        "carl hears bert in room.garden: Anna?",
        "carl hears carl in street: HELLO, ANNA",
        "carl hears bert in street: Do not shout.",
        "a shout of carl in street: HELLO",
        "again, carl in street: HELLO, ANNA",
        "nobody else has shouted",
        "copies: [2, 3, 3], to the moderator: 2, to nobody: 1",
    ];
    assert_eq!(shown("chat", "cpu").lines().collect::<Vec<_>>(), lines);
}

#[test]
fn every_example_is_tested_and_told_of() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(folder.join("../../README.md")).expect("there is one");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("examples")).expect("there is such a folder") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            let row = format!("| [{name}](crates/annulus/examples/{name}.rs) |");
            assert!(readme.contains(&row), "README.md's table of examples has no row `{row}`");
            names.push(name);
        }
    }
    names.sort_unstable();
    assert_eq!(names, SHOWN.map(|(name, _)| name));
}

#[test]
fn wrong_words_are_errors() {
    let output = run("life", "gpu");
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(error, "error: no backend is called `gpu`; there are auto, cpu, cuda, metal, opencl, noop\n");
}
