//! Programs that are started, and ended if they take too long, or if this one ends.

#[cfg(unix)]
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{Failure, compiler};

/// Between the polite end and the other one.
const POLITE: Duration = Duration::from_secs(3);
/// So long a process that was killed may take to be gone. Where the driver holds it, it never is.
const GONE: Duration = Duration::from_secs(10);

/// The programs, and what their environment says.
pub(crate) struct Programs {
    folder: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

/// How long a program may run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Since it began.
    pub(crate) all: Duration,
    /// Since it last printed something.
    pub(crate) silent: Duration,
    /// When everything ends, whatever runs then.
    pub(crate) cut: Option<Instant>,
}

impl Limit {
    pub(crate) fn of(all: Duration) -> Self {
        Self { all, silent: all, cut: None }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    /// A signal ended it that was not ours.
    Crashed(i32),
    /// It took too long, and was ended.
    TookTooLong,
    /// It took too long, and cannot be ended: the driver holds it.
    Stuck,
    /// The time for all of it was up, and it was ended: that tells nothing about it.
    Cut,
}

/// A program that has ended, or was left alone.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) end: End,
    pub(crate) time: Duration,
    /// What it printed, on both of its outputs.
    pub(crate) output: String,
}

/// What a program has printed, and when the last of it came.
type Heard = Mutex<(Vec<u8>, Instant)>;

impl Programs {
    /// Those in the folder, or beside this program.
    pub(crate) fn find(folder: Option<PathBuf>) -> Result<Self, Failure> {
        let own = env::current_exe()?;
        let folder = match folder {
            Some(folder) => {
                folder.canonicalize().map_err(|error| format!("--bin {}: {error}", folder.display()))?
            }
            None => own.parent().unwrap_or(Path::new("/")).to_owned(),
        };
        let mut variables = compiler::variables(&folder);
        // Before anything initialises CUDA. Suites fail where they would skip.
        let ours = [("ANNULUS_GPU", "1"), ("ANNULUS_PATIENCE", "60"), ("RUST_BACKTRACE", "0")];
        for (name, value) in annulus_cuda::DRIVER_VARIABLES.into_iter().chain(ours) {
            if env::var_os(name).is_none() {
                variables.push((name, value.into()));
            }
        }
        Ok(Self { folder, variables })
    }

    /// What the programs' environment says besides ours.
    pub(crate) fn variables(&self) -> &[(&'static str, OsString)] {
        &self.variables
    }

    /// The commit that the programs were made from, if whoever made them wrote it down beside them.
    pub(crate) fn commit(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder.join("commit")).ok()?;
        Some(text.trim().to_owned()).filter(|commit| !commit.is_empty())
    }

    /// Runs a program of the folder within this limit; what it prints goes to the log, too.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn run(
        &self,
        name: &str,
        arguments: &[String],
        limit: Limit,
        log: &mut File,
    ) -> Result<Ran, Failure> {
        let path = self.folder.join(name);
        let mut command = Command::new(&path);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        run(command, limit, Some(log.try_clone()?))
            .map_err(|error| format!("{} cannot be run: {error}", path.display()).into())
    }
}

/// Runs a command within this limit.
///
/// # Errors
///
/// If it cannot be started.
pub(crate) fn run(mut command: Command, limit: Limit, log: Option<File>) -> io::Result<Ran> {
    let (reader, writer) = io::pipe()?;
    let begun = Instant::now();
    // A group of its own: what it started ends with it.
    #[cfg(unix)]
    command.process_group(0);
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    ends_with_this_process(&mut command);
    let child = command.spawn()?;
    // The command holds the pipe's other end.
    drop(command);
    let heard = Arc::new(Mutex::new((Vec::new(), begun)));
    let reading = thread::spawn({
        let heard = Arc::clone(&heard);
        move || read(reader, log, &heard)
    });
    let end = wait(child, begun, limit, &heard)?;
    // Where the program is stuck, so are its outputs. A grandchild that lives may hold them too.
    let patience = Instant::now() + Duration::from_secs(1);
    while !reading.is_finished() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Ran { end, time: begun.elapsed(), output: String::from_utf8_lossy(&heard.0).into_owned() })
}

/// Lets the system kill the child when this process ends, however it ends: a program that nobody waits for
/// would keep the device. It counts by the thread that starts the child, which is the main one.
#[cfg(target_os = "linux")]
fn ends_with_this_process(command: &mut Command) {
    let parent = std::process::id();
    let in_child = move || {
        // SAFETY: the call takes numbers alone.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call takes nothing.
        let now = unsafe { libc::getppid() };
        // The parent may have ended before the system knew.
        if u32::try_from(now) == Ok(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec the closure makes two system calls, allocates nothing and takes no lock;
    // other threads of the parent, whatever they hold, do not matter to it.
    unsafe { command.pre_exec(in_child) };
}

#[cfg(not(target_os = "linux"))]
fn ends_with_this_process(_: &mut Command) {}

fn read(mut from: io::PipeReader, mut log: Option<File>, heard: &Heard) {
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut part) {
        if let Some(log) = &mut log {
            // A full disk must not end the measurement.
            let _ = log.write_all(&part[..length]);
        }
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.0.extend_from_slice(&part[..length]);
        heard.1 = Instant::now();
    }
}

fn wait(mut child: Child, begun: Instant, limit: Limit, heard: &Heard) -> io::Result<End> {
    let is_late = || {
        let last = heard.lock().unwrap_or_else(PoisonError::into_inner).1;
        begun.elapsed() >= limit.all || last.elapsed() >= limit.silent
    };
    let is_cut = || limit.cut.is_some_and(|cut| Instant::now() >= cut);
    if let Some(status) = ended_when(&mut child, || is_late() || is_cut())? {
        return Ok(match status.code() {
            Some(code) => End::Exited(code),
            None => End::Crashed(signal_of(status)),
        });
    }
    let end = if is_late() { End::TookTooLong } else { End::Cut };
    let since = Instant::now();
    signal(&mut child, Signal::Terminate);
    let ended = ended_when(&mut child, || since.elapsed() >= POLITE)?.is_some();
    // Also children that it leaves behind.
    signal(&mut child, Signal::Kill);
    let is_gone = ended || ended_when(&mut child, || since.elapsed() >= POLITE + GONE)?.is_some();
    Ok(if is_gone { end } else { End::Stuck })
}

/// Waits for the child's end until this says that it is enough.
fn ended_when(child: &mut Child, mut is_enough: impl FnMut() -> bool) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if is_enough() {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The signal that ended a program; 0 where no system says one.
fn signal_of(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = status.signal().unwrap_or(0);
    #[cfg(not(unix))]
    let signal = {
        let _ = status;
        0
    };
    signal
}

/// How a program is told to end.
enum Signal {
    /// It may clean up behind itself.
    Terminate,
    Kill,
}

/// Tells the child's group to end.
#[cfg(unix)]
fn signal(child: &mut Child, signal: Signal) {
    let signal = match signal {
        Signal::Terminate => libc::SIGTERM,
        Signal::Kill => libc::SIGKILL,
    };
    let Ok(group) = i32::try_from(child.id()) else { return };
    // SAFETY: the call takes numbers alone. The group is the child's own, made when it was started.
    unsafe { libc::kill(-group, signal) };
}

/// Ends the child where it is to be killed: here no program is asked to end.
#[cfg(not(unix))]
fn signal(child: &mut Child, signal: Signal) {
    if matches!(signal, Signal::Kill) {
        // It has ended by itself, or is ended now.
        let _ = child.kill();
    }
}
