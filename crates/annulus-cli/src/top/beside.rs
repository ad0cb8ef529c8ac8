//! The live table of this process' own kernels, on the terminal of a command that does its work meanwhile.

use std::{
    io::{self, IsTerminal, Write},
    panic,
    sync::{
        Once,
        mpsc::{TryRecvError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use annulus_observe::Observer;
use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{
        cursor, execute,
        terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
    },
};

use super::{
    Sight, is_smart,
    screen::Screen,
    terminal::{End, run},
};
use crate::{
    failure::Failure,
    signals::Interrupt,
    told::{self, Told},
};

/// Time between two looks: that of `annulus top`.
const INTERVAL: Duration = Duration::from_millis(500);

/// Where the table is drawn: what the command prints goes elsewhere, if it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Canvas {
    /// The terminal of standard error.
    Stderr,
    /// That of standard output, since standard error is none.
    Stdout,
}

impl Canvas {
    /// Where a table of this process can be drawn; a failure if there is no terminal.
    pub(crate) fn find() -> Result<Self, Failure> {
        match (io::stderr().is_terminal(), io::stdout().is_terminal()) {
            _ if !is_smart() => {}
            (true, _) => return Ok(Self::Stderr),
            (_, true) => return Ok(Self::Stdout),
            _ => {}
        }
        Err(Failure::Usage(
            "--top draws on a terminal, and this is none: run `annulus top` in another one, or use --dashboard or --metrics"
                .into(),
        ))
    }

    /// Whether standard output is a terminal, which is the table's.
    pub(crate) fn has_output(self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether standard input is a terminal, whose keys are the table's.
    pub(crate) fn has_input(self) -> bool {
        io::stdin().is_terminal()
    }

    fn writer(self) -> Box<dyn Write + Send> {
        match self {
            Self::Stderr => Box::new(io::stderr()),
            Self::Stdout => Box::new(io::stdout()),
        }
    }

    /// Shows the table while the work is done, and ends with it. A key that ends the table asks for the end of the work, as
    /// a signal does; then the terminal is as before, while the work comes to its end.
    pub(crate) fn beside<T>(
        self,
        observer: &Observer,
        stop: &Interrupt,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            let table = scope.spawn(move || {
                let ends = || stop.is_asked() || ended.try_recv() == Err(TryRecvError::Disconnected);
                let shown = self.show(observer, ends);
                if shown.as_ref().map_or(true, |end| *end == End::Key) {
                    stop.ask();
                }
                shown
            });
            // Also if the work panics, which ends the table.
            let end = end;
            let done = work();
            drop(end);
            let shown = table.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
            let done = done?;
            shown.map(|_| done)
        })
    }

    fn show(self, observer: &Observer, ends: impl Fn() -> bool) -> Result<End, Failure> {
        let cannot = |error: io::Error| {
            Failure::Fault(format!("no keys can be read from this terminal: {error}: leave --top out"))
        };
        let _taken = Taken::new(self).map_err(cannot)?;
        let mut terminal = Terminal::new(CrosstermBackend::new(self.writer())).map_err(cannot)?;
        let look = || Sight {
            at: Instant::now(),
            processes: observer.look().processes.clone(),
            unreadable: Vec::new(),
        };
        run(Screen::new(false, true), INTERVAL, look, ends, &mut terminal)
    }
}

/// The terminal, as long as a table has it. What is said meanwhile is said at the end.
struct Taken(Canvas);

impl Taken {
    fn new(canvas: Canvas) -> io::Result<Self> {
        enable_raw_mode()?;
        if io::stderr().is_terminal() {
            hold_panics();
            told::hold();
        }
        let taken = Self(canvas);
        execute!(canvas.writer(), EnterAlternateScreen)?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // The terminal may have gone.
        let _ = execute!(self.0.writer(), cursor::Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
        told::release();
    }
}

/// Sees to it that panics are told as everything else is: a handler's, for one, after which its kernel goes on.
fn hold_panics() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| match told::is_holding() {
            true => drop(Told.write_all(format!("{panic}\n").as_bytes())),
            false => usual(panic),
        }));
    });
}
