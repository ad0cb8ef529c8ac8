//! Looks and keys, and the frames that follow.

mod asks;
mod bridges;
mod described;
mod latencies;
mod outboxes;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use annulus_observe::{At, CAUSES, FileDamage, Kernel, KernelMemory, Liveness, Phase, Process, Shard};
use ratatui::{Terminal, backend::TestBackend};

use super::{
    super::Sight,
    columns::{Column, places},
    *,
};

const ACTIVE: u32 = 1;

/// A shard that has handled so many messages, and is at the next one.
fn shard(phase: Phase, done: u64) -> Shard {
    Shard {
        command: 0,
        acknowledged: 0,
        state: ACTIVE,
        last_error: 0,
        processed: done,
        failed: 0,
        unknown_actor: 0,
        sent: 0,
        dead_letters_lost: 0,
        stalled: 0,
        unforwarded: 0,
        pending: 0,
        staged: 0,
        timers: Default::default(),
        actors: Default::default(),
        accepted: done,
        taken: 0,
        unread: 0,
        fed: 0,
        outputs_waiting: 0,
        traces: Default::default(),
        telemetry: None,
        at: At { phase: phase as u64, number: done, ..At::default() },
    }
}

fn kernel(id: u64, name: &str, shards: Vec<Shard>) -> Kernel {
    Kernel {
        id,
        name: name.into(),
        kernel: name.into(),
        message: "Reading".into(),
        output: "Alert".into(),
        message_layout: None,
        output_layout: None,
        memory: KernelMemory::default(),
        mode: "adaptive",
        block: 1,
        max_batch: 32,
        actors: 1024,
        inbound_capacity: 256,
        outbound_capacity: 256,
        queue_capacity: 256,
        target: None,
        ports: Vec::new(),
        asks_by: None,
        bridges: Vec::new(),
        has_ended: false,
        left_behind: false,
        age: Some(Duration::from_secs(41)),
        copied: None,
        copied_at: None,
        errors: Vec::new(),
        drops: [0; CAUSES.len()],
        launched_at: 0,
        tracing: false,
        keys: true,
        rounds: false,
        sparse_keys: false,
        linked: 0,
        slow: 0,
        shards,
        latencies: None,
        black_box: None,
        inside: None,
    }
}

fn process(pid: u32, kernels: Vec<Kernel>) -> Process {
    Process {
        file: PathBuf::from(format!("{pid}-1-0.vitals")),
        pid,
        liveness: Liveness::Running,
        backend: "cpu".into(),
        device: String::new(),
        other_boot: false,
        library: "0.1.0".into(),
        executable: "/usr/local/bin/detector".into(),
        started: 1,
        now: 41_000_000_000,
        kernels,
        past_bridges: Vec::new(),
        missing: Vec::new(),
        damage: FileDamage::default(),
    }
}

/// A screen, the time, and a terminal.
struct Machine {
    screen: Screen,
    start: Instant,
    size: (u16, u16),
}

impl Machine {
    fn new() -> Self {
        Self { screen: Screen::new(false, false), start: Instant::now(), size: (80, 14) }
    }

    /// A look, so many seconds after the start.
    fn look(&mut self, seconds: f64, processes: Vec<Process>) {
        let at = self.start + Duration::from_secs_f64(seconds);
        self.screen.look(Sight { at, processes, unreadable: Vec::new() });
    }

    fn key(&mut self, code: KeyCode) -> Next {
        let next = self.screen.key(KeyEvent::from(code));
        self.frame();
        next
    }

    fn keys(&mut self, text: &str) {
        text.chars().for_each(|c| assert_eq!(self.key(KeyCode::Char(c)), Next::Draw));
    }

    /// The lines of a frame, without what is empty at their ends.
    fn frame(&mut self) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| self.screen.draw(frame)).unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| {
            let mut text = String::new();
            let mut x = 0;
            while x < self.size.0 {
                let symbol = buffer[(x, y)].symbol();
                text += symbol;
                // A wide character covers two cells.
                x += ratatui::text::Span::raw(symbol).width().max(1) as u16;
            }
            text.trim_end().to_owned()
        };
        (0..self.size.1).map(row).collect()
    }

    /// The first word of each row, in the column of kernels.
    fn names(&mut self) -> Vec<String> {
        let frame = self.frame();
        let at = frame[1].split("KERNEL").next().unwrap().chars().count();
        let body =
            frame[2..frame.len() - 2].iter().filter(|line| !line.is_empty() && !line.starts_with(" the "));
        let name = |line: &String| line.chars().skip(at).collect::<String>();
        body.map(|line| name(line).split_whitespace().next().unwrap().to_owned()).collect()
    }

    fn selected(&mut self) -> String {
        let at = self.frame().iter().position(|line| line.starts_with('>')).expect("one is selected");
        self.names()[at - 2].clone()
    }
}

/// A detector whose second kernel does not return from a handler, so that the first one waits; the first has
/// handled `more` messages since the first look.
fn stuck(more: u64) -> Vec<Process> {
    let mut waiting = shard(Phase::StalledOnKernel, 800);
    waiting.stalled = 2;
    let mut detect = kernel(1, "detect", vec![shard(Phase::Looking, 900 + more), waiting]);
    detect.target = Some((2, true));
    let mut hung = shard(Phase::InHandler, 88_123);
    hung.pending = 256;
    hung.at.key = 17;
    vec![process(3711, vec![detect, kernel(2, "sort", vec![hung])])]
}

fn idle(pid: u32, name: &str, done: u64) -> Process {
    process(pid, vec![kernel(1, name, vec![shard(Phase::Asleep, done)])])
}

#[test]
fn o_03_the_live_table_is_readable_in_80_columns() {
    let mut machine = Machine::new();
    let mut dead = process(97, vec![kernel(1, "lost", vec![shard(Phase::InHandler, 3)])]);
    dead.liveness = Liveness::Dead;
    for (step, done) in [0, 500, 2500].into_iter().enumerate() {
        let mut processes = stuck(done);
        processes.extend([idle(52, "idle", 7), process(60, Vec::new()), dead.clone()]);
        machine.look(step as f64, processes);
    }
    assert_eq!(
        machine.frame(),
        [
            " annulus top: 4 processes, 4 kernels, 1 DEAD, 1 stalled",
            "  PID KERNEL       STATE     DONE  PER S TREND  PENDING DROPPED PHASE",
            ">3711 detect       stalled   4200   2000     ▄█       0       0 for sort 2s+ (s…",
            " 3711 sort         active   88123      0     ▁▁     256       0 handler 2s+, me…",
            "   52 idle         active       7      0     ▁▁       0       0 asleep",
            "   60 (no kernels) -",
            "   97 lost         DEAD         3      -              0       0 in handler",
            "",
            "",
            "",
            "",
            "",
            " by PID ↑",
            " Enter detail  / filter  < > sort  r reverse  Space pause  ? help  q quit",
        ]
    );
    machine.size = (140, 14);
    assert_eq!(
        machine.frame()[1..4],
        [
            "  PID PROCESS      KERNEL       SHARDS STATE     DONE  PER S TREND           PENDING DROPPED   OUT  AGE PHASE",
            ">3711 detector     detect            2 stalled   4200   2000              ▄█       0       0     0  41s for sort 2s+ (shard 1)",
            " 3711 detector     sort              1 active   88123      0              ▁▁     256       0     0  41s handler 2s+, message 88123, key 17",
        ]
    );
}

/// Columns never touch, whatever the width; and no size makes it panic.
#[test]
fn any_size_is_drawn() {
    for width in 1..200 {
        let places = places(width, 7, 40, false);
        for two in places.windows(2) {
            assert!(two[0].x + two[0].width < two[1].x || two[1].width == 0, "{width}: {two:?}");
        }
        assert!(places.iter().all(|place| place.x + place.width <= width), "{width}: {places:?}");
        let shown = |column| places.iter().any(|place| place.column == column);
        assert!(shown(Column::Kernel));
        assert!(
            width < 80 || (shown(Column::Rate) && shown(Column::Dropped) && shown(Column::Phase)),
            "{width}"
        );
        assert_eq!(width >= 110, shown(Column::Process), "{width}");
    }
    let mut machine = Machine::new();
    machine.screen.with_shards = true;
    let mut processes = stuck(u64::MAX - 900);
    processes[0].pid = u32::MAX;
    processes[0].kernels[1].name = "核\u{1b}[2J\n核核核核核核核核核核核核核".into();
    machine.look(0.0, processes.clone());
    machine.look(1.0, processes);
    for keys in ["", "/s", "?", " "] {
        machine.keys(keys);
        for size in [(1, 1), (2, 3), (7, 5), (20, 4), (39, 6), (80, 2), (300, 60), (0, 0)] {
            machine.size = size;
            assert!(machine.frame().iter().all(|line| !line.contains(char::is_control)));
        }
        if machine.screen.is_helping || machine.screen.is_typing {
            machine.size = (80, 24);
            machine.key(KeyCode::Esc);
        }
    }
    machine.size = (20, 10);
    machine.key(KeyCode::Enter);
    assert_eq!(machine.screen.view, View::Detail);
    assert!(machine.frame().iter().all(|line| !line.contains(char::is_control)));
}

#[test]
fn kernels_are_sorted_by_any_column() {
    let mut machine = Machine::new();
    let at = |fast: u64| vec![idle(1, "slow", 10), idle(2, "fast", fast), idle(3, "most", 1_000_000)];
    machine.look(0.0, at(0));
    machine.look(1.0, at(9000));
    assert_eq!(machine.names(), ["slow", "fast", "most"]);
    machine.key(KeyCode::Down);
    assert_eq!(machine.selected(), "fast");
    let mut sorted = Vec::new();
    for _ in 0..8 {
        machine.key(KeyCode::Right);
        let status = machine.frame()[12].clone();
        sorted.push((status, machine.names().join(" ")));
        assert_eq!(machine.selected(), "fast", "it moves with its kernel");
    }
    let expected = [
        (" by KERNEL ↑", "fast most slow"),
        (" by STATE ↑", "slow fast most"),
        (" by DONE ↓", "most fast slow"),
        (" by PER S ↓", "fast slow most"),
        (" by PENDING ↓", "slow fast most"),
        (" by DROPPED ↓", "slow fast most"),
        (" by PHASE ↓", "slow fast most"),
        (" by PID ↑", "slow fast most"),
    ];
    let sorted: Vec<(&str, &str)> = sorted.iter().map(|(title, names)| (&**title, &**names)).collect();
    assert_eq!(sorted, expected);
    machine.keys("r");
    assert_eq!(machine.names(), ["most", "fast", "slow"]);
    machine.keys("<<");
    assert_eq!(machine.screen.sort, Column::Dropped);
}

#[test]
fn a_filter_hides_what_does_not_match() {
    let mut machine = Machine::new();
    machine.look(0.0, vec![idle(11, "sort", 0), idle(22, "detect", 0), idle(33, "resort", 0)]);
    machine.keys("/SOrtq");
    assert!(machine.names().is_empty());
    assert!(machine.frame()[2].contains("the filter lets nothing through"));
    machine.key(KeyCode::Backspace);
    assert_eq!(machine.names(), ["sort", "resort"]);
    assert!(machine.frame()[12].starts_with(" filter: SOrt"));
    machine.key(KeyCode::Enter);
    machine.key(KeyCode::Down);
    machine.look(
        1.0,
        vec![idle(11, "sort", 0), idle(22, "detect", 0), idle(33, "resort", 0), idle(44, "sorter", 0)],
    );
    assert_eq!(machine.names(), ["sort", "resort", "sorter"]);
    assert_eq!(machine.selected(), "resort");
    machine.key(KeyCode::Esc);
    assert_eq!(machine.names().len(), 4);
    // By process number, and by the executable.
    machine.keys("/22");
    assert_eq!(machine.names(), ["detect"]);
    machine.key(KeyCode::Esc);
    machine.keys("/detector");
    assert_eq!(machine.names().len(), 4);
}

#[test]
fn processes_come_and_go() {
    let mut machine = Machine::new();
    assert_eq!(machine.frame()[0], " annulus top: 0 processes, 0 kernels");
    machine.look(0.0, Vec::new());
    assert!(machine.frame()[2].contains("no process of this user has kernels"));
    machine.key(KeyCode::Enter);
    assert_eq!(machine.screen.view, View::Table, "there is nothing to show");
    let all = || vec![idle(1, "one", 0), idle(2, "two", 0), idle(3, "three", 0)];
    machine.look(1.0, all());
    assert_eq!(machine.selected(), "one");
    machine.key(KeyCode::End);
    machine.key(KeyCode::Up);
    assert_eq!(machine.selected(), "two");
    machine.look(2.0, vec![idle(1, "one", 0), idle(3, "three", 0)]);
    assert_eq!(machine.selected(), "three", "what is now at its place");
    machine.look(3.0, all());
    assert_eq!(machine.selected(), "three");
    machine.key(KeyCode::Enter);
    machine.look(4.0, vec![idle(1, "one", 0)]);
    assert_eq!(machine.frame()[1], " It has gone.");
    machine.key(KeyCode::Esc);
    assert_eq!((machine.selected(), machine.names()), ("one".into(), vec!["one".to_owned()]));
}

/// What is selected is on the screen, and so are its shards.
#[test]
fn long_tables_scroll() {
    let mut machine = Machine::new();
    let many = |n: u32| (0..n).map(|n| idle(n, &format!("k{n}"), 0)).collect::<Vec<_>>();
    machine.look(0.0, many(30));
    assert_eq!(machine.names().len(), 10);
    for (key, selected, first) in [
        (KeyCode::PageDown, "k10", "k1"),
        (KeyCode::End, "k29", "k20"),
        (KeyCode::Up, "k28", "k20"),
        (KeyCode::PageUp, "k18", "k18"),
        (KeyCode::Home, "k0", "k0"),
    ] {
        machine.key(key);
        assert_eq!((&*machine.selected(), &*machine.names()[0]), (selected, first), "{key:?}");
    }
    machine.keys("s");
    assert_eq!(machine.names()[..3], ["k0", "shard", "k1"]);
    machine.key(KeyCode::End);
    let names = machine.names();
    assert_eq!((names.len(), &*names[8], &*names[9]), (10, "k29", "shard"));
    machine.look(1.0, many(2));
    assert_eq!((machine.names().len(), &*machine.selected()), (4, "k1"));
}

#[test]
fn a_pause_wants_no_looks() {
    let mut machine = Machine::new();
    machine.look(0.0, stuck(0));
    machine.keys(" ");
    assert!(machine.screen.is_paused() && machine.frame()[0].ends_with("  PAUSED"));
    machine.keys("?");
    assert!(machine.frame().iter().any(|line| line.contains("Ctrl-L")), "help");
    machine.keys("q");
    assert!(!machine.screen.is_helping, "any key leaves help");
    machine.keys(" ");
    assert!(!machine.screen.is_paused());
    // After a pause of a minute, a rate is that of the minute.
    machine.look(60.0, stuck(6000));
    assert_eq!(machine.screen.rows[0].rate, Some(100.0));
    let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
    machine.keys("/q");
    assert_eq!(machine.screen.key(control('l')), Next::DrawAll);
    assert_eq!(machine.screen.key(control('u')), Next::Draw);
    assert_eq!(machine.screen.filter, "");
    assert_eq!(machine.screen.key(control('c')), Next::Quit);
    machine.key(KeyCode::Enter);
    assert_eq!(machine.key(KeyCode::Char('q')), Next::Quit);
}

/// What `why` says, with the time since the screen first saw it.
#[test]
fn o_01_the_detail_names_the_cause() {
    let mut machine = Machine::new();
    machine.size = (80, 20);
    for step in 0..26u32 {
        machine.look(f64::from(step) / 2.0, stuck(u64::from(step)));
    }
    machine.key(KeyCode::Enter);
    assert_eq!(
        machine.frame()[1..15],
        [
            " process 3711, cpu, /usr/local/bin/detector, up 41.0 s",
            " kernel detect: 2 shards of 1 thread, adaptive mode, at most 32 a turn, 1024",
            "   actors",
            " messages Reading, rings of 256; outputs Alert to sort, rings of 256",
            " launched 41.0 s ago",
            "   2.0 per s  █████████████████████████",
            "",
            " `detect` shard 1 waits for room in `sort`;",
            " `sort` shard 0 is in the handler of message 88123, key 17, for 12.5 s or more;",
            "   256 messages are in its rings: that is the cause",
            "",
            " SHARD STATE     DONE PER S PENDING DROPPED   OUT  PHASE",
            " 0     active     925   2.0       0       0     0  looking",
            " 1     stalled    800     0       0       0     0  for sort 12s+, message 800",
        ]
    );
    machine.size = (80, 8);
    machine.key(KeyCode::End);
    assert!(machine.frame()[5].contains("stalled"), "{:?}", machine.frame());
    machine.key(KeyCode::Home);
    assert!(machine.frame()[1].starts_with(" process 3711"));
}

/// A shard that goes on is held by nothing; and a copy that was looked at twice proves nothing.
#[test]
fn only_what_lasts_is_held() {
    let mut machine = Machine::new();
    let copy = |copied_at: u64| {
        let mut kernel = kernel(1, "device", vec![shard(Phase::InHandler, 5)]);
        (kernel.copied, kernel.copied_at) = (Some(Duration::ZERO), Some(copied_at));
        vec![process(1, vec![kernel])]
    };
    let handler = |n| vec![process(1, vec![kernel(1, "busy", vec![shard(Phase::InHandler, n)])])];
    for step in 0..10 {
        machine.look(f64::from(step), copy(1_000_000_000));
    }
    let row = &machine.screen.rows[0];
    assert_eq!((row.held, row.rate, &*row.phase), (None, None, "in handler"));
    machine.look(10.0, copy(4_000_000_000));
    let row = &machine.screen.rows[0];
    assert_eq!((row.held, row.rate), (Some(Duration::from_secs(3)), Some(0.0)));
    assert_eq!(row.phase, "handler 3s+, message 5, key 0");

    let mut machine = Machine::new();
    for step in 0..10 {
        machine.look(f64::from(step), handler(step as u64));
        assert_eq!(machine.screen.rows[0].held, None);
    }
}
