//! `annulus send` and `annulus run` push the spans of messages that are followed.

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    thread::{self, JoinHandle},
};

use common::{KERNEL, run};

/// Takes pushes until one says that it is the last, and returns all of them. An empty address ends it.
struct Taker {
    url: String,
    taken: JoinHandle<Vec<u8>>,
}

impl Taker {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken = thread::spawn(move || {
            let mut all = Vec::new();
            loop {
                let mut reader = BufReader::new(listener.accept().unwrap().0);
                let (mut first, mut length) = (String::new(), 0);
                reader.read_line(&mut first).unwrap();
                if !first.starts_with("POST /v1/traces ") {
                    return all;
                }
                for line in reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                        length = value.parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                all.extend(body);
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                reader.get_mut().write_all(head.as_bytes()).unwrap();
            }
        });
        Self { url, taken }
    }

    /// How often a text is in what was pushed.
    fn count(self, text: &str) -> usize {
        let address = self.url.trim_start_matches("http://");
        std::net::TcpStream::connect(address).unwrap().write_all(b"end\n").unwrap();
        let all = self.taken.join().unwrap();
        all.windows(text.len()).filter(|part| *part == text.as_bytes()).count()
    }
}

fn readings(count: u64) -> String {
    let line = |n| format!("{{\"sequence\": {n}, \"series\": 3, \"value\": 20.5}}\n");
    (0..count).map(line).collect()
}

fn on_the_cpu<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&KERNEL[..], &["--backend", "cpu"], more].concat()
}

#[test]
fn spans_of_what_is_sent_are_pushed() {
    let taker = Taker::start();
    let output = run(&on_the_cpu(&["--tracing=1", "--otlp", &taker.url]), readings(40));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains(&format!("annulus: 120 spans pushed to {}\n", taker.url)), "{said}");
    assert_eq!(taker.count("handle anomalies"), 40);
}

#[test]
fn a_topology_says_what_is_followed() {
    const FOLLOWED: &str = "[kernels.north]\nkernel = \"anomalies\"\nactors = 8\nbind = { limits = { threshold = 3.0 } }\n\
                            tracing = true\ntrace_sample = 1\n";
    let file = |name: &str, text: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let followed = file("followed.toml", FOLLOWED);
    let taker = Taker::start();
    let output = run(&["run", &followed, "--backend", "cpu", "--otlp", &taker.url], readings(5));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(taker.count("handle north"), 5);
    // The command line goes before the file: none of them, or all of a topology that says nothing.
    let taker = Taker::start();
    let output =
        run(&["run", &followed, "--backend", "cpu", "--tracing=0", "--otlp", &taker.url], readings(5));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(taker.count("handle north"), 0);
    let plain = file("unfollowed.toml", &FOLLOWED.replace("tracing = true\ntrace_sample = 1\n", ""));
    let taker = Taker::start();
    let output = run(&["run", &plain, "--backend", "cpu", "--tracing=1", "--otlp", &taker.url], readings(5));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(taker.count("handle north"), 5);
}

/// What would have no effect is refused; a collector that is not there ends nothing, and is told.
#[test]
fn what_cannot_be_pushed_is_told() {
    let refused = |more: &[&str], why: &str| {
        let output = run(&on_the_cpu(more), readings(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
    };
    refused(&["--otlp", "http://127.0.0.1:1"], "no kernel follows any: add --tracing");
    refused(&["--tracing"], "--otlp <URL>");
    refused(&["--tracing=2", "--otlp", "http://127.0.0.1:1"], "0.01 is one in a hundred");
    refused(&["--tracing", "--otlp", "127.0.0.1:1"], "write http://HOST:PORT");

    let output = run(&["run", "--otlp", "http://127.0.0.1:1"], "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("a topology: name its file"), "{said}");

    let output = run(&on_the_cpu(&["--tracing=1", "--otlp", "http://127.0.0.1:1"]), readings(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in ["cannot push to http://127.0.0.1:1/v1/traces", "3 processed", "9 spans were lost"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}
