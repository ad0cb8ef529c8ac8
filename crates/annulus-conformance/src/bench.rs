//! How a case is run: on a runtime of its own, and watched.

use std::{
    fmt,
    fs::OpenOptions,
    io::Write as _,
    panic::resume_unwind,
    process::Command,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{KernelControl, KernelHandle, KernelStatus, LaunchError, Runtime};

use crate::Subject;

/// What a case finds: the runtime, and how large it should be.
pub struct Bench {
    subject: Arc<dyn Subject>,
    runtime: Runtime,
    began: Instant,
}

/// After this time a case does no more rounds than it must: each should end within twenty seconds also on a slow device,
/// which moves a hundred thousand messages in a second through blocks of one thread, and takes two milliseconds to answer
/// somebody who sleeps.
const ENOUGH: Duration = Duration::from_secs(10);

/// So many times smaller are full sizes there, of which it must be known beforehand how large they are. The largest are ten
/// million messages, and twenty thousand calls in a row.
const FULL_ON_A_DEVICE: u64 = 5;

/// What a case needs of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// That it obeys commands.
    Nothing,
    /// That it runs handlers.
    Handlers,
    /// That it runs handlers, and contains their panics.
    Panics,
    /// That its handlers read bridged messages.
    Bridged,
    /// That it runs as many blocks as a runtime has telemetry lines, twice.
    ManyBlocks,
}

impl Needs {
    fn lacking(self, subject: &dyn Subject) -> Option<&'static str> {
        match self {
            Self::Handlers | Self::Panics if !subject.runs_handlers() => Some("it runs no handlers"),
            Self::Bridged if !subject.reads_bridged() => Some("its handlers read no bridged messages"),
            Self::Panics if !subject.contains_panics() => Some("it does not contain panics"),
            Self::ManyBlocks if subject.most_blocks() < 2 * 4096 => Some("it runs too few blocks at a time"),
            _ => None,
        }
    }
}

/// Runs one case on a fresh runtime of the subject. What `conformance_suite!` calls. One at a time in a
/// process: what one case keeps resident on a device would be missing to another, and waits would be those of
/// a crowd.
///
/// # Panics
///
/// If the case does, and if it has not ended after `ANNULUS_PATIENCE` seconds: then with the status of every
/// kernel.
pub fn run(subject: impl Subject + 'static, name: &str, needs: Needs, case: fn(&Bench)) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let module = name.split("::").next().unwrap_or(name);
    let repeats = || {
        let shown = subject.repeats(module).filter(|_| !is_long())?;
        Some(format!("{shown} shows it as well: ANNULUS_LONG=1 runs it"))
    };
    let lacking = needs.lacking(&subject).map(String::from);
    if let Some(why) = lacking.or_else(repeats).or_else(|| subject.unavailable()) {
        println!("skipped: {name} on {}: {why}", subject.name());
        return;
    }
    if subject.crashes() && std::env::var_os(CHILD).is_none() {
        return run_in_a_process(subject.name(), name);
    }
    let subject: Arc<dyn Subject> = Arc::new(subject);
    let bench = Bench { runtime: subject.runtime(), subject: Arc::clone(&subject), began: Instant::now() };
    let watched = bench.runtime.clone();
    let (done, ended) = channel::<()>();
    let body = move || {
        // Dropped at the end, also by a panic.
        let _done = done;
        case(&bench);
    };
    let began = (Instant::now(), processor_time());
    let thread = thread::Builder::new().name(name.into()).spawn(body).expect("a test can have a thread");
    match ended.recv_timeout(patience()) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
        Err(RecvTimeoutError::Timeout) => {
            let kernels: Vec<_> =
                watched.kernels().iter().map(|kernel| format!("{:?}", kernel.status())).collect();
            panic!("{name} hangs on {}; its kernels: {kernels:#?}", subject.name());
        }
    }
    let result = thread.join();
    note_time(name, began);
    if let Err(panic) = result {
        match panic.downcast_ref::<String>().filter(|why| subject.may_refuse(why)).cloned() {
            Some(why) => println!("skipped: {name} on {}: {why}", subject.name()),
            None => resume_unwind(panic),
        }
    }
}

/// Adds a line to the file that `ANNULUS_TIMES` names, if it names one: the seconds, those of the processor,
/// the test binary and the case.
fn note_time(name: &str, (began, before): (Instant, Option<Duration>)) {
    let time = began.elapsed();
    let Some(file) = std::env::var_os("ANNULUS_TIMES") else { return };
    let binary = std::env::current_exe().unwrap_or_default();
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    let test = thread::current();
    // The harness names its thread by the test's path, which tells one instance of the suite from another.
    let test = test.name().unwrap_or(name);
    let used = processor_time().zip(before).map_or(0.0, |(now, before)| (now - before).as_secs_f64());
    let line = format!("{:.2}\t{used:.2}\t{binary}\t{test}\n", time.as_secs_f64());
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("ANNULUS_TIMES={}: {error}", file.display());
    }
}

/// User and system time of this process and of those that it has waited for, in the kernel's ticks of 10 ms.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name before the last parenthesis may hold spaces; the four times are the 14th to 17th fields of
    // all.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: Vec<u64> = fields.get(11..15)?.iter().filter_map(|field| field.parse().ok()).collect();
    Some(Duration::from_millis(ticks.iter().sum::<u64>() * 10))
}

/// Says to a process that it runs one case.
const CHILD: &str = "ANNULUS_CASE_ALONE";

/// Runs the test that calls this in a process of its own.
fn run_in_a_process(subject: &str, name: &str) {
    let test = thread::current().name().map(String::from).expect("a test's thread has its name");
    let program = std::env::current_exe().expect("a test binary knows where it is");
    let output = Command::new(program)
        .args(["--exact", &test, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("a test binary can be started");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A test that fails ends with a code; what has none was ended by a signal.
    match output.status.code() {
        Some(0) => {
            said.lines().filter(|line| line.starts_with("skipped:")).for_each(|line| println!("{line}"))
        }
        Some(_) => panic!("{name} on {subject}: {said}"),
        None => {
            println!("skipped: {name} on {subject}: the implementation ended the process ({})", output.status)
        }
    }
}

/// Whether a refusal, or what a case says of it, is about what is wrong with a device: for [`Subject::may_refuse`].
pub fn is_wrong_with_a_device(why: &str) -> bool {
    ["it ends all loops of a run", "blocks of a kernel at once, though it says"]
        .iter()
        .any(|wrong| why.contains(wrong))
}

/// Whether cases run at their full size, all of them.
fn is_long() -> bool {
    std::env::var("ANNULUS_LONG").is_ok_and(|value| value != "0")
}

/// One of so many parts of a size, unless long cases are asked for. Below two hundred a case is short everywhere, or needs
/// so many. Halves and tenths are whole, as they are of what is given.
fn parted(all: u64, parts: u64) -> u64 {
    if all < 200 || is_long() || parts == 1 { all } else { all.div_ceil(parts).next_multiple_of(10) }
}

fn patience() -> Duration {
    let said = std::env::var("ANNULUS_PATIENCE").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(said.unwrap_or(120))
}

impl Bench {
    /// The case's own runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// A fresh runtime, which nobody else holds. It is not shown when the case hangs.
    pub fn another_runtime(&self) -> Runtime {
        self.subject.runtime()
    }

    /// Whether kernels run on the CPU, as Rust.
    pub(crate) fn is_cpu(&self) -> bool {
        self.subject.name() == "cpu"
    }

    /// Whether the kernels' stamps are as fine as the host's.
    pub fn has_fine_clock(&self) -> bool {
        self.subject.has_fine_clock()
    }

    /// How far the kernels' stamps may be from the host's time, in nanoseconds.
    pub fn clock_error(&self) -> u64 {
        self.subject.clock_error()
    }

    /// `full` where long cases run at their full size, else `modest`. On a device a fifth of the full size is full enough,
    /// unless long cases are asked for: a case should end within twenty seconds there.
    pub fn size(&self, modest: u64, full: u64) -> u64 {
        let is_full = is_long() || env!("ANNULUS_PROFILE") == "release";
        let all = if is_full { self.on_a_device(full).max(modest) } else { modest };
        parted(all, self.subject.shrinks())
    }

    /// The numbers of [`size`](Self::size) rounds. If long cases are not asked for, they end early when the case has run
    /// for ten seconds, but not before `modest` of them, of which a fifth is enough on a device: for loops of which nobody
    /// must know beforehand how long they are.
    pub fn rounds(&self, modest: u64, full: u64) -> impl Iterator<Item = u64> + use<> {
        let (least, all) = (self.on_a_device(modest), self.size(modest, full));
        let until = (!is_long()).then(|| self.began + ENOUGH);
        (0..all).take_while(move |&round| round < least || until.is_none_or(|until| Instant::now() < until))
    }

    fn on_a_device(&self, size: u64) -> u64 {
        parted(size, if self.is_cpu() { 1 } else { FULL_ON_A_DEVICE })
    }

    /// Launches under a name whose last owner may still be on its way out: dropping a handle does not wait,
    /// launching does.
    ///
    /// # Panics
    ///
    /// If the launch fails.
    pub fn relaunch<K: annulus_kernel::RingKernel>(
        &self,
        launch: impl Fn() -> Result<KernelHandle<K>, LaunchError>,
    ) -> KernelHandle<K> {
        launch().expect("a launch waits for a kernel of the same name that is ending")
    }
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bench")
            .field("subject", &self.subject.name())
            .field("runtime", &self.runtime)
            .finish()
    }
}

/// Waits until the condition holds, for as long as it takes: the runner has the patience.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) {
    while !condition() {
        pause();
    }
}

fn pause() {
    thread::sleep(Duration::from_micros(200));
}

/// Whether every message that was sent is accounted for.
fn is_balanced(status: &KernelStatus) -> bool {
    status.sent == status.processed + status.drops.total() + status.pending
        && status.queues.iter().all(|queue| {
            let counters = queue.counters;
            let left = counters.dequeued + counters.evicted + counters.expired + counters.abandoned;
            counters.enqueued == left + queue.depth as u64
        })
}

/// Asserts that every message that was sent is accounted for; for a kernel that nobody sends to. Blocks of a
/// device count messages a little after their answers are there, so it may take a while.
#[track_caller]
pub(crate) fn balanced(kernel: &KernelControl) -> KernelStatus {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let status = kernel.status();
        if is_balanced(&status) {
            return status;
        }
        assert!(
            Instant::now() < until,
            "sent = processed + drops + pending; accepted = left + drops + waiting: {status:?}"
        );
        pause();
    }
}

/// Waits until everything that was sent has been handled.
pub(crate) fn drain(kernel: &KernelControl) {
    kernel.drained_blocking();
}

/// A generator of numbers without a pattern (SplitMix64), so that cases are the same each time.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        crate::kernels::mix(self.0) % limit
    }
}
