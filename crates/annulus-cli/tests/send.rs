//! `annulus send` as its users meet it.

mod common;

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use annulus::{
    DynamicMessage, RegisteredKernel,
    kernel::schema_of,
    message::{Facts, FrameReader, FrameWriter, WireType},
};
// Its kernels are listed where it is linked.
use annulus_cli as _;
use serde_json::{Value, json};

use common::{KERNEL, run};

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

fn reading(sequence: u64, series: u32, value: f64) -> String {
    json!({"sequence": sequence, "series": series, "value": value}).to_string() + "\n"
}

/// Enough readings around 3 for the kernel to know what is normal.
fn normal(series: u32) -> String {
    (0..40u32).map(|i| reading(i.into(), series, f64::from(i % 7))).collect()
}

#[test]
fn lines_go_in_and_lines_come_out() {
    let input = normal(3) + "\n" + &reading(77, 3, 900.0);
    let output = run(&KERNEL, &input);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let alert: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&alert["sequence"], &alert["series"], &alert["value"]),
        (&json!(77), &json!(3), &json!(900.0))
    );
    assert!(alert["z"].as_f64().unwrap() > 3.0);
    assert!(
        text(&output.stderr).contains("anomalies on cpu: 41 processed, 1 sent back"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn more_comes_out_than_rings_hold() {
    let outliers: String = (0..2000).map(|i| reading(i, 3, if i % 2 == 0 { 9e5 } else { -9e5 })).collect();
    let mut arguments = KERNEL.to_vec();
    arguments.extend(["--capacity", "16"]);
    arguments[5] = r#"limits={"threshold": 0.1}"#;
    let output = run(&arguments, &(normal(3) + &outliers));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let sequences: Vec<u64> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["sequence"].as_u64().unwrap())
        .collect();
    assert!(sequences.len() > 1900, "{}", sequences.len());
    assert!(sequences.iter().filter(|&&sequence| sequence > 40).is_sorted());
}

#[test]
fn calls_are_answered_one_by_one() {
    let mut arguments = KERNEL.to_vec();
    arguments.push("--calls");
    let output = run(&arguments, &(normal(0) + &reading(50, 0, 900.0) + &reading(51, 99, 0.0)));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let replies: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), 42);
    assert!(replies[0]["error"].as_str().unwrap().contains("sent nothing"), "{}", replies[0]);
    assert_eq!(replies[40]["sequence"], json!(50));
    assert!(replies[41]["error"].as_str().unwrap().contains("raise --actors"), "{}", replies[41]);
    assert!(text(&output.stderr).contains("1 unknown actor"), "{}", text(&output.stderr));
}

#[test]
fn a_bad_line_is_told_with_its_number() {
    let input = reading(1, 0, 1.0) + "{\"series\": 1}\n" + &reading(2, 0, 1.0);
    let output = run(&KERNEL, &input);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("line 2: not of type Observation: `value` of Observation is missing"), "{error}");

    // The place is told once: the line by its number, and the column in it.
    let output = run(&KERNEL, "{\"series\": 1,\n");
    let error = text(&output.stderr);
    assert!(
        error.contains("line 1: not of type Observation: EOF while parsing a value at column 13"),
        "{error}"
    );

    let mut arguments = KERNEL.to_vec();
    arguments.push("--skip-bad");
    let output = run(&arguments, &input);
    assert!(output.status.success());
    assert!(
        text(&output.stderr).contains("2 processed, 0 sent back, 1 skipped lines"),
        "{}",
        text(&output.stderr)
    );
}

/// The readings of `normal`, and one that is none, in another format.
fn readings(format: &str) -> Vec<u8> {
    let lines = normal(3) + &reading(77, 3, 900.0);
    let values: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ty = RegisteredKernel::find("anomalies").unwrap().definition().message;
    match format {
        "json" => lines.into_bytes(),
        "csv" => {
            let row =
                |value: &Value| format!("{},{},{}\n", value["value"], value["series"], value["sequence"]);
            ("value,series,sequence\n".to_owned() + &values.iter().map(row).collect::<String>()).into_bytes()
        }
        "msgpack" => values.iter().flat_map(|value| rmp_serde::to_vec(value).unwrap()).collect(),
        _ => {
            let mut frames = FrameWriter::new(Vec::new()).compressed(0);
            let wire = WireType::new(schema_of(ty, 0), ty.size);
            for value in values {
                let payload = DynamicMessage::read(ty, value).unwrap().payload();
                frames.write_payload(&wire, Facts { priority: 128, ..Facts::default() }, &payload).unwrap();
            }
            frames.into_inner()
        }
    }
}

/// W-07, W-11: every format goes in, and every format comes out.
#[test]
fn messages_have_formats() {
    for format in ["json", "csv", "msgpack", "wire"] {
        let output = run(&[&KERNEL[..], &["--format", format]].concat(), readings(format));
        assert!(output.status.success(), "{format}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("41 processed, 1 sent back"), "{}", text(&output.stderr));
        let sequence = match format {
            "json" => serde_json::from_slice::<Value>(&output.stdout).unwrap()["sequence"].as_u64(),
            "csv" => {
                let (names, row) = text(&output.stdout).split_once('\n').unwrap();
                let column = names.split(',').position(|name| name == "sequence").unwrap();
                row.trim().split(',').nth(column).unwrap().parse().ok()
            }
            "msgpack" => rmp_serde::from_slice::<Value>(&output.stdout).unwrap()["sequence"].as_u64(),
            _ => {
                let mut frames = FrameReader::new(&output.stdout[..]);
                let frame = frames.read().unwrap().unwrap();
                let ty = RegisteredKernel::find("anomalies").unwrap().definition().output.unwrap();
                assert_eq!(&*frame.header().name, ty.name);
                let alert = DynamicMessage::from_payload(ty, frame.payload()).unwrap();
                serde_json::to_value(&alert).unwrap()["sequence"].as_u64()
            }
        };
        assert_eq!(sequence, Some(77), "{format}");
    }
}

/// What is no message in its format is told with its number, and can be passed over where the next is found.
#[test]
fn bad_messages_of_every_format_are_told() {
    let with = |format: &str, more: &[&str], input: &[u8]| {
        let output = run(&[&KERNEL[..], &["--format", format], more].concat(), input);
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let rows = b"sequence,series,value\n1,0,1.5\n2,0,often\n3,0,2\n";
    let (code, told) = with("csv", &[], rows);
    assert_eq!(code, Some(1));
    assert!(told.contains("row 3: not of type Observation: .value: expected value"), "{told}");
    let (code, told) = with("csv", &["--skip-bad"], rows);
    assert_eq!(code, Some(0));
    assert!(told.contains("2 processed, 0 sent back, 1 skipped lines"), "{told}");
    let (code, told) = with("csv", &[], b"sequence,series\n1,0\n");
    assert_eq!(code, Some(1));
    assert!(told.contains("row 2: not of type Observation: `value` of Observation is missing"), "{told}");
    let (code, told) = with("msgpack", &[], &[0x91, 1]);
    assert_eq!(code, Some(1));
    assert!(told.contains("message 1: not of type Observation"), "{told}");
    let (code, told) = with("msgpack", &[], &[0xDF, 0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(code, Some(1), "a map of four billion entries: {told}");
    let mut frames = readings("wire");
    let last = frames.len() - 1;
    frames[last] ^= 1;
    let (code, told) = with("wire", &[], &frames);
    assert_eq!(code, Some(1));
    assert!(told.contains("message 41: the payload was changed on the way"), "{told}");
    let (code, told) = with("wire", &["--skip-bad"], &frames);
    assert_eq!(code, Some(0));
    assert!(told.contains("40 processed, 0 sent back, 1 skipped lines"), "{told}");
    let (code, told) = with("csv", &["--calls", "--output-format", "csv"], b"");
    assert_eq!(code, Some(2));
    assert!(told.contains("--calls prints JSON"), "{told}");
}

/// W-11: a MessagePack value ends where it ends, whatever is in it: only bytes that are none end the program.
#[test]
fn w_11_bad_messages_of_messagepack_are_passed_over() {
    let path = std::env::temp_dir().join(format!("annulus-cli-{}-msgpack-letters", std::process::id()));
    let bytes = |value: &Value| rmp_serde::to_vec(value).unwrap();
    let good = |sequence: u64| bytes(&json!({"sequence": sequence, "series": 0, "value": 1.0}));
    let bad = [
        json!({"sequence": 2, "serious": 0, "value": 1.0}),
        json!({"sequence": 2, "value": 1.0}),
        json!({"sequence": 2, "series": "none", "value": [{"deep": [1, 2]}]}),
        json!({"sequence": 2, "series": -1, "value": 1.0}),
        json!({"sequence": 2, "series": 5_000_000_000_u64, "value": 1.0}),
        json!([1, 2, 3, 4, 5]),
        json!("text"),
    ];
    let mut input = good(1);
    for value in &bad {
        input.extend(bytes(value));
        input.extend(good(3));
    }
    // No JSON has this: a number as the name of a field.
    input.extend([0x81, 1, 2]);
    // Nor does anybody read a value in so many others.
    let deep = [vec![0x91; 200_000], vec![1]].concat();
    input.extend([&[0x81, 0xA1, b'a'], &deep[..]].concat());
    let run_with = |more: &[&str], input: &[u8]| {
        let output = run(&[&KERNEL[..], &["--format", "msgpack"], more].concat(), input);
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (code, told) = run_with(&["--skip-bad"], &input);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("8 processed, 0 sent back, 9 skipped lines"), "{told}");

    let bury = ["--dead-letters", path.to_str().unwrap()];
    let letters = || -> Vec<Value> {
        let lines = fs::read_to_string(&path).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (code, told) = run_with(&bury, &input);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("8 processed, 0 sent back, 9 skipped lines (9 type); 9 dead letters in "),
        "{told}"
    );
    let lines = letters();
    assert_eq!(lines.len(), bad.len() + 2);
    for (index, (line, bad)) in lines.iter().zip(&bad).enumerate() {
        assert_eq!((&line["number"], &line["cause"]), (&json!(2 * index + 2), &json!("type")));
        assert!(line["reason"].as_str().unwrap().starts_with("not of type Observation: "), "{line}");
        let shown: Value = serde_json::from_str(line["text"].as_str().unwrap()).unwrap();
        assert_eq!(shown, *bad);
    }
    assert_eq!(lines[bad.len()]["hex"], "810102");

    // Where the bytes are none of MessagePack nothing after them can be read; what was read before was sent.
    let first = good(1).len();
    let (code, told) = run_with(&bury, &[good(1), vec![0x82, 0xC1], good(2)].concat());
    assert_eq!(code, Some(1), "{told}");
    let words =
        format!("message 2: damaged at byte {} of the input: 0xc1 begins no value of MessagePack", first + 1);
    assert!(told.contains(&words) && told.contains("1 processed"), "{told}");
    let lines = letters();
    assert_eq!((lines.len(), &lines[0]["cause"], &lines[0]["hex"]), (1, &json!("damaged"), &json!("82c1")));
    let cut = [good(1), good(2)].concat();
    let (code, told) = run_with(&bury, &cut[..cut.len() - 3]);
    assert_eq!(code, Some(1), "{told}");
    let words = format!("byte {first} of the input is not whole at its end, byte {}", cut.len() - 3);
    assert!(told.contains(&words), "{told}");
    fs::remove_file(&path).unwrap();
}

/// W-11: what is no message is kept with the reason, in every format in which the next message is found.
#[test]
fn w_11_bad_messages_become_dead_letters() {
    let path = std::env::temp_dir().join(format!("annulus-cli-{}-dead-letters", std::process::id()));
    let with = |format: &str, input: &[u8]| {
        let more = ["--format", format, "--dead-letters", path.to_str().unwrap()];
        let output = run(&[&KERNEL[..], &more].concat(), input);
        let lines = fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (output.status.code(), text(&output.stderr).to_owned(), lines)
    };
    let input =
        [reading(1, 0, 1.0).as_bytes(), b"{\"series\": 1}\n\xFF\xFE\n", reading(2, 0, 1.0).as_bytes()]
            .concat();
    let (code, told, lines) = with("json", &input);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("2 processed, 0 sent back, 2 skipped lines (1 not utf8, 1 type); 2 dead letters in "),
        "{told}"
    );
    assert_eq!((&lines[0]["number"], &lines[0]["text"]), (&json!(2), &json!("{\"series\": 1}")));
    assert_eq!(lines[0]["reason"], "not of type Observation: `value` of Observation is missing at column 13");
    assert_eq!((&lines[1]["cause"], &lines[1]["hex"]), (&json!("not_utf8"), &json!("fffe0a")));

    let (code, told, lines) = with("csv", b"sequence,series,value\n1,0,1.5\n2,0,often\n3,0\n3,0,2\n");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("2 processed"), "{told}");
    let texts: Vec<_> = lines.iter().map(|line| (&line["cause"], &line["text"])).collect();
    assert_eq!(texts, [(&json!("type"), &json!("2,0,often")), (&json!("row"), &json!("3,0"))]);

    let mut frames = readings("wire");
    let last = frames.len() - 1;
    frames[last] ^= 1;
    let (code, told, lines) = with("wire", &frames);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("40 processed, 0 sent back, 1 skipped lines (1 checksum); 1 dead letters in "),
        "{told}"
    );
    let hex = lines[0]["hex"].as_str().unwrap();
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
    assert!(frames.ends_with(&bytes) && bytes.len() > 256, "the frame, as it came");

    // What nothing can be read after ends the program, and is a dead letter all the same.
    let (code, told, lines) = with("wire", &[b'x'; 300]);
    assert_eq!(code, Some(1), "{told}");
    assert_eq!((lines.len(), &lines[0]["cause"]), (1, &json!("header")));
    // Without bad messages the file is empty.
    let (code, told, lines) = with("json", reading(1, 0, 1.0).as_bytes());
    assert_eq!((code, lines.len()), (Some(0), 0), "{told}");
    assert!(told.contains("; 0 dead letters in "), "{told}");
    fs::remove_file(&path).unwrap();
    let output = run(&[&KERNEL[..], &["--dead-letters", "/nowhere/at/all"]].concat(), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--dead-letters: cannot write /nowhere/at/all: "));
}

/// A folder is no input, which is seen before anything is launched.
#[test]
fn a_folder_holds_no_messages() {
    let output = run(&[&KERNEL[..], &["src"]].concat(), "");
    let told = (text(&output.stderr), output.status.code());
    assert_eq!(told, ("annulus: cannot read src: is a directory\n", Some(1)));
}

/// W-11: frames are shown, and what is no frame is told.
#[test]
fn frames_are_dumped() {
    let frames = readings("wire");
    let output = run(&["dump", "-"], &frames);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("Observation (version 0, direct) { series: u32, value: f32, sequence: u64 }"),
        "{shown}"
    );
    assert!(shown.contains("\n1 Observation version 0, 16 bytes, 12 as lz4, written "), "{shown}");
    assert!(shown.contains("41 messages in 41 frames, 656 bytes of payloads in "), "{shown}");
    let output = run(&["dump", "--headers", "-"], &frames[..frames.len() - 5]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    let whole = run(&["dump", "--headers", "-"], &frames).stdout;
    let of_the_stream = text(&whole).rsplit("payloads in ").next().unwrap().split(' ').next().unwrap();
    assert_eq!(of_the_stream, frames.len().to_string());
    assert!(told.contains("the stream ends inside a frame: "), "{told}");
    assert!(told.trim_end().ends_with(" is whole") && told.contains("; what is before byte "), "{told}");
    let output = run(&["dump", "-"], [&frames[..], &[b'x'; 300]].concat());
    let told = text(&output.stderr);
    let place = format!("; what is before byte {of_the_stream} is whole");
    assert!(told.contains("no message begins here") && told.contains(&place), "{told}");
    let output = run(&["dump", "-"], [b'x'; 300]);
    let told = text(&output.stderr);
    assert!(told.contains("no message begins here") && told.contains("it has no frames"), "{told}");
    let output = run(&["dump", "src"], "");
    assert_eq!(
        (text(&output.stderr), output.status.code()),
        ("annulus: cannot read src: is a directory\n", Some(1))
    );
}

#[test]
fn what_the_command_line_lacks_is_said() {
    let wrong_launch = |flags: &'static [&'static str]| [&KERNEL, flags].concat();
    let cases: [(&[&str], &str); 19] = [
        (
            &["send", "anomalies", "--bind", "limits={\"threshold\": 3}"],
            "actors is 0: say how many keys there are with --actors N",
        ),
        (&wrong_launch(&["--capacity", "17"]), "annulus: --capacity is 17, and must be a power of 2"),
        (&wrong_launch(&["--block", "2000"]), "annulus: --block is 2000, and must be 1 ..= 1024: use 1024"),
        (&["send", "nobody"], "no kernel is called `nobody`; there are annulus_cli::"),
        (&["send", "anomalies"], "the kernel binds limits (Limits): give --bind limits=JSON"),
        (
            &["send", "anomalies", "--bind", "limits=x"],
            "it is limits (Limits): write JSON, as --bind 'limits={\"threshold\": 0.0}'",
        ),
        (
            &["send", "anomalies", "--actors", "-1"],
            "invalid value '-1' for '--actors <N>': write how many actors",
        ),
        (&["send", "anomalies", "--actors", "0"], "a whole number from 1 on"),
        (&["send", "anomalies", "--actors", "99999999999999999999"], "a whole number from 1 on"),
        (&wrong_launch(&["--grid", "x"]), "a whole number from 1 to 65536"),
        (&wrong_launch(&["--capacity", "-16"]), "a power of two from 16 to 1048576"),
        (&["top", "--pid", "-1"], "invalid value '-1' for '--pid <NUMBER>': write the number of a process"),
        (&["top", "--interval", "-1"], "write a number of seconds, from 0.01 to 3600"),
        (&["profile", "x"], "invalid value 'x' for '[PID]': write the number of a process"),
        (&["run", "app.toml", "--limit", "-1"], "write a number of seconds, from 0.01 to 3600"),
        (&["send", "anomalies", "--bind", "limit=3"], "--bind limit: the kernel binds limits"),
        (&["send", "anomalies", "--bind", "limits"], "--bind limits: write NAME=JSON"),
        (&["send", "anomalies", "--bind", "limits={}"], "--bind limits: `threshold` of Limits is missing"),
        (
            &["send", "anomalies", "--bind", "limits={\"threshold\": 3}", "--backend", "gpu"],
            "[possible values: auto, cpu, cuda, metal, opencl, noop]",
        ),
    ];
    for (arguments, expected) in cases {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_reader_that_leaves_ends_the_program() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["send", "anomalies", "--actors", "8", "--bind", r#"limits={"threshold": 0.1}"#])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Until the program closes its end.
    let sent = (0..)
        .find(|&i| stdin.write_all(reading(i, 1, if i % 2 == 0 { 9e5 } else { -9e5 }).as_bytes()).is_err());
    assert!(sent.is_some());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_handler_is_shown_as_c() {
    let output = run(&["emit", "anomalies"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for part in [
        "typedef struct Observation {",
        "static u32 handle_anomalies(",
        "// kernel_engine.rs:",
        "#define ANN_CALL(",
    ] {
        assert!(text(&output.stdout).contains(part), "{part:?} is not in:\n{}", text(&output.stdout));
    }
    let cuda = run(&["emit", "anomalies", "--target", "cuda"], "");
    assert!(text(&cuda.stdout).contains("static __device__ u32 handle_anomalies("));
    assert_eq!(run(&["emit", "anomalies", "--target", "fortran"], "").status.code(), Some(2));
    assert_eq!(run(&["emit", "nobody"], "").status.code(), Some(2));
}

/// Machine code is written without a device, by the names that the backend looks for.
#[test]
fn a_handler_is_compiled_beforehand() {
    let folder = std::env::temp_dir().join(format!("annulus-cli-{}-cubins", std::process::id()));
    let emit = |more: &[&str]| {
        let out = ["emit", "anomalies", "--cubin", "--out", folder.to_str().unwrap()];
        run(&[&out[..], more].concat(), "")
    };
    let written = emit(&["--arch", "sm_80,sm_90", "--threads", "64"]);
    if !written.status.success() && std::env::var_os("ANNULUS_NVRTC").is_none() {
        let error = text(&written.stderr);
        assert!(error.contains("no NVRTC that loads") && error.contains("install"), "{error}");
        return println!("skipped: {error}");
    }
    assert!(written.status.success(), "{}", text(&written.stderr));
    let files: Vec<_> = text(&written.stdout).lines().map(PathBuf::from).collect();
    // Of the kernel there are four: for open slots and for sealed ones, for adaptive turns and for others.
    let mut starts: Vec<_> = ["annulus-probe-1-"]
        .iter()
        .chain(&["anomalies-64-"; 4])
        .flat_map(|start| ["sm_80-", "sm_90-"].map(|architecture| format!("{start}{architecture}")))
        .collect();
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let place =
            starts.iter().position(|start| name.starts_with(&**start)).unwrap_or_else(|| panic!("{name}"));
        starts.remove(place);
        assert!(name.ends_with(".cubin") && fs::read(file).unwrap().starts_with(b"\x7fELF"), "{name}");
    }
    assert!(starts.is_empty(), "{starts:?} are missing");
    let unknown = emit(&["--arch", "sm_60"]);
    let error = text(&unknown.stderr);
    assert!(error.contains("makes machine code for sm_75") && error.contains("not for sm_60"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
}

/// A file with a topology of the program's kernels.
fn topology(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

const NORTH: &str =
    "[kernels.north]\nkernel = \"anomalies\"\nactors = 8\nbind = { limits = { threshold = 3.0 } }\n";

#[test]
fn a_topology_is_run() {
    let file = topology("run.toml", NORTH);
    let output = run(&["run", &file, "--backend", "cpu"], normal(3) + &reading(77, 3, 900.0));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let alert: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&alert["from"], &alert["output"]["sequence"]), (&json!("north"), &json!(77)));
    let summed = "north on cpu: terminated, 41 sent, 41 processed";
    assert!(text(&output.stderr).contains(summed), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(": Drained\n"), "{}", text(&output.stderr));

    let two = topology("two.toml", &(NORTH.to_owned() + &NORTH.replace("north", "south")));
    let output = run(&["run", &two, "--backend", "cpu"], "");
    assert_eq!(output.status.code(), Some(2));
    let asked = "no kernel sends to north, south: say --to NAME";
    assert!(text(&output.stderr).contains(asked), "{}", text(&output.stderr));
    let output = run(&["run", &two, "--backend", "cpu", "--to", "south"], reading(1, 0, 1.0));
    assert!(text(&output.stderr).contains("south on cpu: terminated, 1 sent"), "{}", text(&output.stderr));

    let output = run(&["run", "anomaly"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is no job, which"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("`annulus send KERNEL`"), "{}", text(&output.stderr));
}

#[test]
fn a_topology_is_drawn() {
    let file = topology("drawn.toml", NORTH);
    let output = run(&["graph", &file], "");
    let drawn = "host   ── Observation ─▶ north\nnorth  ── Deviation ───▶ host\n";
    assert!(text(&output.stdout).starts_with(drawn), "{}", text(&output.stdout));
    assert!(text(&run(&["graph", &file, "--dot"], "").stdout).contains("\"host to\" -> \"north\""));
    assert!(text(&run(&["graph", &file, "--svg"], "").stdout).contains(">anomalies, grid 1</text>"));

    // All of it at once.
    let text_of_all = "[kernels.north]\nkernel = \"annomalies\"\n[kernels.east]\nkernel = \"anomalies\"\nactors = 8\n\
                       capacity = 17\nbind = { limits = { treshold = 3.0 } }\n[[links]]\nfrom = \"east\"\nto = \"west\"\n";
    let file = topology("all.toml", text_of_all);
    for command in ["graph", "run"] {
        let told = run(&[command, &file], "").stderr;
        for part in ["`annomalies`", "bind.limits", "capacity is 17", "no kernel is called `west`"] {
            assert!(text(&told).contains(part), "{part:?} is not in {}", text(&told));
        }
    }

    // Wherever the fault is: in the text, in a kernel, in a link.
    for (wrong, expected) in [
        ("[kernels.north", "wrong.toml: TOML parse error at line 1"),
        (
            "[kernels.north]\nkernel = \"annomalies\"",
            "wrong.toml: kernel `north`: no kernel is called `annomalies`",
        ),
        (
            &(NORTH.to_owned() + "[[links]]\nfrom = \"north\"\nto = \"north\"\n"),
            "`north` sends `Deviation`, and",
        ),
    ] {
        let file = topology("wrong.toml", wrong);
        for command in ["graph", "run"] {
            let output = run(&[command, &file], "");
            assert_eq!(output.status.code(), Some(1));
            assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        }
    }
}
