//! What somebody sees who sits at a terminal, which `script` makes.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    num::NonZero,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// What a command shows on a terminal of so many columns, with nothing typed; `None` where there is no
/// `script`.
fn shown(columns: u32, arguments: &str) -> Option<String> {
    let command = format!("stty cols {columns} rows 24; '{}' {arguments}", env!("CARGO_BIN_EXE_annulus"));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        // Progress is for terminals that have a name.
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) => {
            println!("skipped: `script` cannot be run: {error}");
            None
        }
    }
}

/// A line that is overwritten must fit, or each change of it would leave one behind.
#[test]
fn progress_fits_a_terminal_of_any_width() {
    for columns in [20, 40, 80, 200] {
        let flags = "run anomalies --threshold 1000 --messages 200000 --rate 400000";
        let Some(text) = shown(columns, flags) else { return };
        let (progress, summary) = text.split_once("messages   ").unwrap_or_else(|| panic!("{text:?}"));
        assert!(summary.contains("200,000 sent"), "{text:?}");
        // Each change begins at the line's start; escapes take no room.
        let lines: Vec<_> = progress.split('\r').map(without_escapes).collect();
        let shown = lines.iter().filter(|line| line.contains(" sent") || line.contains("sen")).count();
        assert!(shown >= 2, "{columns}: {progress:?}");
        for line in &lines {
            assert!(line.trim_end().chars().count() <= columns as usize, "{columns}: {line:?}");
        }
        assert!(!progress.contains("\n1"), "it stays in its line: {progress:?}");
        if columns == 200 {
            assert!(lines.iter().any(|line| line.contains(" messages/s · queue ")), "{progress:?}");
        }
    }
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let Some(text) = shown(80, "run anomalies --quiet --messages 100000 --rate 400000") else { return };
    assert!(text.starts_with("messages   100,000 sent"), "{text:?}");
}

/// Somebody who gives `send` no input sees what it waits for.
#[test]
fn send_says_what_it_waits_for() {
    let Some(text) = shown(80, "send anomalies --actors 1 --bind 'limits={\"threshold\": 3}'") else {
        return;
    };
    let hint = "reading messages from the terminal: a JSON object a line, of the type Observation { series: u32, value: f32, sequence: u64 }";
    assert!(text.contains(hint) && text.contains("Ctrl-D ends them"), "{text:?}");
}

/// Without what a terminal obeys.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => while rest.next().is_some_and(|c| !c.is_ascii_alphabetic()) {},
            '\n' => {}
            c => plain.push(c),
        }
    }
    plain
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

/// A terminal, made by `script`, and what it shows.
struct Terminal {
    script: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<vt100::Parser>>,
    folder: PathBuf,
}

impl Terminal {
    /// Runs `annulus top` in a terminal of 80 columns; `None` where there is no `script`.
    fn top(name: &str) -> Option<Self> {
        Self::start(name, &[], Path::new(env!("CARGO_BIN_EXE_annulus")), "top --interval 0.05")
    }

    /// The same with files, a program, and its arguments, which a shell reads.
    fn start(name: &str, files: &[(&str, &str)], program: &Path, arguments: &str) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("annulus-terminal-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
        // A shell knows the settings before and after, and the number of the process.
        let command = format!(
            "stty cols 80 rows 24; tty >tty; stty -g >before; sh -c 'echo $$ >pid; exec \"$0\" {arguments}' '{}'; \
             echo $? >code; stty -g >after; echo the end",
            program.display()
        );
        let script = Command::new("script")
            .args(["--quiet", "--command", &command, "/dev/null"])
            .current_dir(&folder)
            .env("ANNULUS_DIR", &folder)
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut script = match script {
            Ok(script) => script,
            Err(error) => {
                println!("skipped: `script` cannot be run: {error}");
                return None;
            }
        };
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size(24), size(80), 0)));
        let (shown, mut output) = (Arc::clone(&screen), script.stdout.take().unwrap());
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..read]);
            }
        });
        Some(Self { keys: script.stdin.take().unwrap(), script, screen, folder })
    }

    fn lines(&self) -> Vec<String> {
        let screen = self.screen.lock().unwrap();
        screen.screen().rows(0, 300).map(|row| row.trim_end().to_owned()).collect()
    }

    /// Waits until the screen is so.
    #[track_caller]
    fn until(&self, what: &str, is_so: impl Fn(&[String]) -> bool) {
        let start = Instant::now();
        loop {
            let lines = self.lines();
            if is_so(&lines) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{what}: {lines:#?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until a line has the words, in this order.
    #[track_caller]
    fn shows(&self, words: &[&str]) {
        let has = |line: &String| {
            let mut rest = line.as_str();
            words.iter().all(|word| rest.split_once(word).map(|(_, after)| rest = after).is_some())
        };
        self.until(&words.join(" … "), |lines| lines.iter().any(has));
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap().trim().to_owned()
    }

    /// Waits for the program's end; the terminal is as it was before.
    #[track_caller]
    fn ends(mut self, code: &str) {
        self.shows(&["the end"]);
        assert_eq!(self.file("before"), self.file("after"), "the terminal's settings");
        assert_eq!(self.file("code"), code);
        {
            let parser = self.screen.lock().unwrap();
            let screen = parser.screen();
            assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", screen.contents());
        }
        assert!(self.script.wait().unwrap().success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A process with kernels, and with nothing to do; killed at the end.
struct Watched(Child);

impl Watched {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
        let command = command
            .args(["send", "anomalies", "--actors", "8", "--backend", "cpu"])
            .args(["--bind", r#"limits={"threshold": 3}"#])
            .env("ANNULUS_DIR", folder);
        Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// O-03: somebody watches a process come, work, and die, with keys; and the terminal is theirs again.
#[test]
fn o_03_top_lives_in_a_terminal() {
    let Some(mut terminal) = Terminal::top("keys") else { return };
    terminal.shows(&["no process of this user has kernels"]);
    let mut watched = Watched::start(&terminal.folder);
    let pid = watched.0.id().to_string();
    terminal.shows(&[">", &pid, "anomalies", "active", "asleep"]);
    let line = "{\"series\": 1, \"value\": 1.0, \"sequence\": 0}\n";
    watched.0.stdin.as_mut().unwrap().write_all(line.repeat(1234).as_bytes()).unwrap();
    terminal.shows(&["anomalies", "active", "1234", "▁", "asleep"]);
    let lines = terminal.lines();
    assert!(lines[0].starts_with(" annulus top: 1 process, 1 kernel"), "{lines:#?}");
    assert!(lines[23].starts_with(" Enter detail") && lines[23].ends_with("q quit"), "{lines:#?}");

    terminal.press("/nothing");
    terminal.shows(&["filter lets nothing through"]);
    terminal.press("\u{1b}");
    terminal.shows(&["anomalies", "active"]);
    terminal.press("\r");
    terminal.shows(&["nothing waits in vain"]);
    terminal.shows(&["0", "active", "1234", "asleep"]);
    terminal.press("?");
    terminal.shows(&["q or Ctrl-C"]);
    terminal.press("x");
    terminal.shows(&["nothing waits in vain"]);
    terminal.press("\r");
    terminal.press(" ");
    terminal.shows(&["PAUSED"]);
    terminal.press(" \u{1b}[C");
    terminal.shows(&["by KERNEL ↑"]);

    // Another size, as a window system says it.
    let tty = fs::File::open(terminal.file("tty")).unwrap();
    terminal.screen.lock().unwrap().screen_mut().set_size(size(20), size(120));
    let resized = Command::new("stty").args(["cols", "120", "rows", "20"]).stdin(tty).status().unwrap();
    assert!(resized.success());
    terminal.until("the keys are in the last line", |lines| {
        lines[19].starts_with(" Enter detail") && lines[1].contains(" AGE ")
    });

    watched.0.kill().unwrap();
    watched.0.wait().unwrap();
    terminal.shows(&["1 DEAD"]);
    terminal.press("q");
    terminal.ends("0");
}

/// A server of tmux's of a test's own, without anybody's settings; it ends with the test, as does its folder.
struct Tmux(PathBuf);

impl Tmux {
    /// What a command of tmux's prints; `None` if it fails.
    fn run(&self, arguments: &[&str]) -> std::io::Result<Option<String>> {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.0.join("socket")).args(["-f", "/dev/null"]).args(arguments);
        let output = command.env("ANNULUS_DIR", &self.0).env_remove("TMUX").output()?;
        Ok(output.status.success().then(|| String::from_utf8(output.stdout).unwrap()))
    }

    /// What is shown, when it has this text.
    #[track_caller]
    fn shows(&self, what: &str) -> String {
        let start = Instant::now();
        loop {
            let screen = self.run(&["capture-pane", "-p"]).unwrap().expect("the session is there");
            if screen.contains(what) {
                return screen;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{what}: {screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// O-03: in tmux, which understands what the table writes, and draws it itself.
#[test]
fn o_03_top_runs_in_tmux() {
    let tmux = Tmux(std::env::temp_dir().join(format!("annulus-terminal-{}-tmux", std::process::id())));
    fs::create_dir(&tmux.0).unwrap();
    fs::set_permissions(&tmux.0, fs::Permissions::from_mode(0o700)).unwrap();
    let top = format!("'{}' top --interval 0.05", env!("CARGO_BIN_EXE_annulus"));
    match tmux.run(&["new-session", "-d", "-x", "80", "-y", "24", &top]) {
        Ok(begun) => assert!(begun.is_some()),
        Err(error) => return println!("skipped: `tmux` cannot be run: {error}"),
    }
    tmux.shows("no process of this user has kernels");
    let watched = Watched::start(&tmux.0);
    let screen = tmux.shows("anomalies");
    assert!(screen.starts_with(" annulus top: 1 process, 1 kernel"), "{screen}");
    assert!(screen.contains(&watched.0.id().to_string()), "{screen}");
    assert!(tmux.run(&["send-keys", "Enter"]).unwrap().is_some());
    tmux.shows("kernel anomalies");
    assert!(tmux.run(&["send-keys", "q"]).unwrap().is_some());
    let start = Instant::now();
    while tmux.run(&["has-session"]).unwrap().is_some() {
        assert!(start.elapsed() < Duration::from_secs(60), "`q` ends it, and so the session");
        thread::sleep(Duration::from_millis(20));
    }
}

/// However it is ended, the terminal is as before.
#[test]
fn o_03_top_gives_the_terminal_back() {
    let control_c = |terminal: &mut Terminal| terminal.press("\u{3}");
    let kill = |name: &'static str| {
        move |terminal: &mut Terminal| {
            let pid = terminal.file("pid");
            assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
        }
    };
    let ways: [&dyn Fn(&mut Terminal); 3] = [&control_c, &kill("-TERM"), &kill("-INT")];
    for (number, way) in ways.iter().enumerate() {
        let Some(mut terminal) = Terminal::top(&format!("end-{number}")) else { return };
        terminal.shows(&["no process of this user has kernels"]);
        assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
        way(&mut terminal);
        terminal.ends("0");
    }
}

/// A program with a kernel that prints, beside this test.
fn thermometer() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join("thermometer")
}

const OVEN: (&str, &str) = ("oven.toml", "[kernels.oven]\nkernel = \"celsius\"\n");

/// A run with a table, whose messages come by a pipe and whose outputs go to a file; and the pipe's end.
fn with_a_pipe(name: &str) -> Option<(Terminal, fs::File)> {
    // Opening it waits for the other end.
    let arguments = "run oven.toml --backend cpu --top <pipe >outputs";
    let terminal = Terminal::start(name, &[OVEN], &thermometer(), arguments)?;
    let pipe = fs::File::options().write(true).open(terminal.folder.join("pipe")).unwrap();
    Some((terminal, pipe))
}

/// O-03: a run shows its own kernels, while messages come in by a pipe and outputs go to a file. Keys are the table's, what
/// kernels print comes when it has gone, and the run ends with a key, a signal or its input, its terminal as before.
#[test]
fn o_03_run_shows_a_table_of_its_kernels() {
    let key = |terminal: &mut Terminal| terminal.press("q");
    let control_c = |terminal: &mut Terminal| terminal.press("\u{3}");
    let signal = |terminal: &mut Terminal| {
        let kill = Command::new("kill").args(["-TERM", &terminal.file("pid")]).status().unwrap();
        assert!(kill.success());
    };
    let input = |_: &mut Terminal| {};
    let ways: [&dyn Fn(&mut Terminal); 4] = [&key, &control_c, &signal, &input];
    for (number, way) in ways.iter().enumerate() {
        let Some((mut terminal, pipe)) = with_a_pipe(&format!("run-{number}")) else { return };
        let mut pipe = Some(pipe);
        terminal.shows(&[">", "oven", "active", "asleep"]);
        assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
        let lines = "{\"fahrenheit\": 50}\n".repeat(99) + "{\"fahrenheit\": 482}\n";
        pipe.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
        let lines = terminal.lines();
        assert!(lines[0].starts_with(" annulus top: 1 process, 1 kernel"), "{lines:#?}");
        // In 80 columns latencies take the place of DONE, which the detail has.
        assert!(lines[1].contains(" LATENCY "), "{lines:#?}");
        terminal.press("\r");
        terminal.shows(&["nothing waits in vain"]);
        terminal.shows(&["0", "active", "100", "asleep"]);
        let lines = terminal.lines();
        assert!(lines.iter().all(|line| !line.contains("burns")), "it is held back: {lines:#?}");
        if number == 3 {
            pipe = None;
        }
        way(&mut terminal);
        terminal.shows(&["250.0 degrees: paper burns"]);
        terminal.shows(&["oven on cpu: terminated, 100 sent, 100 processed"]);
        let outputs = terminal.file("outputs");
        assert_eq!(outputs.lines().count(), 100);
        assert!(outputs.ends_with("{\"from\":\"oven\",\"output\":{\"degrees\":250.0}}"), "{outputs}");
        terminal.ends("0");
        drop(pipe);
    }
}

/// Where all three are the terminal, it is the table's: nothing is printed over it, and keys are no messages.
#[test]
fn o_03_a_table_has_its_terminal_for_itself() {
    let arguments = "run oven.toml --backend cpu --top";
    let Some(mut terminal) = Terminal::start("alone", &[OVEN], &thermometer(), arguments) else { return };
    terminal.shows(&[">", "oven", "active", "asleep"]);
    terminal.press("?");
    terminal.shows(&["q or Ctrl-C"]);
    terminal.press("xq");
    terminal.shows(&["oven on cpu: terminated, 0 sent"]);
    terminal.ends("0");

    let arguments = "run anomalies --backend cpu --top --rate 20000 -n 1000000000";
    let annulus = Path::new(env!("CARGO_BIN_EXE_annulus"));
    let Some(mut terminal) = Terminal::start("anomalies", &[], annulus, arguments) else { return };
    terminal.shows(&[">", "anomalies", "active"]);
    terminal.press("q");
    terminal.shows(&["messages   "]);
    terminal.shows(&["interrupted by a signal"]);
    terminal.ends("0");

    let arguments = "run anomalies --backend cpu --top --input -";
    let Some(terminal) = Terminal::start("keys-and-input", &[], annulus, arguments) else { return };
    terminal.shows(&["--top needs the keys of this terminal"]);
    terminal.ends("2");
}

/// What is no terminal gets tables, one after the other.
#[test]
fn o_03_top_prints_tables_where_there_is_no_terminal() {
    let folder = std::env::temp_dir().join(format!("annulus-terminal-{}-pipe", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["top", "--interval", "0.01"])
        .env("ANNULUS_DIR", &folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let told: Vec<String> = lines.filter(|line| line.contains("no process of this user")).take(3).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|line| !line.contains('\u{1b}')), "{told:?}");
}
