//! The dashboard that is shipped: Prometheus scrapes a process of which all of it tells, and each query of each panel returns
//! data. Grafana itself is not here: it only draws what the queries return.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use annulus::{prelude::*, queue::QueueOptions};
use serde_json::Value;

use crate::{
    Job, Watched,
    alerted::{Part, free_port, has},
    folder, ready, work,
};

const DASHBOARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/monitoring/grafana.json");

/// The watched process: handles some messages all the time, fails some, measures its latencies, and has a bridge from a queue.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = LaunchOptions::default().actors(16).grid(2).track_latency(true);
    let kernel = work::launch(&runtime, options.name("sort")).unwrap();
    let _telemetry = kernel.enable_telemetry().unwrap();
    let jobs = runtime.queues().create::<Job>(QueueOptions::new().name("jobs")).unwrap();
    kernel.consume(&jobs);
    thread::spawn(move || {
        for n in 0.. {
            let _ = kernel.send_blocking(Job { key: n % 16, what: u64::from(n % 8 == 0) }).unwrap();
            let _ = jobs.send_blocking(Job { key: n % 16, what: 0 }).unwrap();
            while kernel.try_recv().is_ok() {}
            thread::sleep(Duration::from_millis(5));
        }
    });
    ready();
}

/// What Prometheus answers, as soon as it is there.
fn query(port: u16, query: &str) -> Option<Value> {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() { char::from(byte).into() } else { format!("%{byte:02X}") }
    };
    let query: String = query.bytes().map(byte).collect();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET /api/v1/query?query={query} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

/// Whether there are numbers in an answer. One that is no answer, since a query is wrong, ends the test.
fn has_data(answer: &Value) -> bool {
    assert!(answer["status"] == "success" || answer["errorType"] == "unavailable", "{answer}");
    let series = answer["data"]["result"].as_array().map_or(&[][..], Vec::as_slice);
    let is_number = |series: &Value| {
        series["value"][1].as_str().is_some_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite))
    };
    series.iter().any(is_number)
}

/// O-05: every query of every panel returns data.
#[test]
fn o_05_every_panel_has_data() {
    if !has("prometheus") {
        return println!("skipped: Prometheus is not installed here");
    }
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(DASHBOARD).unwrap()).unwrap();
    let mut queries: Vec<String> = dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .map(|target| {
            target["expr"].as_str().unwrap().replace("$kernel", ".*").replace("$__rate_interval", "10s")
        })
        .collect();
    assert!(queries.len() > 15 && queries.iter().all(|query| !query.contains('$')), "{queries:?}");

    let home = folder("panels");
    let watched = Watched::start("tells");
    let mut server = Watched::spawn("serves", &watched.folder);
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let scraped = lines.find_map(|line| line.split_once("port ").map(|(_, port)| port.to_owned())).unwrap();
    let _server = Part(server);
    let port = free_port();
    let config = home.join("prometheus.yml");
    let text = format!(
        "global: {{ scrape_interval: 1s }}\n\
         scrape_configs: [{{ job_name: annulus, static_configs: [{{ targets: ['127.0.0.1:{scraped}'] }}] }}]\n"
    );
    fs::write(&config, text).unwrap();
    let log = home.join("prometheus.log");
    let _prometheus = Part::start(
        Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", home.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}")),
        &log,
    );
    let start = Instant::now();
    let all = queries.len();
    while !queries.is_empty() {
        let told = || fs::read_to_string(&log).unwrap_or_default();
        assert!(start.elapsed() < Duration::from_secs(120), "no data for {queries:#?}: {}", told());
        thread::sleep(Duration::from_millis(500));
        queries.retain(|text| !query(port, text).is_some_and(|answer| has_data(&answer)));
    }
    println!("{all} queries have data after {:?}", start.elapsed());
    let _ = fs::remove_dir_all(&home);
}
