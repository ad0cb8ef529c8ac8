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
        let folder = std::env::temp_dir().join(format!("annulus-terminal-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        // A shell knows the settings before and after, and the number of the process.
        let command = format!(
            "stty cols 80 rows 24; tty >tty; stty -g >before; sh -c 'echo $$ >pid; exec \"$0\" top --interval 0.05' '{}'; \
             echo $? >code; stty -g >after; echo the end",
            env!("CARGO_BIN_EXE_annulus")
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
