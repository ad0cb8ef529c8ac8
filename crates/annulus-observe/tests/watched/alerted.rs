//! What is wrong reaches people: Prometheus scrapes, the shipped rules fire, and Alertmanager calls a webhook.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use annulus_observe::Observer;
use serde_json::Value;

use crate::{Watched, folder};

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/monitoring/alerts.yml");
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/monitoring/alerts_test.yml");

/// Answers whatever it is asked with the metrics of the processes of its environment's folder.
pub(crate) fn serves() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let observer = Observer::of_machine(None).build();
    println!("port {}", listener.local_addr().unwrap().port());
    println!("ready");
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        head(&mut BufReader::new(&stream));
        let text = observer.prometheus();
        let length = text.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
        );
        let _ = stream.write_all(answer.as_bytes());
    }
}

/// Reads the head of a request. Returns how many bytes follow it.
fn head(from: &mut impl BufRead) -> usize {
    let mut length = 0;
    for line in from.lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    length
}

/// Takes Alertmanager's calls. Each comes as its alerts.
fn webhook() -> (u16, mpsc::Receiver<Vec<Value>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (calls, receiver) = mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut body = vec![0; head(&mut reader)];
            reader.read_exact(&mut body).unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let call: Value = serde_json::from_slice(&body).unwrap();
            if calls.send(call["alerts"].as_array().unwrap().clone()).is_err() {
                return;
            }
        }
    });
    (port, receiver)
}

/// A process that ends with the test.
pub(crate) struct Part(pub(crate) Child);

impl Part {
    pub(crate) fn start(command: &mut Command, log: &Path) -> Self {
        let log = fs::File::create(log).unwrap();
        let part = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        Self(part.unwrap())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that nobody had just now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

pub(crate) fn has(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// N-04, O-01: a shard that is stuck, and then the death of its process, are told to a webhook within seconds, by the rules
/// that are shipped. Only their patience is shortened.
#[test]
fn o_01_alerts_reach_a_webhook() {
    if !["prometheus", "promtool", "prometheus-alertmanager"].into_iter().all(has) {
        return println!("skipped: Prometheus or Alertmanager are not installed here");
    }
    let tested = Command::new("promtool").args(["test", "rules", TESTS]).output().unwrap();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));

    let home = folder("alerted");
    let config = |name: &str, text: String| {
        fs::write(home.join(name), text).unwrap();
        home.join(name)
    };
    let mut hung = Watched::start_in("hangs", folder("alerted-vitals"));
    let mut server = Watched::spawn("serves", &hung.folder);
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let port = lines.find_map(|line| line.split_once("port ").map(|(_, port)| port.to_owned())).unwrap();
    let _server = Part(server);

    let (hook, calls) = webhook();
    let (alertmanager, prometheus) = (free_port(), free_port());
    let routes = config(
        "alertmanager.yml",
        format!(
            "route: {{ receiver: test, group_by: [alertname], group_wait: 0s, group_interval: 1s }}\n\
             receivers: [{{ name: test, webhook_configs: [{{ url: 'http://127.0.0.1:{hook}/', send_resolved: false }}] }}]\n"
        ),
    );
    let rules = fs::read_to_string(RULES).unwrap();
    let impatient: Vec<&str> = rules
        .lines()
        .map(|line| if line.trim().starts_with("for: ") { "        for: 2s" } else { line })
        .collect();
    config("alerts.yml", impatient.join("\n"));
    let scraped = config(
        "prometheus.yml",
        format!(
            "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\n\
             rule_files: [alerts.yml]\n\
             alerting: {{ alertmanagers: [{{ static_configs: [{{ targets: ['127.0.0.1:{alertmanager}'] }}] }}] }}\n\
             scrape_configs: [{{ job_name: annulus, static_configs: [{{ targets: ['127.0.0.1:{port}'] }}] }}]\n"
        ),
    );
    let path = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let logs = [home.join("alertmanager.log"), home.join("prometheus.log")];
    let _alertmanager = Part::start(
        Command::new("prometheus-alertmanager")
            .arg(path("config.file", &routes))
            .arg(path("storage.path", &home.join("alertmanager")))
            .arg(format!("--web.listen-address=127.0.0.1:{alertmanager}"))
            .arg("--cluster.listen-address="),
        &logs[0],
    );
    let _prometheus = Part::start(
        Command::new("prometheus")
            .arg(path("config.file", &scraped))
            .arg(path("storage.tsdb.path", &home.join("prometheus")))
            .arg(format!("--web.listen-address=127.0.0.1:{prometheus}")),
        &logs[1],
    );
    let wait_for = |name: &str, labels: &[(&str, &str)]| {
        let start = Instant::now();
        let told = || logs.iter().map(|log| fs::read_to_string(log).unwrap_or_default()).collect::<String>();
        loop {
            let left = Duration::from_secs(120).saturating_sub(start.elapsed());
            let Ok(alerts) = calls.recv_timeout(left) else { panic!("nobody tells of {name}: {}", told()) };
            let is_it = |alert: &&Value| alert["labels"]["alertname"] == name && alert["status"] == "firing";
            if let Some(alert) = alerts.iter().find(is_it) {
                println!("{name} after {:?}: {}", start.elapsed(), alert["annotations"]["summary"]);
                for (label, value) in labels {
                    assert_eq!(alert["labels"][label], *value, "{alert}");
                }
                return;
            }
        }
    };
    wait_for("AnnulusShardStuck", &[("kernel", "sort"), ("backend", "cpu")]);
    hung.child.kill().unwrap();
    hung.child.wait().unwrap();
    wait_for("AnnulusProcessDied", &[("pid", &hung.child.id().to_string())]);
    let _ = fs::remove_dir_all(&home);
}
