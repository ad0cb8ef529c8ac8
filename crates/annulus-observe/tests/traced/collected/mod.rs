//! What is pushed arrives whole: decoded by a collector of our own, and printed by a real one, rotel from PyPI.
//! Both are compared with one text, which is in rotel's words.

mod decoded;
mod expected;
mod rotel;

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener},
    thread,
    time::SystemTime,
};

use annulus::{TraceContext, prelude::*};
use annulus_observe::{
    Observer,
    metrics::{MetricKind, Sample},
    otlp::{Collector, PushError},
    spans::{self, Span},
};
use opentelemetry_proto::tonic::collector::{
    metrics::v1::{ExportMetricsPartialSuccess, ExportMetricsServiceResponse},
    trace::v1::ExportTraceServiceRequest,
};
use prost::Message;

use self::{
    decoded::{decoded_metrics, decoded_spans, launches, starts},
    expected::{assert_same, host, nanos, print_of_samples, print_of_spans, without_time},
    rotel::{Rotel, free_port},
};
use crate::{Step, check, parse};

/// Spans and samples of two kernels, one of which fails once. One of them tracks latencies.
fn made() -> (Vec<Span>, Vec<Sample>) {
    let runtime = Runtime::builder().build().unwrap();
    let options = |name: &str| {
        LaunchOptions::production()
            .name(name)
            .connectable(true)
            .tracing(true)
            .trace_sample(0.0)
            .track_latency(true)
    };
    let last = check::launch(&runtime, options("check")).unwrap();
    let first = parse::bind().connect(&last).launch(&runtime, options("par\"se")).unwrap();
    let observer = Observer::of(&runtime);
    {
        let _scope = TraceContext { trace_id: 0xABCD, span_id: 0x4242 }.enter();
        let _ = first.send_blocking(Step { number: 1 }).unwrap();
        let _ = first.send_blocking(Step { number: 100 }).unwrap();
    }
    assert_eq!(last.recv_blocking().unwrap().number, 2);
    first.drained_blocking();
    let mut events = Vec::new();
    while events.len() < 5 {
        events.extend(runtime.take_traces());
        thread::yield_now();
    }
    observer.health();
    (spans::of(&events), observer.look().samples.clone())
}

/// What was pushed: its address and type, and its body.
type Pushed = (String, Vec<u8>);

/// Takes pushes, and answers them one after the other with these statuses and bodies. Returns where it is, and what was
/// pushed.
fn taker(answers: &'static [(&str, &[u8])]) -> (String, thread::JoinHandle<Vec<Pushed>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let taker = thread::spawn(move || {
        let mut answers: VecDeque<_> = answers.iter().collect();
        let mut taken = Vec::new();
        while let Some((status, answer)) = answers.pop_front() {
            let mut reader = BufReader::new(listener.accept().unwrap().0);
            let (mut first, mut length, mut kind) = (String::new(), 0, String::new());
            reader.read_line(&mut first).unwrap();
            for line in reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
                let (name, value) = line.split_once(": ").unwrap();
                match &*name.to_ascii_lowercase() {
                    "content-length" => length = value.parse().unwrap(),
                    "content-type" => kind = value.into(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            taken.push((format!("{} {kind}", first.trim_end()), body));
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
            reader.get_mut().write_all(&[head.as_bytes(), answer].concat()).unwrap();
        }
        taken
    });
    (address, taker)
}

/// What we send, decoded: nothing is missing, and nothing more is there.
#[test]
fn a_collector_decodes_all_of_it() {
    let (spans, samples) = made();
    let (address, taker) = taker(&[("200 OK", b""), ("200 OK", b"")]);
    let collector = Collector::at(&format!("{address}/otlp/")).unwrap().service("shop");
    let before = nanos(SystemTime::now());
    collector.push_spans(&spans).unwrap();
    collector.push_metrics(&samples).unwrap();
    let taken = taker.join().unwrap();
    let heads: Vec<_> = taken.iter().map(|(head, _)| &**head).collect();
    assert_eq!(
        heads,
        [
            "POST /otlp/v1/traces HTTP/1.1 application/x-protobuf",
            "POST /otlp/v1/metrics HTTP/1.1 application/x-protobuf"
        ]
    );
    assert_eq!(spans.len(), 11);
    assert_same(&decoded_spans(&taken[0].1), &print_of_spans(&spans));
    let metrics = decoded_metrics(&taken[1].1);
    assert_same(&without_time(&metrics), &print_of_samples(&samples));
    assert!(metrics.contains("\nHistogramDataPoints #0\n") && metrics.contains("Str(par\"se)"), "{metrics}");
    for time in metrics.lines().filter_map(|line| line.strip_prefix("Timestamp: ")) {
        assert!((before..=nanos(SystemTime::now())).contains(&time.parse().unwrap()), "{time}");
    }
}

/// A count begins with the kernel, or with the first that was launched under its name; a gauge never.
#[test]
fn counts_begin_with_the_first_launch() {
    let nanos = || u64::try_from(nanos(SystemTime::now())).unwrap();
    let runtime = Runtime::builder().build().unwrap();
    let observer = Observer::of(&runtime);
    let launch = |name: &str| {
        let kernel =
            check::launch(&runtime, LaunchOptions::production().name(name).track_latency(true)).unwrap();
        let _ = kernel.send_blocking(Step { number: 1 }).unwrap();
        assert_eq!(kernel.recv_blocking().unwrap().number, 1);
        kernel
    };
    let before = nanos();
    let first = launch("again");
    let after = nanos();
    let (address, taker) = taker(&[("200 OK", b""), ("200 OK", b""), ("200 OK", b"")]);
    let collector = Collector::at(&address).unwrap();
    let push = || collector.push_metrics(&observer.look().samples).unwrap();
    push();
    drop(first);
    let between = nanos();
    let _again = launch("again");
    let _other = launch("other");
    // The first is forgotten after some looks, and its counts stay.
    (0..5).for_each(|_| drop(observer.look()));
    push();
    push();
    let pushed = taker.join().unwrap();
    let starts: Vec<_> = pushed.iter().map(|(_, body)| starts(body)).collect();
    let again = starts[0].sums["again"];
    assert!((before..=after).contains(&again), "{before} {again} {after}");
    for starts in &starts {
        assert!(starts.sums["again"] == again && starts.gauges == 0, "{starts:?}");
        assert!(starts.latest <= nanos());
    }
    let other = starts[1].sums["other"];
    assert!(other >= between && starts[2].sums["other"] == other, "{starts:?}");
    assert_eq!(launches(&pushed[2].1, "again"), 2);
}

/// What a look at other processes has seen: each of them is a resource, with its own name.
#[test]
fn processes_are_resources() {
    let (_, samples) = made();
    let sample = samples.iter().find(|sample| sample.metric.kind == MetricKind::Gauge).unwrap();
    let (process, pid) = (&annulus_observe::metrics::PROCESS, &annulus_observe::metrics::PID);
    let of = |name: &str, number: &str| {
        let others = sample.labels.iter().map(|(label, value)| (label, value.to_owned()));
        let labels = [(process, name.into()), (pid, number.into())].into_iter().chain(others).collect();
        Sample { labels, ..sample.clone() }
    };
    let (address, taker) = taker(&[("200 OK", b"")]);
    Collector::at(&address).unwrap().push_metrics(&[of("one", "1"), of("two", "2"), of("one", "1")]).unwrap();
    let told = decoded_metrics(&taker.join().unwrap()[0].1);
    let lines: Vec<_> = told
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("service.") || line.contains("process."))
        .collect();
    let host = host();
    let resource = |name: &str, number: u32| {
        [
            format!("-> service.name: Str({name})"),
            format!("-> service.instance.id: Str({number}@{host})"),
            format!("-> process.executable.name: Str({name})"),
            format!("-> process.pid: Int({number})"),
        ]
    };
    assert_eq!(lines, [resource("one", 1), resource("two", 2)].concat());
    assert_eq!(told.matches("NumberDataPoints #").count(), 3, "{told}");
}

#[test]
fn what_is_no_collector_is_told() {
    let wrong = [
        "https://a:4318",
        "a:4318",
        "http://",
        "http://:1",
        "http://a:b",
        "http://a:1/ b",
        "http://a\n:1",
        "http://u:p@a:1",
        "http://a:1?b",
        "http://a:99999",
        "",
    ];
    for address in wrong {
        let error = Collector::at(address).unwrap_err();
        assert!(
            matches!(error, PushError::Address(_)) && error.to_string().contains("http://HOST:PORT"),
            "{error}"
        );
    }
    assert_eq!(Collector::at("http://a").unwrap().to_string(), "http://a:4318");
    assert_eq!(Collector::at("http://[::1]").unwrap().to_string(), "http://[::1]:4318");
    assert_eq!(Collector::at("http://a:1/otlp/").unwrap().to_string(), "http://a:1/otlp");
    assert_eq!(Collector::at("http://a:1/v1/metrics").unwrap().to_string(), "http://a:1");
    assert_eq!(Collector::at("http://a:1/otlp/v1/traces/").unwrap().to_string(), "http://a:1/otlp");
    let nobody = Collector::at(&format!("http://127.0.0.1:{}", free_port())).unwrap();
    assert!(matches!(nobody.push_metrics(&[]), Err(PushError::Unreachable { .. })));

    let (address, taker) = taker(&[
        ("413 Too Large", b"too\x1blarge\n"),
        ("302 Found", b""),
        ("200 OK", b"\x0a\x07\x08\x03\x12\x03old"),
        ("200 OK", b"\x0a\x05\x12\x03hey"),
    ]);
    let partial = Some(ExportMetricsPartialSuccess { rejected_data_points: 3, error_message: "old".into() });
    let body = ExportMetricsServiceResponse { partial_success: partial }.encode_to_vec();
    assert_eq!(body, b"\x0a\x07\x08\x03\x12\x03old", "as the third answer");
    let collector = Collector::at(&address).unwrap();
    let told = |end: &str| format!("{address}{end}");
    let error = collector.push_metrics(&[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        told("/v1/metrics has not taken what was pushed: HTTP status 413: too large")
    );
    let spans = made().0;
    let error = collector.push_spans(&spans).unwrap_err();
    assert_eq!(error.to_string(), told("/v1/traces has not taken what was pushed: HTTP status 302"));
    let error = collector.push_metrics(&[]).unwrap_err();
    assert_eq!(error.to_string(), told(" has not taken 3 of what was pushed: old"));
    collector.push_metrics(&[]).expect("a warning is no failure");
    taker.join().unwrap();
}

/// Collectors limit the size of a request: many spans go in several, and none where there are none.
#[test]
fn many_spans_go_in_several_requests() {
    let (address, taker) = taker(&[("200 OK", b""), ("200 OK", b"")]);
    let collector = Collector::at(&address).unwrap();
    let span = made().0.remove(0);
    collector.push_spans(&[]).unwrap();
    collector.push_spans(&vec![span; 4097]).unwrap();
    let count = |body: &[u8]| {
        let all = ExportTraceServiceRequest::decode(body).unwrap().resource_spans;
        all[0].scope_spans[0].spans.len()
    };
    let counts: Vec<_> = taker.join().unwrap().iter().map(|(_, body)| count(body)).collect();
    assert_eq!(counts, [4096, 1]);
}

/// A collector that others use takes the same, and prints it whole.
#[test]
fn rotel_prints_our_traces_and_metrics() {
    let rotel = match Rotel::start() {
        Ok(rotel) => rotel,
        Err(why) => return println!("skipped: rotel_prints_our_traces_and_metrics: {why}"),
    };
    let (spans, samples) = made();
    let collector = Collector::at(&format!("http://127.0.0.1:{}", rotel.port)).unwrap().service("shop");
    collector.push_spans(&spans).unwrap();
    let wanted = print_of_spans(&spans);
    assert_same(&rotel.said_whole("ResourceSpans #0", &wanted), &wanted);
    collector.push_metrics(&samples).unwrap();
    let wanted = print_of_samples(&samples);
    assert_same(&rotel.said_whole("ResourceMetrics #0", &wanted), &wanted);
}
