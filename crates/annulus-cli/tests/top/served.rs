//! Metrics and pages that other programs read: printed, served and pushed.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{Folder, Sender, sender};

/// O-05: the metrics of a process that knows nothing of it; when it has died, that is a metric.
#[test]
fn o_05_export_tells_other_processes() {
    let folder = Folder::new("export");
    let mut sender = sender(&folder.0, 20);
    let export = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let output = command.arg("export").args(arguments).env("ANNULUS_DIR", &folder.0).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = export(&[]);
    let labels = format!("process=\"annulus\",pid=\"{}\",backend=\"cpu\"", sender.0.id());
    for line in [
        format!("annulus_messages_processed_total{{{labels},kernel=\"anomalies\"}} 20"),
        format!("annulus_kernel_health{{{labels},kernel=\"anomalies\"}} 0"),
        format!("annulus_process_up{{{labels}}} 1"),
        format!("annulus_shards_in_handler{{{labels},kernel=\"anomalies\"}} 0"),
    ] {
        assert!(text.lines().any(|told| told == line), "{line} in {text}");
    }
    let info = format!("annulus_kernel_info{{{labels},kernel=\"anomalies\",device=\"CPU, ");
    assert!(text.contains(&info), "{info} in {text}");
    assert!(export(&["--shards"]).contains("kernel=\"anomalies\",shard=\"0\"} 20\n"));
    assert_eq!(export(&["--pid", "1"]), "");
    // Latencies of what is sent while somebody asks for them.
    let _ = export(&["--telemetry"]);
    sender
        .0
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"{\"series\": 1, \"value\": 1.0, \"sequence\": 0}\n")
        .unwrap();
    let measured = format!("annulus_latency_measured_total{{{labels},kernel=\"anomalies\"}} 1\n");
    let start = Instant::now();
    loop {
        let text = export(&[]);
        if text.contains(&measured) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(50), "{text}");
    }
    sender.0.kill().unwrap();
    sender.0.wait().unwrap();
    let text = export(&[]);
    assert!(text.ends_with(&format!("annulus_process_up{{{labels}}} 0\n")), "{text}");
    assert!(!text.contains("anomalies"), "{text}");
}

/// O-05: the same over HTTP, until a signal; `run --dashboard` is a page of its own kernels, and `run --metrics` has what
/// programs read.
#[test]
fn o_05_export_and_run_serve() {
    let folder = Folder::new("serve");
    let sender = sender(&folder.0, 20);
    let get = |address: &str, path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    let page = |arguments: &[&str], has_page: bool, wanted: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let child = command
            .args(arguments)
            .env("ANNULUS_DIR", &folder.0)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::null());
        let mut child = Sender(child.spawn().unwrap());
        let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines().map(Result::unwrap);
        let told = lines.find(|line| line.contains("http://")).expect("it says where it is");
        assert_eq!(told.ends_with("/metrics"), !has_page, "{told}");
        let address = told.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        let start = Instant::now();
        loop {
            let text = get(&address, "/metrics");
            if text.contains(wanted) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{text}");
        }
        assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200 OK\r\n"));
        let page = get(&address, "/");
        match has_page {
            true => assert!(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{page}"),
            false => assert!(page.ends_with("\r\n\r\n/metrics, /healthz or /readyz\n"), "{page}"),
        }
        let _ = Command::new("kill").args(["-TERM", &child.0.id().to_string()]).status().unwrap();
        assert_eq!(child.0.wait().unwrap().code(), Some(0));
    };
    let pid = format!("pid=\"{}\"", sender.0.id());
    page(&["export", "--serve", "0"], true, &pid);
    let run =
        ["run", "anomalies", "--quiet", "--backend", "cpu", "--messages", "1000000000", "--rate", "1000"];
    let latency = "annulus_latency_seconds_count{backend=\"cpu\",kernel=\"anomalies\"}";
    page(&[&run[..], &["--dashboard", "127.0.0.1:0"]].concat(), true, latency);
    page(&[&run[..], &["--metrics", "127.0.0.1:0"]].concat(), false, latency);
    let file = folder.0.join("north.toml");
    let north =
        "[kernels.north]\nkernel = \"anomalies\"\nactors = 8\nbind = { limits = { threshold = 3.0 } }\n";
    std::fs::write(&file, north).unwrap();
    let file = file.to_str().unwrap();
    let processed = "annulus_messages_processed_total{backend=\"cpu\",kernel=\"north\"} 0";
    for (option, has_page) in [("--dashboard", true), ("--metrics", false)] {
        page(&["run", file, "--backend", "cpu", option, "0"], has_page, processed);
    }

    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    for (arguments, code, told) in [
        (&["run", file, "--metrics", "nowhere"][..], 2, "write a port, or an address with a port"),
        (&["run", file, "--metrics", &taken], 1, "cannot serve at "),
        (&["run", file, "--metrics", "9464", "--dashboard", "127.0.0.1:9464"], 2, "leave --metrics out"),
        (&["run", "anomalies", "--metrics", "9464", "--dashboard", "9464"], 2, "leave --metrics out"),
        (&["run", "--metrics", "9464"], 2, "name its file"),
        (&["run", file, "--top"], 2, "run `annulus top` in another one"),
        (&["run", "anomalies", "--top"], 2, "run `annulus top` in another one"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let command = command.args(arguments).env("ANNULUS_DIR", &folder.0).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && text.contains(told), "{arguments:?}: {text}");
    }
}

/// O-05: a collector of OpenTelemetry gets them, once or again and again; it may refuse them.
#[test]
fn o_05_export_pushes() {
    let folder = Folder::new("otlp");
    let sender = sender(&folder.0, 20);
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", collector.local_addr().unwrap());
    let export = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        command.args(["export", "--otlp"]).args(arguments).env("ANNULUS_DIR", &folder.0);
        Sender(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    // Takes a push, and answers it. Returns its bytes as text.
    let take = |status: &str| {
        let (mut stream, _) = collector.accept().unwrap();
        let mut taken = Vec::new();
        let whole = |taken: &[u8]| {
            let text = String::from_utf8_lossy(taken);
            let length = text
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let head = taken.windows(4).position(|four| four == b"\r\n\r\n");
            head.zip(length).is_some_and(|(head, length): (usize, usize)| taken.len() == head + 4 + length)
        };
        while !whole(&taken) {
            let mut part = [0; 4096];
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0, "{}", String::from_utf8_lossy(&taken));
            taken.extend_from_slice(&part[..read]);
        }
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
        String::from_utf8_lossy(&taken).into_owned()
    };
    let ended = |mut child: Sender| {
        let status = child.0.wait().unwrap();
        let mut told = String::new();
        child.0.stdout.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(told, "", "nothing is printed");
        child.0.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        (status.code(), told)
    };
    let child = export(&[&url]);
    let taken = take("200 OK");
    assert!(taken.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{taken}");
    let pid = sender.0.id().to_string();
    for part in ["messaging.client.sent.messages", "anomalies", "service.instance.id", &*pid] {
        assert!(taken.contains(part), "{part} in {taken}");
    }
    assert_eq!(ended(child), (Some(0), String::new()));

    let child = export(&[&url]);
    take("503 Away");
    let refused = format!("annulus: {url}/v1/metrics has not taken what was pushed: HTTP status 503\n");
    assert_eq!(ended(child), (Some(1), refused.clone()));

    // A collector that is away for a moment: the next push comes all the same.
    let child = export(&[&url, "--every", "0.1"]);
    take("200 OK");
    take("503 Away");
    take("200 OK");
    let _ = Command::new("kill").args(["-TERM", &child.0.id().to_string()]).status().unwrap();
    // It may be at one more push.
    collector.set_nonblocking(true).unwrap();
    let (status, told) = ended(child);
    assert_eq!((status, told.lines().next().map(|line| format!("{line}\n"))), (Some(0), Some(refused)));

    for (wrong, remedy) in [
        (&["https://127.0.0.1"][..], "write http://HOST:PORT"),
        (&[&url, "--every", "0"], "from 0.1 to 86400"),
        (&[&url, "--serve", "0"], "cannot be used with"),
    ] {
        let (status, told) = ended(export(wrong));
        assert!(status == Some(2) && told.contains(remedy), "{wrong:?}: {told}");
    }
}
