//! The live page in a browser.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use annulus_sync::{AtomicBool, AtomicU32, Ordering};

use annulus::{prelude::*, queue::QueueOptions};
use annulus_observe::Observer;

use crate::{Job, alerted::has, folder, work};

/// A browser without a screen draws when all of a page has come. This stands between: it passes on what is asked, and adds
/// an image to the page that takes so long to come.
fn behind(server: SocketAddr, patience: Duration) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || pass(stream, server, patience));
        }
    });
    address
}

/// Answers one request. A browser that has gone needs no answer.
fn pass(mut browser: TcpStream, server: SocketAddr, patience: Duration) -> Option<()> {
    let mut lines = BufReader::new(browser.try_clone().ok()?).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    if path == "/late" {
        thread::sleep(patience);
        return browser.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok();
    }
    let mut answer = TcpStream::connect(server).ok()?;
    write!(answer, "GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n").ok()?;
    if path == "/" {
        let mut page = String::new();
        answer.read_to_string(&mut page).ok()?;
        let (_, page) = page.split_once("\r\n\r\n")?;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n";
        let late = r#"<img src="late" alt="" hidden>"#;
        return write!(browser, "{head}{}", page.replace("</body>", &format!("{late}</body>"))).ok();
    }
    std::io::copy(&mut answer, &mut browser).ok().map(drop)
}

/// What a browser has made of a page: its elements, or a picture; and what the page's program complained of.
fn browse(home: &Path, address: SocketAddr, what: &str) -> (Vec<u8>, String) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let profile = home.join(format!("profile-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1200,900"])
        .args(["--enable-logging=stderr", "--timeout=120000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args([what, &format!("http://{address}/")])
        .env("HOME", home)
        .output()
        .unwrap();
    let _ = fs::remove_dir_all(&profile);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // The image is missing indeed.
    let is_complaint = |line: &&str| line.contains("CONSOLE") && !line.contains("/late");
    let complaints: Vec<&str> = said.lines().filter(is_complaint).collect();
    (output.stdout, complaints.join("\n"))
}

/// Tells a thread to stop, whatever happens.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// O-03: a browser draws the page of kernels that send to each other, one of which is in trouble: names, links, plots, reasons.
/// `ANNULUS_PICTURE` names a file for the picture.
#[test]
fn o_03_a_browser_draws_the_page() {
    if !has("chromium") {
        return println!("skipped: Chromium is not installed here");
    }
    let home = folder("pictured");
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = |name: &str| LaunchOptions::default().actors(16).grid(2).name(name).connectable(true);
    let report = work::launch(&runtime, options("report")).unwrap();
    let sort = work::launch(&runtime, options("sort").active(false)).unwrap();
    sort.connect(&report).unwrap();
    sort.activate_blocking().unwrap();
    // Names are text, whatever is in them.
    let stuck = work::launch(&runtime, options("<b>stuck</b>").capacity(16)).unwrap();
    let _measured = [&report, &sort, &stuck].map(|kernel| kernel.enable_telemetry().unwrap());
    for _ in 0..20 {
        let _ = stuck.send_blocking(Job { key: 4, what: 0 }).unwrap();
    }
    let jobs = QueueOptions::new().name("<i>jobs</i>");
    sort.consume(&runtime.queues().create::<Job>(jobs).unwrap());
    let server = Observer::of(&runtime).serve(([127, 0, 0, 1], 0).into()).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let _ = sort.send_blocking(Job { key: n % 16, what: u64::from(n % 64 == 0) }).unwrap();
                while report.try_recv().is_ok() {}
                thread::sleep(Duration::from_millis(2));
            }
        });
        let _stops = Stop(&stop);
        let mut patience = Duration::from_secs(4);
        let start = Instant::now();
        let address = loop {
            let address = behind(server.address(), patience);
            let (elements, complaints) = browse(&home, address, "--dump-dom");
            assert_eq!(complaints, "", "the page's program complains");
            let page = String::from_utf8(elements).unwrap();
            let wanted = [
                // The drawing: the kernels, the link between two of them with what flows, and one that is blocked.
                r#"<title>sort: degraded</title>"#,
                r#"<title>&lt;b&gt;stuck&lt;/b&gt;: unhealthy</title>"#,
                r#"class="link flows""#,
                r#"class="link blocked""#,
                // The cards: plots with a line, latencies, the reason in words.
                r#"aria-label="messages/s "#,
                "latency, mean",
                "nobody receives the outputs, of which 16 wait",
                // The table of bridges.
                "<td>queue &lt;i&gt;jobs&lt;/i&gt;</td><td>sort</td>",
                ">live</span>",
            ];
            let missing: Vec<_> = wanted.iter().filter(|text| !page.contains(**text)).collect();
            if missing.is_empty() {
                assert!(!page.contains("<b>stuck"), "a name became markup");
                break address;
            }
            assert!(start.elapsed() < Duration::from_secs(240), "{missing:?} in {page}");
            println!("after {patience:?} there is no {missing:?}");
            // A busy machine draws later, and a shard is stuck after some time only.
            patience = (2 * patience).min(Duration::from_secs(30));
        };
        let picture = std::env::var_os("ANNULUS_PICTURE").map_or_else(|| home.join("page.png"), Into::into);
        let what = format!("--screenshot={}", picture.display());
        let (_, complaints) = browse(&home, address, &what);
        assert_eq!(complaints, "");
        let bytes = fs::read(&picture).unwrap();
        // Width and height of a PNG; one in one colour has some 5 kB.
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(bytes[16..24], [1200u32.to_be_bytes(), 900u32.to_be_bytes()].concat());
        assert!(bytes.len() > 20_000, "{} bytes", bytes.len());
    });
    let _ = fs::remove_dir_all(&home);
}
