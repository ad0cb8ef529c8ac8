//! The end of a run whose kernels stand still in a cycle.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The example that is built beside this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join("tokens")
}

/// The two kernels, with little room.
fn cycle(limit: &str, name: &str) -> Child {
    cycle_with("", limit, name)
}

/// With more words for the first kernel.
fn cycle_with(words: &str, limit: &str, name: &str) -> Child {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text = format!(
        "[kernels.ping]\ncapacity = 16\n{words}[kernels.pong]\ncapacity = 16\n\
         [[links]]\nfrom = \"ping.next\"\nto = \"pong\"\n[[links]]\nfrom = \"pong\"\nto = \"ping\"\n"
    );
    fs::write(&path, text).unwrap();
    Command::new(example())
        .args(["run", path.to_str().unwrap(), "--to", "ping", "--limit", limit, "--backend", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end, and ends it if it does not come.
fn end(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// One signal ends a run whose send waits for room that it will never have, long before the limit.
#[test]
fn a_signal_ends_a_run_that_stands_still() {
    for name in ["INT", "TERM"] {
        let mut child = cycle("5", "still.toml");
        let mut stdin = child.stdin.take().unwrap();
        let tokens = 60;
        for id in 0..tokens {
            writeln!(stdin, r#"{{"id": {id}, "left": 100000000, "hops": 0}}"#).unwrap();
        }
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        // The cycle is full, and a send waits in front of it.
        while !line.contains("a send to `ping` has waited") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it has ended by itself");
        }
        let kill = format!("kill -{name} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let code = end(&mut child);
        let mut told = String::new();
        stderr.read_to_string(&mut told).unwrap();
        assert_eq!(code, Some(1), "{told}");
        let words = "annulus: interrupted: ";
        let said = told.lines().find_map(|line| line.strip_prefix(words)).unwrap_or_else(|| panic!("{told}"));
        let (unsent, why) = said.split_once(" messages that were read were not sent: ").unwrap();
        for part in ["`ping`", "`pong`", "stand still in a cycle"] {
            assert!(why.contains(part), "{part:?} is not in {why}");
        }
        // What was sent by the host and what was not are all that there was.
        let of = |kernel: &str, what: &str| -> u32 {
            let line = told.lines().find(|line| line.starts_with(kernel)).unwrap();
            line.split(what).next().and_then(|text| text.rsplit(' ').next()).unwrap().parse().unwrap()
        };
        let back = of("pong on", " processed") - of("pong on", " outputs for a connected kernel lost");
        let sent = of("ping on", " sent") - back;
        assert_eq!(sent + unsent.parse::<u32>().unwrap(), tokens, "{told}");
        assert!(told.contains("DeadlinePassed"), "{told}");
        drop(stdin);
    }
}

/// A run at whose end messages are left is not as one that has handled all.
#[test]
fn messages_that_the_limit_leaves_are_told() {
    let mut child = cycle("0.3", "left.toml");
    let token = |left: u64| format!("{{\"id\": 1, \"left\": {left}, \"hops\": 0}}\n");
    child.stdin.take().unwrap().write_all(token(4_000_000_000).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("annulus: --limit: ") && told.contains("had messages left after 300"), "{told}");

    let mut child = cycle("60", "left.toml");
    child.stdin.take().unwrap().write_all(token(3).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"{\"from\":\"ping\",\"output\":{\"arrived\":{\"id\":1,\"hops\":6}}}\n");
}

/// So is one whose messages waited for a kernel that was inactive.
#[test]
fn messages_for_an_inactive_kernel_are_told() {
    let mut child = cycle_with("active = false\n", "0.5", "inactive.toml");
    child.stdin.take().unwrap().write_all(b"{\"id\": 1, \"left\": 3, \"hops\": 0}\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("`ping` was inactive, and messages for it were left: 1; "), "{told}");
}
