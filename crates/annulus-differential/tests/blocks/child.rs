//! Handlers in a process of their own, since a device's compiler that dies takes its process with it.
//!
//! PoCL 3.1's compiler does so for about one in fifteen random handlers of whole blocks, always for the same
//! ones: LLVM 15's inliner reads where nothing is. That says nothing of ours. So the process says what it is at,
//! in a line before it begins:
//!
//! | line | what may end the process then |
//! |---|---|
//! | `compiles: NAME …` | the device's compiler: these handlers are left out, and a new process goes on |
//! | `runs: NAME` | nothing: a handler that brings its process down has failed |
//! | `agrees: NAME` | nothing |
//!
//! Everything else is a failure: another device's compiler that dies, a process that ends with an error, one that
//! is silent for too long, handlers that it never came to, and more deaths than a few.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// The handlers that a process leaves out, with spaces between them.
pub(super) const LEFT_OUT: &str = "ANNULUS_TEST_LEFT_OUT";

/// What is asked of the processes.
pub(super) struct Watch<'w> {
    /// The handlers to be compared.
    pub(super) handlers: &'w BTreeSet<String>,
    /// How many of them the device's compiler may die of.
    pub(super) most: usize,
    /// How long a process may be silent.
    pub(super) silence: Duration,
}

/// What one process has said, and how it ended.
struct End {
    /// `None` if it was ended, since it was silent for too long.
    status: Option<ExitStatus>,
    /// The last of its lines that says what it is at.
    at: String,
    /// What was compiled then.
    compiled: Vec<String>,
    agreed: BTreeSet<String>,
    said: String,
}

impl Watch<'_> {
    /// Runs this ignored test of this program, in one process after the other, until each handler agrees or is left
    /// out: which of them are.
    ///
    /// # Errors
    ///
    /// Why it has failed, with all that the process said.
    pub(super) fn run(&self, test: &str, environment: &[(&str, &str)]) -> Result<BTreeSet<String>, String> {
        let (mut agreed, mut dead) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let left_out: Vec<&str> = agreed.union(&dead).map(String::as_str).collect();
            let program = std::env::current_exe().expect("this program has a path");
            let child = Command::new(program)
                .args(["--exact", test, "--ignored", "--nocapture"])
                .env(LEFT_OUT, left_out.join(" "))
                .envs(environment.iter().copied())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("this program starts");
            let end = self.follow(child);
            let failed = |why: &str| Err(format!("error at `{}`: {why}\n{}", end.at, end.said));
            agreed.extend(end.agreed.iter().cloned());
            let Some(status) = end.status else {
                return failed(&format!("nothing was heard for {:?}", self.silence));
            };
            if status.success() {
                let missing: Vec<_> = self
                    .handlers
                    .iter()
                    .filter(|name| !agreed.contains(*name) && !dead.contains(*name))
                    .collect();
                return if missing.is_empty() {
                    Ok(dead)
                } else {
                    failed(&format!("{missing:?} did not run"))
                };
            }
            match died(status) {
                Some(signal) if !end.compiled.is_empty() => {
                    println!("{}: the device's compiler died of signal {signal}", end.compiled.join(" "));
                    dead.extend(end.compiled);
                    if dead.len() > self.most {
                        return Err(format!(
                            "the device's compiler died of {dead:?}: more than {}",
                            self.most
                        ));
                    }
                }
                _ => return failed(&status.to_string()),
            }
        }
    }

    /// Reads what a process says until it ends, or is silent for too long and is ended.
    fn follow(&self, mut child: Child) -> End {
        let (sender, lines) = channel();
        read(child.stdout.take().expect("it is a pipe"), true, sender.clone());
        read(child.stderr.take().expect("it is a pipe"), false, sender);
        let mut end = End {
            status: None,
            at: String::new(),
            compiled: Vec::new(),
            agreed: BTreeSet::new(),
            said: String::new(),
        };
        let ended = loop {
            match lines.recv_timeout(self.silence) {
                Ok((line, is_output)) => {
                    if is_output {
                        end.take(&line);
                    }
                    end.said.push_str(&line);
                    end.said.push('\n');
                }
                Err(RecvTimeoutError::Disconnected) => break true,
                Err(RecvTimeoutError::Timeout) => break false,
            }
        };
        if !ended {
            child.kill().expect("it is ours");
        }
        let status = child.wait().expect("it is ours");
        end.status = ended.then_some(status);
        end
    }
}

impl End {
    /// What a line says of where the process is.
    fn take(&mut self, line: &str) {
        let names = |word: &str| line.split_once(word).map(|(_, names)| names);
        if let Some(names) = names("compiles: ") {
            self.compiled = names.split_whitespace().map(str::to_owned).collect();
        } else if names("runs: ").is_some() {
            self.compiled.clear();
        } else if let Some(name) = names("agrees: ") {
            self.agreed.insert(name.to_owned());
        } else {
            return;
        }
        self.at = line.to_owned();
    }
}

/// Sends what comes from a pipe, line by line.
fn read(pipe: impl Read + Send + 'static, is_output: bool, sender: Sender<(String, bool)>) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            if sender.send((String::from_utf8_lossy(&line).into_owned(), is_output)).is_err() {
                return;
            }
        }
    });
}

/// The signal by which a process brought itself down.
fn died(status: ExitStatus) -> Option<i32> {
    // SIGILL, SIGABRT, SIGBUS and SIGSEGV, on Linux: SIGKILL comes from others.
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status)
        .filter(|signal| [4, 6, 7, 11].contains(signal));
    #[cfg(not(unix))]
    return {
        let _ = status;
        None
    };
}

/// The handlers that this process leaves out.
pub(super) fn left_out() -> BTreeSet<String> {
    let names = std::env::var(LEFT_OUT).unwrap_or_default();
    names.split_whitespace().map(str::to_owned).collect()
}

/// What [`plays`] does, in words with `|` between them.
const PLAY: &str = "ANNULUS_TEST_PLAY";

/// Run by the test below: says what it is told to say, and ends as it is told.
#[test]
#[ignore = "the other test runs it"]
fn plays() {
    let left_out = left_out();
    for word in std::env::var(PLAY).expect("it is told what to do").split('|') {
        match word.split_once(' ') {
            Some(("dies", name)) if !left_out.contains(name) => std::process::abort(),
            Some(("dies", _)) => (),
            _ if word == "ends" => panic!("a handler differs"),
            _ if word == "hangs" => loop {
                thread::park();
            },
            _ => println!("{word}"),
        }
    }
}

/// A compiler that dies costs its handlers, few of them; all else fails.
#[test]
fn b06_x02_what_a_process_may_end_with() {
    let handlers: BTreeSet<String> = ["a", "b", "c"].map(String::from).into();
    let run = |play: &str, most: usize, seconds: u64| {
        let watch = Watch { handlers: &handlers, most, silence: Duration::from_secs(seconds) };
        watch.run("blocks::child::plays", &[(PLAY, play)])
    };
    let long = 600;
    let rest = "|runs: a|agrees: a|compiles: c|runs: c|agrees: c";
    let all = format!("compiles: a b c|compiles: b|runs: b|agrees: b|compiles: a{rest}");
    assert_eq!(run(&all, 0, long), Ok(BTreeSet::new()));
    let b_dies = format!("compiles: a b c|compiles: b|dies b|compiles: a{rest}");
    assert_eq!(run(&b_dies, 1, long), Ok(BTreeSet::from(["b".into()])));
    let program_dies = format!("compiles: a b|dies b|compiles: c{rest}");
    assert_eq!(run(&program_dies, 2, long), Ok(["a", "b"].map(String::from).into()));
    for (play, most, seconds, why) in [
        (b_dies.as_str(), 0, long, "more than 0"),
        (program_dies.as_str(), 1, long, "more than 1"),
        // While it runs, and before it has begun.
        ("compiles: a b c|compiles: a|runs: a|dies a", 3, long, "signal"),
        ("dies a", 3, long, "signal"),
        ("compiles: a b c|compiles: a|runs: a|ends", 3, long, "a handler differs"),
        ("compiles: a b c|compiles: a|ends", 3, long, "a handler differs"),
        ("compiles: a b c|compiles: a|runs: a|agrees: a", 3, long, r#"["b", "c"] did not run"#),
        ("compiles: a b c|compiles: a|hangs", 3, 1, "nothing was heard"),
    ] {
        let ended = run(play, most, seconds);
        assert!(ended.as_ref().is_err_and(|error| error.contains(why)), "{play}: {ended:?}");
    }
}
