//! What is recorded, what ends a run, and where the next one goes on.

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::folder::{BENCH, Folder, GPU, all, outcomes, stand_in};

#[test]
fn nothing_passes_without_a_device() {
    let folder = Folder::new("nothing", &[GPU, BENCH]);
    let output = folder.run(None, &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = all(&output);
    assert!(said.contains("there is no NVIDIA GPU that runs kernels here"), "{said}");
    let records = folder.records();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(records[0]["outcome"], "failed");
    let report = folder.report();
    assert!(
        report.contains("No device ran a kernel.") && report.contains("no CUDA driver that loads"),
        "{report}"
    );
    // Where there is one later, that counts no more.
    let Some(libraries) = stand_in() else { return };
    folder.script("cuda", GOOD);
    let output = folder.run(Some(libraries), &["--suite", "conformance"]);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert!(folder.report().contains("1 lines of results.jsonl are other runs'"), "{}", folder.report());
}

/// A suite of one case, which passes.
const GOOD: &str = r#"#!/bin/sh
[ "$1" != --list ] || { echo "persistent::a::good: test"; exit 0; }
echo run >>calls
echo "test persistent::a::good ... ok"
"#;

/// Of two suites one has the case that is asked for: it is run, and the other is named. Where none has one, nothing
/// passes.
#[test]
fn the_case_of_one_suite_is_run_though_another_has_none() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("only", &[GPU]);
    folder.script("cuda", GOOD);
    folder.script("on_device", &GOOD.replace("persistent::a::good", "cuda::other"));
    let run = |only: &str| {
        let suites = ["--suite", "conformance", "--suite", "language", "--only", only];
        let output = folder.run(Some(libraries), &suites);
        (output.status.code(), all(&output))
    };
    let (code, said) = run("other");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("conformance has no case whose name contains other"), "{said}");
    let cases: Vec<_> = folder.records().into_iter().filter(|line| line["record"] == "case").collect();
    assert!(cases.len() == 1 && cases[0]["case"] == "cuda::other", "{cases:?}");
    let (code, said) = run("neither");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("conformance and language have no case whose name contains neither: name"),
        "{said}"
    );
}

#[test]
fn runs_of_another_length_or_version_are_others() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("others", &[GPU]);
    folder.script("cuda", GOOD);
    let calls = |arguments: &[&str]| {
        let output = folder.run(Some(libraries), &[&["--suite", "conformance"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", all(&output));
        fs::read_to_string(folder.0.join("calls")).unwrap().lines().count()
    };
    assert_eq!([calls(&[]), calls(&[])], [1, 1]);
    assert_eq!([calls(&["--quick"]), calls(&["--rehearse"]), calls(&["--quick"])], [2, 3, 3]);
    fs::write(folder.0.join("commit"), "0123456789ab\n").unwrap();
    assert_eq!([calls(&[]), calls(&[])], [4, 4]);
    let last = folder.records().pop().unwrap();
    assert_eq!((&last["record"], &last["commit"]), (&"machine".into(), &"0123456789ab".into()));
    assert!(last["version"].as_str().unwrap().ends_with(" (0123456789ab)"), "{last}");
}

#[test]
fn a_device_on_which_kernels_do_not_stay_is_not_used() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("epochs", &[GPU, BENCH]);
    let mut command = folder.command("annulus-gpu", Some(libraries), &["--first", "--rehearse"]);
    let output = command.env("CUDA_MODULE_LOADING", "LAZY").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    assert!(all(&output).contains("kernels do not stay on this device"), "{}", all(&output));
    let records = folder.records();
    let kinds: Vec<_> = records.iter().map(|line| line["record"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["machine", "step"]);
    assert!(folder.report().contains("epochs: the driver loads programs lazily"), "{}", folder.report());
}

/// A suite of two cases, of which the first fails as long as there is no file `mended`.
const MENDED: &str = r#"#!/bin/sh
[ "$1" != --list ] || { echo "persistent::a::bad: test"; echo "persistent::a::good: test"; exit 0; }
shift 3
for case in "$@"; do
    echo $case >>calls
    case $case in
        *bad) if [ -e mended ]; then echo "test $case ... ok"; else echo "test $case ... FAILED"; code=101; fi ;;
        *) echo "test $case ... ok" ;;
    esac
done
exit $code
"#;

#[test]
fn what_failed_is_run_again_if_that_is_said() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("again", &[GPU]);
    folder.script("cuda", MENDED);
    folder.script("annulus-bench", BROKEN);
    let run = |code: i32, more: &[&str]| {
        let suites = ["--suite", "micro", "--suite", "conformance"];
        let output = folder.run(Some(libraries), &[&suites, more].concat());
        assert_eq!(output.status.code(), Some(code), "{}\n{}", all(&output), folder.report());
    };
    let again = ["--again-failed"];
    run(1, &[]);
    assert!(folder.report().contains("Cases of conformance: 1 failed, 1 passed"), "{}", folder.report());
    run(1, &again);
    folder.script("annulus-bench", "#!/bin/sh\n");
    fs::write(folder.0.join("mended"), "").unwrap();
    run(1, &[]);
    run(0, &again);
    let report = folder.report();
    assert!(report.contains("Cases of conformance: 2 passed"), "{report}");
    assert!(!["failed", "FAILED", "BROKEN", "missed"].iter().any(|word| report.contains(word)), "{report}");
    // Nothing is left to be run again; the record has all of it.
    run(0, &again);
    let calls = fs::read_to_string(folder.0.join("calls")).unwrap();
    assert_eq!(calls, ["bad", "good", "bad", "bad"].map(|case| format!("persistent::a::{case}\n")).concat());
    let steps = folder.records().iter().filter(|line| line["record"] == "step").count();
    assert_eq!(steps, 3);
}

/// What takes the place of a benchmark: a figure that is no good, a candidate that failed.
const BROKEN: &str = r#"#!/bin/sh
echo '{"suite":"micro","case":"units torn","candidate":"limit","unit":"looks","median":3.0,"min":3.0,"max":3.0,"runs":1}'
echo '{"suite":"micro","case":"units torn","candidate":"limit","verdict":"broken","value":3.0,"goal":0.0,"text":"limit torn: 3.0 looks; it must be at most 0 looks"}'
echo '{"suite":"micro","case":"loads","candidate":"limit, managed","failed":"no managed memory"}'
echo '{"suite":"micro","case":"hop","candidate":"annulus","verdict":"missed","value":700.0,"goal":600.0,"text":"annulus: 700.0 ns; mark: at most 600 ns"}'
echo 'annulus-bench: 2 candidates failed, or broke what must hold: see above' >&2
exit 1
"#;

/// And the clocks and power of the GPU are asked at its place on the bus, before and after.
#[test]
fn what_must_not_be_fails_the_step_and_is_told_first() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("broken", &[GPU]);
    folder.script("annulus-bench", BROKEN);
    folder.script(
        "commands/nvidia-smi",
        "#!/bin/sh\necho $1 >>asked\necho P0, $(wc -l <asked) MHz, 1 MHz, 70 W, 30, 6, 7, 8\n",
    );
    let output = folder.run(Some(libraries), &["--suite", "micro"]);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let records = folder.records();
    let step = records.iter().find(|line| line["record"] == "step").unwrap();
    assert_eq!(step["outcome"], "failed");
    assert_eq!(
        (&step["gpu_before"]["clocks.sm"], &step["gpu_after"]["clocks.sm"]),
        (&"2 MHz".into(), &"3 MHz".into())
    );
    assert_eq!(step["gpu_after"]["power.draw"], "70 W");
    let asked = fs::read_to_string(folder.0.join("asked")).unwrap();
    assert!(asked.lines().all(|line| line == "--id=0000:01:00.0"), "{asked}");
    let figure = records.iter().find(|line| line["record"] == "figure").unwrap();
    assert_eq!(
        (&figure["suite"], &figure["bench"], &figure["step"]),
        (&"micro".into(), &"micro".into(), &"micro".into())
    );
    let report = folder.report();
    let places = [
        "FAILED   micro: loads: limit, managed: no managed memory",
        "BROKEN   micro: units torn: limit torn: 3.0",
        "missed   micro: hop",
    ]
    .map(|line| report.find(line).unwrap_or_else(|| panic!("`{line}` is not in {report}")));
    assert!(places.is_sorted(), "{report}");
}

/// A suite whose cases take a second each, and together more than one may be silent.
const SLOW: &str = r#"#!/bin/sh
if [ "$1" = --list ]; then
    for case in 1 2 3 4 5 6; do echo "persistent::a::case_$case: test"; done
    exit 0
fi
echo $$ >process
shift 3
for case in "$@"; do printf 'test %s ... ' "$case"; sleep 1; echo ok; done
"#;

#[test]
fn a_large_group_of_cases_is_not_ended_while_it_goes_on() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("large", &[GPU]);
    folder.script("cuda", SLOW);
    let output = folder.run(Some(libraries), &["--suite", "conformance", "--seconds-per-case", "5"]);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert_eq!(outcomes(&folder.records()).len(), 6);
}

/// The limit ends what runs, and the next run goes on there.
#[test]
fn what_the_limit_cuts_off_begins_anew() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("cut", &[GPU]);
    folder.script("cuda", GOOD);
    folder.script("annulus-bench", "#!/bin/sh\nsleep 1000\n");
    let suites = ["--suite", "rtt", "--suite", "conformance"];
    let limited = |seconds: u64| {
        let output = folder.run(Some(libraries), &[&suites[..], &["--limit", &seconds.to_string()]].concat());
        assert_eq!(output.status.code(), Some(3), "{}", all(&output));
        output
    };
    // The device's own step takes so long here; a limit must leave time for it.
    let begun = Instant::now();
    limited(0);
    let output = limited(2 + 3 * begun.elapsed().as_secs_f64().ceil() as u64);
    let told = "not reached before the limit: rtt: rtt; cases of conformance";
    assert!(all(&output).contains(told), "{}", all(&output));
    assert!(folder.report().contains("not reached         rtt: rtt"), "{}", folder.report());
    let steps: Vec<_> = folder.records().into_iter().filter(|line| line["record"] == "step").collect();
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0]["outcome"], "cut");
    folder.script("annulus-bench", "#!/bin/sh\n");
    let output = folder.run(Some(libraries), &suites);
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    assert!(!folder.report().contains("not reached"), "{}", folder.report());
}

/// What is run keeps the device, and would keep it after the runner's end.
#[test]
fn a_runner_that_is_killed_takes_its_child_along() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("killed", &[GPU]);
    // The shell becomes what sleeps: the process whose number it wrote.
    folder.script("annulus-bench", "#!/bin/sh\necho $$ >started && mv started process\nexec sleep 1000\n");
    let mut runner = folder.command("annulus-gpu", Some(libraries), &["--suite", "rtt"]);
    let mut runner = runner.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
            thread::sleep(Duration::from_millis(5));
        }
    };
    let process = folder.0.join("process");
    until("the step did not begin", &|| process.exists());
    let child = PathBuf::from(format!("/proc/{}", fs::read_to_string(&process).unwrap().trim()));
    assert!(child.exists());
    runner.kill().unwrap();
    runner.wait().unwrap();
    // One that has ended and that nobody has waited for yet is a zombie, and runs no more.
    let is_gone = || {
        let stat = fs::read_to_string(child.join("stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    until("the child lives on", &is_gone);
}

#[test]
fn nobody_need_read_what_is_printed() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("unread", &[GPU]);
    folder.script("cuda", GOOD);
    let mut command = folder.command("annulus-gpu", Some(libraries), &["--suite", "conformance"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(outcomes(&folder.records()), [("persistent::a::good", "passed")]);
}

/// A suite of four cases: one fails, one hangs (and cannot be ended politely), one says that it skipped
/// itself.
const SUITE: &str = r#"#!/bin/sh
if [ "$1" = --list ]; then
    for case in good bad stuck skips; do echo "persistent::a::$case: test"; done
    echo "persistent::a::a_hundred_kernels: test"
    exit 0
fi
trap '' TERM
echo "$@" >>calls
shift 3
failures= successes= code=0
for case in "$@"; do
    printf 'test %s ... ' "$case"
    case $case in
        *bad) echo FAILED; code=101 failures="---- $case stdout ----
1 is not 2" ;;
        *stuck) while :; do sleep 1; done ;;
        *skips) echo ok; successes="---- $case stdout ----
skipped: skips on cuda: it has no device" ;;
        *) echo ok ;;
    esac
done
printf '\nsuccesses:\n\n%s\n\nfailures:\n\n%s\n' "$successes" "$failures"
exit $code
"#;

#[test]
fn a_case_that_hangs_is_recorded_and_the_others_go_on() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("hangs", &[GPU, BENCH]);
    folder.script("cuda", SUITE);
    let output = folder.run(Some(libraries), &["--suite", "conformance", "--seconds-per-case", "4"]);
    assert_eq!(output.status.code(), Some(1), "{}", all(&output));
    let records = folder.records();
    let found = outcomes(&records);
    let expected = [
        ("persistent::a::good", "passed"),
        ("persistent::a::bad", "failed"),
        ("persistent::a::stuck", "hung"),
        ("persistent::a::skips", "skipped"),
        ("persistent::a::a_hundred_kernels", "passed"),
    ];
    assert_eq!(found, expected, "{}", all(&output));
    // The one that hung, then those behind it, then what may hang.
    let calls = fs::read_to_string(folder.0.join("calls")).unwrap();
    assert_eq!(calls.lines().count(), 3, "{calls}");
    assert!(
        calls.lines().nth(1).is_some_and(|call| call.ends_with("1 --show-output persistent::a::skips")),
        "{calls}"
    );
    let report = folder.report();
    assert!(report.contains("Cases of conformance: 1 failed, 1 hung, 2 passed, 1 skipped"), "{report}");
    // What is recorded is not run again; `--again` forgets it.
    let before = records.len();
    let more = folder.run(Some(libraries), &["--suite", "conformance"]);
    assert_eq!((more.status.code(), folder.records().len()), (Some(1), before + 1));
    assert_eq!(fs::read_to_string(folder.0.join("calls")).unwrap(), calls);
}

#[test]
fn a_limit_stops_between_steps() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("limit", &[GPU, BENCH]);
    let output = folder.run(Some(libraries), &["--first", "--rehearse", "--limit", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}", all(&output));
    let records = folder.records();
    let kinds: Vec<_> = records.iter().map(|line| line["record"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["machine", "limit"]);
    assert_eq!(records[1]["not_reached"].as_array().unwrap().len(), 9);
}

/// Of all that is run without a word, kernels that may not end come behind the others.
#[test]
fn what_may_not_end_comes_last() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("order", &[GPU, BENCH]);
    let output = folder.run(Some(libraries), &["--rehearse", "--limit", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}", all(&output));
    let records = folder.records();
    let left = records.last().unwrap()["not_reached"].as_array().unwrap();
    let suites: Vec<_> =
        left[9..].iter().map(|step| step.as_str().unwrap().rsplit_once(' ').unwrap().1).collect();
    let expected = [
        "conformance",
        "language",
        "micro",
        "rtt",
        "launch-vs-resident",
        "stream",
        "k2k",
        "poll",
        "costs",
        "backpressure",
        "serialize",
        "idle",
        "cooperate",
        "thresholds",
    ];
    assert_eq!(suites, expected, "{left:?}");
}

/// The suites that come last, on libraries that stand in for a GPU's.
#[test]
fn what_may_not_end_is_rehearsed() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("rehearsed", &[GPU, BENCH]);
    let arguments = ["--suite", "cooperate", "--suite", "thresholds", "--rehearse"];
    let output = folder.run(Some(libraries), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", all(&output), folder.report());
    let records = folder.records();
    for (suite, candidate) in [
        ("cooperate", "annulus, of each warp"),
        ("cooperate", "annulus, block_reduce"),
        ("thresholds", "annulus, at work"),
    ] {
        let is_it = |line: &&Value| line["record"] == "figure" && line["candidate"] == candidate;
        assert!(records.iter().filter(is_it).any(|line| line["suite"] == suite), "{}", folder.report());
    }
}

/// A driver with two queues, that lets no kernel begin behind another one in its queue.
#[test]
fn kernels_that_do_not_begin_are_counted_with_the_reason() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("queues", &[GPU]);
    let mut command = folder.command("annulus-gpu", Some(libraries), &["stay-together", "4"]);
    command.env("ANNULUS_NVRTC", libraries).env("CUDA_MODULE_LOADING", "EAGER");
    let output =
        command.env("ANNULUS_STAND_IN_QUEUES", "1").env("CUDA_DEVICE_MAX_CONNECTIONS", "2").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", all(&output));
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[..2].iter().all(|line| line["began"] == true), "{said}");
    assert_eq!((&lines[2]["median"], &lines[3]["verdict"]), (&2.into(), &"missed".into()), "{said}");
    assert_eq!(lines[4]["kernel"], 3);
    assert!(
        lines[4]["why"].as_str().unwrap().contains("queues (2, by CUDA_DEVICE_MAX_CONNECTIONS)"),
        "{said}"
    );
}

/// Another end than a kernel that waits for its turn is a failure, and the count is told all the same.
#[test]
fn a_launch_that_fails_is_no_count_of_kernels_that_stay() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("refused", &[GPU]);
    // The driver refuses the third launch, or the device has room for fewer.
    for (name, value) in [("ANNULUS_STAND_IN_FAIL_LAUNCH", "3"), ("ANNULUS_STAND_IN_MULTIPROCESSORS", "1")] {
        let mut command = folder.command("annulus-gpu", Some(libraries), &["stay-together", "40"]);
        command.env("ANNULUS_NVRTC", libraries).env("CUDA_MODULE_LOADING", "EAGER").env(name, value);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {}", all(&output));
        let said = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let began = lines.iter().filter(|line| line["began"] == true).count();
        assert!((1..40).contains(&began), "{name}: {said}");
        let figure = lines.iter().find(|line| line["candidate"] == "began").unwrap();
        assert_eq!(figure["median"], began, "{name}: {said}");
    }
}

#[test]
fn power_and_clock_of_an_idle_gpu_are_asked_at_its_place_on_the_bus() {
    let Some(libraries) = stand_in() else { return };
    let folder = Folder::new("power", &[BENCH]);
    let smi = "#!/bin/sh\n[ $1 = --list-gpus ] || { echo $1 >>asked; echo 71.50, 1200; }\n";
    folder.script("commands/nvidia-smi", smi);
    let arguments = ["idle", "--case", "the GPU", "--runs", "1", "--json", "--backend", "cuda"];
    let mut command = folder.command("annulus-bench", Some(libraries), &arguments);
    let output = command.env("ANNULUS_NVRTC", libraries).output().unwrap();
    assert!(output.status.success(), "{}", all(&output));
    let lines: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let power =
        lines.iter().filter(|line| line["case"] == "the GPU meanwhile power, W" && line["median"] == 71.5);
    let clock = lines
        .iter()
        .filter(|line| line["case"] == "the GPU meanwhile clock, MHz" && line["median"] == 1200.0);
    assert_eq!((power.count(), clock.count()), (3, 3), "{lines:?}");
    let asked = fs::read_to_string(folder.0.join("asked")).unwrap();
    assert_eq!(asked, "--id=0000:01:00.0\n".repeat(3));
}
