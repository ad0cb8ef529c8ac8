//! A real collector, which prints what it takes.

use std::{
    env,
    fs::{self, File},
    net::{Ipv4Addr, TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::expected::without_time;

/// An alpha version, so this one alone.
const ROTEL: &str = "rotel==0.0.1a15";

/// One of these, without colours; what rotel says about itself is left out.
fn section<'a>(said: &'a str, begins: &str) -> &'a str {
    let begin = said.find(begins).unwrap_or_else(|| panic!("{begins}: {said}"));
    let rest = &said[begin..];
    let end = ["\nResourceSpans #", "\nResourceMetrics #", "\n\u{1b}"]
        .into_iter()
        .filter_map(|end| rest.find(end))
        .min();
    &rest[..end.map_or(rest.len(), |end| end + 1)]
}

pub(super) fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// The collector's program, which is installed once.
fn installed() -> Result<PathBuf, String> {
    let cache = env::var_os("ANNULUS_TEST_CACHE").filter(|cache| !cache.is_empty());
    let cache = cache.map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let folder = cache.join("rotel").join(&ROTEL["rotel==".len()..]);
    let agent = folder.join("rotel/rotel-agent");
    if agent.exists() {
        return Ok(agent);
    }
    let (new, told) =
        (folder.with_extension(format!("{}.new", std::process::id())), |error| format!("{error}"));
    let pip = Command::new("python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
        ])
        .arg("--target")
        .arg(&new)
        .arg(ROTEL)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    if !pip.status.success() {
        let said = String::from_utf8_lossy(&pip.stderr);
        let _ = fs::remove_dir_all(&new);
        return Err(format!("pip cannot install {ROTEL}: {}", said.lines().last().unwrap_or_default()));
    }
    fs::set_permissions(new.join("rotel/rotel-agent"), fs::Permissions::from_mode(0o755)).map_err(told)?;
    let _ = fs::remove_dir_all(&folder);
    // Another test program may have been first.
    if fs::rename(&new, &folder).is_err() && !agent.exists() {
        return Err(format!("{} cannot be made", folder.display()));
    }
    Ok(agent)
}

/// A collector that prints what it takes.
pub(super) struct Rotel {
    child: Child,
    pub(super) port: u16,
    said: PathBuf,
}

impl Rotel {
    pub(super) fn start() -> Result<Self, String> {
        let agent = installed()?;
        let (port, grpc) = (free_port(), free_port());
        let said = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rotel-{}.txt", std::process::id()));
        let file = File::create(&said).map_err(|error| error.to_string())?;
        let child = Command::new(agent)
            .arg("start")
            .args(["--otlp-http-endpoint", &format!("127.0.0.1:{port}")])
            .args(["--otlp-grpc-endpoint", &format!("127.0.0.1:{grpc}")])
            .args(["--exporter", "blackhole", "--debug-log-verbosity", "detailed"])
            .args(["--debug-log", "traces", "--debug-log", "metrics"])
            .stdin(Stdio::null())
            .stdout(file.try_clone().map_err(|error| error.to_string())?)
            .stderr(file)
            .spawn()
            .map_err(|error| format!("it does not start: {error}"))?;
        let mut rotel = Self { child, port, said };
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = rotel.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("it ends at once, with {status}: {}", rotel.said()));
            }
            if began.elapsed() > Duration::from_secs(60) {
                return Err("it does not listen".into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(rotel)
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }

    /// Waits until it has said this, and returns what it has said.
    #[track_caller]
    pub(super) fn said_whole(&self, begins: &str, wanted: &str) -> String {
        let began = Instant::now();
        loop {
            let said = self.said();
            let whole = said.contains(begins).then(|| without_time(section(&said, begins)));
            if whole.as_deref() == Some(wanted) || began.elapsed() > Duration::from_secs(10) {
                return whole.unwrap_or(said);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Rotel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.said);
    }
}
