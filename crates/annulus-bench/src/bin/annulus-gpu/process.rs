//! Programs that are started, and ended if they take too long.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
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
}

/// A program that has ended, or was left alone.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) end: End,
    pub(crate) time: Duration,
    /// What it printed, on both of its outputs.
    pub(crate) output: String,
}

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

    /// Runs a program of the folder for at most `limit`; what it prints goes to the log, too.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn run(
        &self,
        name: &str,
        arguments: &[String],
        limit: Duration,
        log: &mut File,
    ) -> Result<Ran, Failure> {
        let path = self.folder.join(name);
        let started = |error: io::Error| format!("{} cannot be started: {error}", path.display());
        let (reader, writer) = io::pipe()?;
        let begun = Instant::now();
        let child = Command::new(&path)
            .args(arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            // A group of its own: what it started ends with it.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()
            .map_err(started)?;
        let text = Arc::new(Mutex::new(Vec::new()));
        let reading = thread::spawn({
            let (text, log) = (Arc::clone(&text), log.try_clone()?);
            move || read(reader, log, &text)
        });
        let end = wait(child, begun + limit)?;
        // Where the program is stuck, so are its outputs. A grandchild that lives may hold them too.
        let patience = Instant::now() + Duration::from_secs(1);
        while !reading.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        let bytes = text.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Ran { end, time: begun.elapsed(), output: String::from_utf8_lossy(&bytes).into_owned() })
    }
}

fn read(mut from: io::PipeReader, mut log: File, text: &Mutex<Vec<u8>>) {
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut part) {
        // A full disk must not end the measurement.
        let _ = log.write_all(&part[..length]);
        text.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&part[..length]);
    }
}

fn wait(mut child: Child, until: Instant) -> io::Result<End> {
    if let Some(status) = ended_by(&mut child, until)? {
        return Ok(match status.code() {
            Some(code) => End::Exited(code),
            None => End::Crashed(status.signal().unwrap_or(0)),
        });
    }
    signal(&child, libc::SIGTERM);
    if ended_by(&mut child, Instant::now() + POLITE)?.is_some() {
        // Children that it leaves behind.
        signal(&child, libc::SIGKILL);
        return Ok(End::TookTooLong);
    }
    signal(&child, libc::SIGKILL);
    let gone = ended_by(&mut child, Instant::now() + GONE)?.is_some();
    Ok(if gone { End::TookTooLong } else { End::Stuck })
}

fn ended_by(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to the child's group.
fn signal(child: &Child, signal: i32) {
    let Ok(group) = i32::try_from(child.id()) else { return };
    // SAFETY: the call takes numbers alone. The group is the child's own, made when it was started.
    unsafe { libc::kill(-group, signal) };
}
