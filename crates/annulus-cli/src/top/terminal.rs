//! The live table in a terminal: takes looks and keys to the screen, and frames to the terminal.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::event::{self, Event, KeyEventKind},
};

use super::{
    Sight, Top,
    screen::{Next, Screen},
};
use crate::{failure::Failure, signals::Interrupt};

/// How long a signal may wait for its answer.
const SLICE: Duration = Duration::from_millis(50);

/// Shows the live table until somebody ends it.
pub(super) fn show(top: &Top, stop: &Interrupt) -> Result<(), Failure> {
    let cannot = |error: io::Error| {
        Failure::Fault(format!("no keys can be read from this terminal: {error}: try `annulus top --once`"))
    };
    // Also when a thread panics, the terminal is as before.
    let mut terminal = ratatui::try_init().map_err(cannot)?;
    let mut looking = top.looking();
    let screen = Screen::new(top.shards, top.telemetry);
    let look = || top.look(&mut looking);
    let shown = run(screen, top.interval, look, || stop.is_asked(), &mut terminal);
    let restored = ratatui::try_restore();
    shown?;
    restored.map_err(Failure::stdout)
}

/// How a table has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By a key.
    Key,
    /// Since there is no more to see, or by a signal.
    Told,
}

/// Shows what looks find, until a key or `ends` says so.
pub(super) fn run(
    mut screen: Screen,
    interval: Duration,
    mut look: impl FnMut() -> Sight,
    ends: impl Fn() -> bool,
    terminal: &mut Terminal<CrosstermBackend<impl Write>>,
) -> Result<End, Failure> {
    let mut next_look = Instant::now();
    let mut is_new = true;
    while !ends() {
        if Instant::now() >= next_look && !screen.is_paused() {
            screen.look(look());
            next_look = Instant::now() + interval;
            is_new = true;
        }
        if std::mem::take(&mut is_new) {
            // A new size of the terminal is noticed here.
            terminal.draw(|frame| screen.draw(frame)).map_err(Failure::stdout)?;
        }
        let slice = match screen.is_paused() {
            true => SLICE,
            false => next_look.saturating_duration_since(Instant::now()).min(SLICE),
        };
        if !event::poll(slice).map_err(gone)? {
            continue;
        }
        is_new = true;
        match event::read().map_err(gone)? {
            // Some terminals tell of keys that are let go, too.
            Event::Key(key) if key.kind != KeyEventKind::Release => match screen.key(key) {
                Next::Draw => {}
                Next::DrawAll => terminal.clear().map_err(Failure::stdout)?,
                Next::Quit => return Ok(End::Key),
            },
            _ => {}
        }
    }
    Ok(End::Told)
}

/// The terminal has gone, or can no longer be read.
fn gone(error: io::Error) -> Failure {
    Failure::Fault(format!("cannot read the terminal: {error}"))
}
