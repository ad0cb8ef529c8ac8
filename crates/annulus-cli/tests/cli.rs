//! The `annulus` command as its users meet it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Readings in the data that is built into the program.
const SHIPPED: u64 = 211_061;

fn annulus(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
    command.args(["run", "anomalies"]).args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    annulus(arguments).output().unwrap()
}

/// Runs with `input` on standard input.
fn run_on(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = annulus(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that has had enough closes the pipe; what it says tells whether that was right.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

/// The summary that a run with `--json` printed, which must be all that it printed.
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A file of this test's own, which goes when the value does.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("annulus-cli-{}-{name}", std::process::id())))
    }

    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let file = Self::new(name);
        fs::write(&file.0, content).unwrap();
        file
    }

    fn as_str(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A CSV file in which one reading is far out, on line 42, at time 40.
fn one_outlier() -> String {
    let mut text = String::from("time,series,value\n");
    for time in 0..40 {
        text += &format!("{time},lab,{}\n", if time % 2 == 0 { 1 } else { -1 });
    }
    text + "40,lab,100\n"
}

/// The alerts in a file that `--alerts` wrote: time, series and value.
fn alerts(path: &Path) -> Vec<(String, String, f32)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    assert_eq!(reader.headers().unwrap(), ["time", "series", "value", "z"].as_slice());
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let z: f32 = record[3].parse().unwrap();
            assert!(z.abs() > 3.0, "{record:?}");
            (record[0].into(), record[1].into(), record[2].parse().unwrap())
        })
        .collect()
}

/// Runs on the outlier followed by `rest`, expects it to end with code 1 and a message that has all of
/// `expected`, and checks that the outlier's alert was written before.
#[track_caller]
fn fails_after_the_alert(name: &str, rest: impl AsRef<[u8]>, expected: &[&str]) {
    let input = TempFile::with(&format!("{name}.csv"), [one_outlier().as_bytes(), rest.as_ref()].concat());
    let written = TempFile::new(&format!("{name}-alerts.csv"));
    let output = run(&["--input", input.as_str(), "--alerts", written.as_str()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for part in [input.as_str(), "remedy: "].iter().chain(expected) {
        assert!(stderr(&output).contains(part), "{part:?} is not in:\n{}", stderr(&output));
    }
    assert_eq!(alerts(&written.0), [("40".into(), "lab".into(), 100.0)]);
    assert!(stdout(&output).starts_with("40  lab"), "{}", stdout(&output));
    assert_eq!(stdout(&output).lines().count(), 1, "no summary of a run that failed");
}

/// Runs on `content`, expects it to end with code 1 and a message that has all of `expected`.
#[track_caller]
fn fails(name: &str, content: impl AsRef<[u8]>, expected: &[&str]) {
    let input = TempFile::with(name, content);
    let output = run(&["--input", input.as_str()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for part in [input.as_str(), "remedy: "].iter().chain(expected) {
        assert!(stderr(&output).contains(part), "{part:?} is not in:\n{}", stderr(&output));
    }
    assert_eq!(stdout(&output), "");
}

#[test]
fn text_for_a_number() {
    fails_after_the_alert("text", "41,lab,abc\n", &["line 43, column 3 (value)", "\"abc\"", "--skip-bad"]);
}

#[test]
fn nan_and_infinity() {
    fails_after_the_alert(
        "nan",
        "41,lab,NaN\n",
        &["line 43, column 3 (value)", "\"NaN\"", "not a finite number"],
    );
    fails_after_the_alert(
        "inf",
        "41,lab,-inf\n",
        &["line 43, column 3 (value)", "\"-inf\"", "not a finite number"],
    );
}

#[test]
fn a_truncated_line() {
    fails_after_the_alert("cut", "41,lab,1\n42,la", &["line 44, column 3 (value)", "2 of 3 fields"]);
}

#[test]
fn invalid_utf8() {
    fails_after_the_alert("utf8", b"41,\xff\xfe,1\n", &["line 43, column 2 (series)", "not UTF-8"]);
}

#[test]
fn more_series_than_room() {
    let rows: String = (0..1024).map(|i| format!("41,series-{i},1\n")).collect();
    fails_after_the_alert(
        "series",
        rows,
        &["line 1066, column 2 (series)", "more than 1024", "--max-series"],
    );
}

#[test]
fn a_missing_column() {
    fails(
        "column.csv",
        "when,series,value\n1,a,1\n",
        &["line 1", "\"time\"", "when, series, value", "--time-column"],
    );
}

#[test]
fn an_empty_file() {
    fails("empty.csv", "", &["empty", "time,series,value"]);
}

#[test]
fn a_header_only() {
    fails("header.csv", "time,series,value\n", &["no rows"]);
}

#[test]
fn a_binary_file() {
    fails("binary", b"\x7fELF\x02\x01\x01\0\0\0\n\xff\xd8", &["line 1", "no column"]);
    fails("binary.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &["line 1", "not UTF-8"]);
}

#[test]
fn a_cut_gzip_file() {
    let whole = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/weather.csv.gz")).unwrap();
    let input = TempFile::with("cut.csv.gz", &whole[..whole.len() / 2]);
    let output = run(&["--input", input.as_str(), "--quiet"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(input.as_str()), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
}

#[test]
fn a_missing_file_and_a_folder() {
    let missing = TempFile::new("missing.csv");
    for path in [missing.as_str(), env!("CARGO_MANIFEST_DIR")] {
        let output = run(&["--input", path]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(path), "{}", stderr(&output));
        assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
        assert!(stderr(&output).starts_with("annulus: "), "no progress of nothing: {}", stderr(&output));
    }
}

#[test]
fn skip_bad_counts_and_goes_on() {
    let rows = "41,lab,abc\n42\n43,\u{1},1,1\n44,,1\n45,lab,inf\n46,lab,-100\n";
    let input = TempFile::with("skip.csv", one_outlier() + rows);
    let output = run(&["--input", input.as_str(), "--skip-bad", "--json"]);
    let summary = json(&output);
    assert_eq!(summary["sent"], 42);
    assert_eq!(summary["bad_rows"], 5);
    assert_eq!(summary["alerts"], 2);

    let bad_only = TempFile::with("bad-only.csv", "time,series,value\n1,a,x\n2,a,y\n");
    let output = run(&["--input", bad_only.as_str(), "--skip-bad"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("line 2, column 3 (value)"), "{}", stderr(&output));
    assert!(stderr(&output).contains("no other row is good"), "{}", stderr(&output));
}

#[test]
fn the_shipped_data_runs_and_is_summed_up() {
    let written = TempFile::new("shipped-alerts.csv");
    let output = run(&["--alerts", written.as_str()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("211,061 sent, 211,061 processed"), "{}", stdout(&output));
    assert_eq!(stderr(&output), "", "no progress where nobody watches");
    assert!(stdout(&output).contains("\nlaunch     ready after "), "{}", stdout(&output));

    // The anemometer at EWR that once reported 1048 mph.
    let alerts = alerts(&written.0);
    assert!(alerts.contains(&("2013-02-12T08:00:00Z".into(), "EWR.wind_speed".into(), 1048.3606)));
    // Alerts, a blank line, the summary.
    let shown = stdout(&output).lines().take_while(|line| !line.is_empty()).count();
    assert_eq!(shown, alerts.len());
}

#[test]
fn json_is_one_object_with_the_promised_keys() {
    let output = run(&["--json"]);
    let summary = json(&output);
    assert_eq!(summary["sent"], SHIPPED);
    assert_eq!(summary["processed"], SHIPPED);
    assert!(summary["dropped"].as_object().unwrap().is_empty(), "{summary}");
    assert!(summary["alerts"].as_u64().unwrap() > 0);
    assert!(summary["messages_per_second"].as_f64().unwrap() > 0.0);
    assert!(!summary["backend"].as_str().unwrap().is_empty());
    assert_eq!(summary["bad_rows"], 0);
    assert_eq!((&summary["paced"], &summary["interrupted"]), (&Value::Bool(false), &Value::Bool(false)));
    assert!(summary["launch"]["ready_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (&summary["launch"]["compile_seconds"], &summary["launch"]["cached"]),
        (&Value::Null, &Value::Null)
    );
    match &summary["latency_ns"] {
        Value::Null => {}
        latency => {
            let quantiles = ["p50", "p99", "p999", "max"].map(|name| latency[name].as_u64().unwrap());
            assert!(quantiles.is_sorted(), "{latency}");
        }
    }
}

#[test]
fn quiet_prints_the_summary_alone() {
    let output = run(&["--quiet"]);
    assert!(stdout(&output).starts_with("messages "), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn standard_input_is_read_and_columns_can_be_named() {
    let text = one_outlier().replace("time,series,value", "when,host,load");
    let names = ["--time-column", "when", "--series-column", "host", "--value-column", "load"];
    let output = run_on(&[&["--input", "-"], &names[..]].concat(), text.as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("40  lab"), "{}", stdout(&output));

    let output = run_on(&["--input", "-"], b"time,series,value\n1,a,1\n2,a,one\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard input, line 3, column 3 (value)"), "{}", stderr(&output));
}

#[test]
fn columns_are_apart_by_any_character() {
    for (named, between) in [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("|", "|")] {
        let text = one_outlier().replace(',', between);
        let output = run_on(&["--input", "-", "--delimiter", named, "--json"], text.as_bytes());
        assert_eq!(json(&output)["alerts"], 1, "{named:?}");
    }
    let output = run_on(&["--input", "-"], one_outlier().replace(',', ";").as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("with --delimiter"), "{}", stderr(&output));
    let output = run_on(&["--input", "-", "--delimiter", ";"], b"");
    assert!(stderr(&output).contains("time;series;value"), "{}", stderr(&output));
    for wrong in ["", "ab", "\"", "\n", "ä"] {
        assert_eq!(run(&["--delimiter", wrong]).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn alerts_are_json_lines_where_asked_for() {
    let expected = serde_json::json!({ "time": "40", "series": "lab", "value": 100.0 });
    let is_expected = |line: &str| {
        let mut alert: Value = serde_json::from_str(line).unwrap();
        let z = alert.as_object_mut().unwrap().remove("z").unwrap();
        assert!(z.as_f64().unwrap() > 3.0, "{z}");
        assert_eq!(alert, expected);
    };
    let output = run_on(&["--input", "-", "--jsonl"], one_outlier().as_bytes());
    assert!(output.status.success(), "{}", stderr(&output));
    let lines: Vec<_> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    is_expected(lines[0]);
    assert_eq!(serde_json::from_str::<Value>(lines[1]).unwrap()["summary"]["alerts"], 1);

    for end in ["jsonl", "ndjson"] {
        let written = TempFile::new(&format!("alerts.{end}"));
        let output =
            run_on(&["--input", "-", "--json", "--alerts", written.as_str()], one_outlier().as_bytes());
        assert_eq!(json(&output)["alerts"], 1);
        is_expected(&fs::read_to_string(&written.0).unwrap());
    }
    assert_eq!(run(&["--json", "--jsonl"]).status.code(), Some(2));
}

#[test]
fn compressed_input_is_read() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/weather.csv.gz");
    let output = run_on(&["--input", "-", "--json"], &fs::read(shipped).unwrap());
    assert_eq!(json(&output)["sent"], SHIPPED);
}

#[test]
fn an_alert_is_shown_while_the_pipe_stays_open() {
    let mut child = annulus(&["--input", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(one_outlier().as_bytes()).unwrap();
    // The pipe is open, so the program cannot have ended; a program that held alerts back would hang here.
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with("40  lab"), "{line}");
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("alerts     1\n"), "{rest}");
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_it_quietly() {
    for arguments in [&[][..], &["--quiet"], &["--json"]] {
        let mut child = annulus(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_closed_pipe() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = annulus(&["--quiet"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));

    let output = run(&["--quiet", "--alerts", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/dev/full: cannot be written"), "{}", stderr(&output));
}

#[test]
fn messages_cuts_and_replays() {
    assert_eq!(json(&run(&["--json", "--messages", "1000"]))["sent"], 1000);
    let summary = json(&run(&["--json", "--messages", "500000"]));
    assert_eq!(summary["sent"], 500_000);
    assert_eq!(summary["processed"], 500_000);

    let file = TempFile::with("replay.csv", one_outlier());
    let written = TempFile::new("replay-alerts.csv");
    let output = run(&["--json", "-n", "100", "--input", file.as_str(), "--alerts", written.as_str()]);
    assert_eq!(json(&output)["sent"], 100);
    // In the second pass the outlier is judged by statistics that know the first.
    assert_eq!(
        alerts(&written.0)[..],
        [("40".into(), "lab".into(), 100.0), ("40".into(), "lab".into(), 100.0)]
    );
}

#[test]
fn standard_input_is_not_replayed() {
    let output = run_on(&["--input", "-", "--json", "--messages", "100"], one_outlier().as_bytes());
    assert_eq!(json(&output)["sent"], 41);
    let note = "standard input ended after 41 of 100 messages and cannot be replayed";
    assert!(stderr(&output).contains(note), "{}", stderr(&output));
}

#[test]
fn rate_holds_messages_back() {
    let start = Instant::now();
    let summary = json(&run(&["--json", "--messages", "301", "--rate", "1000"]));
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert_eq!(summary["sent"], 301);
    assert_eq!(summary["paced"], true);
    assert!(summary["messages_per_second"].as_f64().unwrap() <= 301.0 / 0.3, "{summary}");
}

#[test]
fn the_threshold_decides() {
    let count = |sigmas| json(&run(&["--json", "--threshold", sigmas]))["alerts"].as_u64().unwrap();
    let (three, ten) = (count("3"), count("10"));
    assert!(three > ten && ten > 0, "{three} alerts over 3, {ten} over 10");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for arguments in [
        &["--threshold", "0"][..],
        &["--threshold", "NaN"],
        &["--messages", "0"],
        &["--rate", "0"],
        &["--max-series", "0"],
        &["--backend", "abacus"],
        &["--backend", "noop"],
        &["--alerts", "-"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn alerts_never_overwrite_the_input() {
    let file = TempFile::with("precious.csv", one_outlier());
    let output = run(&["--input", file.as_str(), "--alerts", file.as_str()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("overwrite"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&file.0).unwrap(), one_outlier());
}

#[test]
fn jobs_are_listed_and_help_teaches() {
    let list = Command::new(env!("CARGO_BIN_EXE_annulus")).args(["run", "--list"]).output().unwrap();
    assert!(list.status.success());
    let text = stdout(&list);
    assert!(text.contains("\n  anomalies    Watch") && text.contains("takes Observation {"), "{text}");

    let help = run(&["--help"]);
    assert!(help.status.success());
    for part in ["Examples:", "--input -", "Exit codes:", "Signals:"] {
        assert!(stdout(&help).contains(part), "{part:?} is not in:\n{}", stdout(&help));
    }
}

/// The lines of `annulus devices --json` for a backend.
fn devices(backend: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_annulus")).args(["devices", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = stdout(&output).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["backend"] == backend).collect()
}

#[test]
fn devices_are_listed_with_how_they_run_kernels() {
    let cpu = devices("cpu");
    assert_eq!(cpu.len(), 1);
    assert!(cpu[0]["parallel_blocks"].as_u64().unwrap() > 0);
    // what a device has that not every device has.
    assert_eq!(
        (&cpu[0]["capabilities"]["f64"], &cpu[0]["capabilities"]["max_block"]),
        (&true.into(), &1024.into())
    );
    let others = ["opencl", "cuda"].map(devices);
    for device in others.into_iter().flat_map(|devices| {
        assert!(!devices.is_empty(), "a backend has devices, or says what it lacks");
        devices
    }) {
        match device["missing"].as_str() {
            Some(missing) => assert!(missing.contains("install"), "{missing}"),
            None => {
                let notes = device["notes"].to_string();
                let told = ["persistent: ", "epochs: ", "cannot "].iter().any(|mode| notes.contains(mode));
                assert!(told, "{notes}");
                let can = &device["capabilities"];
                for name in ["f64", "wide_atomics", "subgroups", "shared_virtual_memory"] {
                    assert!(can[name].is_boolean(), "{can}");
                }
                assert!(
                    can["shared_memory"].as_u64().is_some() && can["max_block"].as_u64().is_some(),
                    "{can}"
                );
            }
        }
    }
}

#[test]
fn a_device_finds_the_same_alerts() {
    let missing = devices("opencl")[0]["missing"].clone();
    if let Some(missing) = missing.as_str() {
        println!("skipped: {missing}");
        return;
    }
    let alerts = |backend: &str| {
        let file = TempFile::new(&format!("alerts-of-{backend}.csv"));
        let summary = json(&run(&["--json", "--backend", backend, "--alerts", file.as_str()]));
        assert_eq!(summary["processed"].as_u64(), Some(SHIPPED), "{summary}");
        assert_eq!(summary["backend"], backend);
        let text = fs::read_to_string(&file.0).unwrap();
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    let expected = alerts("cpu");
    assert!(expected.len() > 100);
    assert_eq!(alerts("opencl"), expected);
}

/// A built program is kept on disk, and built anew when what is kept is damaged. PoCL keeps its own programs,
/// unless it is told not to.
#[test]
fn a_damaged_program_is_built_anew() {
    if let Some(missing) = devices("opencl")[0]["missing"].as_str() {
        println!("skipped: {missing}");
        return;
    }
    let cache = std::env::temp_dir().join(format!("annulus-cli-{}-cache", std::process::id()));
    let programs = cache.join("annulus/opencl");
    let mut entries = Vec::new();
    for _ in 0..3 {
        let output = annulus(&["--json", "-n", "1000", "--backend", "opencl"])
            .env("XDG_CACHE_HOME", &cache)
            .env("POCL_KERNEL_CACHE", "0")
            .output()
            .unwrap();
        let summary = json(&output);
        assert_eq!(summary["processed"].as_u64(), Some(1000));
        // What is damaged counts as absent.
        assert_eq!(summary["launch"]["cached"], "no", "{summary}");
        let compiled = summary["launch"]["compile_seconds"].as_f64().unwrap();
        assert!(0.0 < compiled && compiled <= summary["launch"]["ready_seconds"].as_f64().unwrap());
        let files: Vec<PathBuf> =
            fs::read_dir(&programs).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        let whole = fs::read(&files[0]).unwrap();
        fs::write(&files[0], &whole[..whole.len() / 2]).unwrap();
        entries.push(whole.len());
    }
    // The last one was cut as well; what it is replaced by is found whole.
    for cached in ["no", "on disk"] {
        let output = annulus(&["-n", "1000", "-q", "--backend", "opencl"])
            .env("XDG_CACHE_HOME", &cache)
            .env("POCL_KERNEL_CACHE", "0")
            .output()
            .unwrap();
        let told = format!("(cached: {cached}), ready after ");
        assert!(stdout(&output).contains(&told), "{}", stdout(&output));
    }
    fs::remove_dir_all(&cache).unwrap();
    assert!(
        entries.windows(2).all(|pair| pair[1] > pair[0] / 2),
        "each run found half, and left a whole: {entries:?}"
    );
}
