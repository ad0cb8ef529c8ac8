//! Draws the screen.

use std::time::Duration;

use annulus::for_people;
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::Span,
};

use super::{
    Screen, View,
    columns::{self, Column, Place},
    rows::{Row, ShardLine, State},
    text::{age, bars, count, fit, rate},
};

const HELP: &str = "\x20↑ ↓ PageUp PageDown Home End   select a kernel
 Enter          the selected kernel: its shards, and why it does not go on
 Esc            back; without a detail: no filter
 < > or ← →     sort by another column      r   the other way round
 /              show only what has a text in its name, state, process or PID
 s              a line for each shard, or none
 Space          pause, and go on
 Ctrl-L         draw everything again
 q or Ctrl-C    quit

 STATE    of the shard that is worst off; DEAD: its process died
 DONE     messages whose handler succeeded, since the launch
 PER S    the same, for each second between two looks; TREND: earlier ones
 LATENCY  with --telemetry: the mean of what was measured between two looks
 PENDING  messages in the inbound rings
 DROPPED  messages whose handler failed, or whose key named no actor
 OUT      outputs that nobody has received
 PHASE    what the shard that is longest at one message is at; 12s+: for at
          least 12 seconds; for sort: it waits for room in that kernel
 Narrow terminals show fewer columns.";

const KEYS: &str = " Enter detail  / filter  < > sort  r reverse  Space pause  ? help  q quit";
const KEYS_OF_DETAIL: &str = " Esc back  ↑ ↓ scroll  Space pause  ? help  q quit";

const PLAIN: Style = Style::new();
const TITLE: Style = Style::new().add_modifier(Modifier::REVERSED);
const HEAD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);

impl Screen {
    /// Draws a frame of any size.
    pub(in crate::top) fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let buffer = frame.buffer_mut();
        let (top, height) = (area.y + 2, area.height.saturating_sub(4));
        let body = Rect { y: top.min(area.bottom()), height, ..area };
        self.page = usize::from(height).max(1);
        put(buffer, line(area, 0), &self.title(usize::from(area.width)), TITLE);
        if self.is_helping {
            for (text, y) in HELP.lines().zip(body.top()..area.bottom()) {
                put(buffer, Rect { y, height: 1, ..area }, text, PLAIN);
            }
            return;
        }
        match self.view {
            View::Table => self.draw_table(buffer, area, body),
            View::Detail => self.draw_detail(buffer, area),
        }
        if area.height > 4 {
            put(buffer, line(area, area.height - 2), &self.status(), DIM);
            let keys = if self.view == View::Detail { KEYS_OF_DETAIL } else { KEYS };
            put(buffer, line(area, area.height - 1), keys, TITLE);
        }
    }

    fn title(&self, width: usize) -> String {
        let processes = self.now.as_ref().map_or(&[][..], |now| &now.processes);
        let kernels = self.rows.iter().filter(|row| row.id.kernel.is_some()).count();
        let mut title =
            format!(" annulus top: {}, {}", several(processes.len(), "process"), several(kernels, "kernel"));
        for state in [State::Dead, State::Stalled] {
            match self.rows.iter().filter(|row| row.state == state).count() {
                0 => {}
                rows => title += &format!(", {rows} {}", state.word()),
            }
        }
        if self.is_paused {
            title += "  PAUSED";
        }
        // To the whole width, so that the line is a bar.
        format!("{:<width$}", fit(&title, width))
    }

    fn status(&self) -> String {
        if self.is_typing {
            return format!(" filter: {}▏  (Enter keeps it, Esc drops it)", self.filter);
        }
        let arrow = if self.sort.largest_first() != self.is_reversed { '↓' } else { '↑' };
        let mut status = Vec::new();
        if self.view == View::Table {
            status.push(format!("by {} {arrow}", self.sort.title()));
        }
        if !self.filter.is_empty() {
            status.push(format!("filter: {}", self.filter));
        }
        let unreadable = self.now.as_ref().map_or(0, |now| now.unreadable.len());
        let is_damaged = |process: &&annulus_observe::Process| !process.damage.is_none();
        let damaged = self.now.as_ref().map_or(0, |now| now.processes.iter().filter(is_damaged).count());
        for (files, how) in [(unreadable, "not shown"), (damaged, "damaged")] {
            match files {
                0 => {}
                1 => status.push(format!("1 file is {how}: `annulus top --once` says why")),
                _ => status.push(format!("{files} files are {how}: `annulus top --once` says why")),
            }
        }
        format!(" {}", status.join("; "))
    }

    fn draw_table(&mut self, buffer: &mut Buffer, area: Rect, body: Rect) {
        let digits = |row: &Row| row.pid.to_string().len() as u16;
        let pid = self.rows.iter().map(digits).max().unwrap_or(0);
        let name = self.rows.iter().map(|row| Span::raw(&row.name).width().min(99) as u16).max().unwrap_or(0);
        self.shown = columns::places(area.width, pid, name, self.with_latency);
        for place in &self.shown {
            let style =
                if place.column == self.sort { HEAD.add_modifier(Modifier::UNDERLINED) } else { HEAD };
            put_cell(buffer, line(area, 1), place, place.column.title(), style);
        }
        let visible = self.visible();
        let mut lines: Vec<(&Row, Option<usize>)> = Vec::new();
        let mut selected = 0;
        for (place, row) in visible.iter().enumerate() {
            if place == self.cursor {
                selected = lines.len();
            }
            lines.push((row, None));
            if self.with_shards {
                lines.extend((0..row.lines.len()).map(|shard| (*row, Some(shard))));
            }
        }
        let height = usize::from(body.height);
        // The selected kernel with its shards, if they fit; and no empty lines below the last one.
        let end = selected
            + 1
            + if self.with_shards { visible.get(self.cursor).map_or(0, |row| row.lines.len()) } else { 0 };
        let offset =
            self.offset.min(lines.len().saturating_sub(height)).max(end.saturating_sub(height)).min(selected);
        for ((row, shard), y) in lines[offset..].iter().zip(body.top()..body.bottom()) {
            let line = Rect { y, height: 1, ..body };
            let is_selected = self.selected.as_ref() == Some(&row.id) && shard.is_none();
            for place in &self.shown {
                let (text, style) = match shard {
                    None => cell(row, place),
                    Some(shard) => (shard_cell(&row.lines[*shard], *shard, place.column), DIM),
                };
                put_cell(buffer, line, place, &text, style);
            }
            if is_selected {
                put(buffer, Rect { width: 1, ..line }, ">", PLAIN);
                buffer.set_style(line, Modifier::REVERSED);
            }
        }
        if lines.is_empty() && body.height > 0 {
            let text = if self.rows.is_empty() {
                " no process of this user has kernels, as far as their files tell"
            } else {
                " the filter lets nothing through"
            };
            put(buffer, Rect { height: 1, ..body }, text, PLAIN);
        }
        self.offset = offset;
    }
}

/// The nth line of an area.
fn line(area: Rect, n: u16) -> Rect {
    Rect { y: area.y + n, height: 1, ..area }.intersection(area)
}

/// `1 process`, `2 processes`.
pub(super) fn several(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ if what.ends_with('s') => format!("{count} {what}es"),
        _ => format!("{count} {what}s"),
    }
}

/// Puts a text into a line, as much of it as fits.
pub(super) fn put(buffer: &mut Buffer, line: Rect, text: &str, style: Style) {
    let line = line.intersection(buffer.area);
    if !line.is_empty() {
        buffer.set_stringn(line.x, line.y, fit(text, line.width.into()), line.width.into(), style);
    }
}

/// Puts a text into a column.
fn put_cell(buffer: &mut Buffer, line: Rect, place: &Place, text: &str, style: Style) {
    let cell = Rect { x: line.x + place.x, width: place.width, ..line }.intersection(line);
    let width = usize::from(cell.width);
    match place.column.is_number() {
        true => put(buffer, cell, &format!("{:>width$}", fit(text, width)), style),
        false => put(buffer, cell, text, style),
    }
}

/// How a state looks. Its word says the same.
pub(super) fn style(state: State) -> Style {
    match state {
        State::Dead => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        State::Stalled | State::Left => Style::new().fg(Color::Yellow),
        State::Ended | State::None => DIM,
        State::Launched | State::Inactive | State::Active => PLAIN,
    }
}

fn cell(row: &Row, place: &Place) -> (String, Style) {
    let text = match place.column {
        Column::Pid => row.pid.to_string(),
        Column::Process => row.process.clone(),
        Column::Kernel => row.name.clone(),
        _ if row.id.kernel.is_none() && !matches!(place.column, Column::State | Column::Age) => String::new(),
        Column::Shards => count(row.shards as u64),
        Column::State => row.state.word().into(),
        Column::Done => count(row.done),
        Column::Rate => rate(row.rate),
        Column::Trend => bars(&row.rates, place.width.into()),
        Column::Latency => time(row.latency),
        Column::Pending => count(row.pending),
        Column::Dropped => count(row.dropped),
        Column::Out => count(row.out),
        Column::Age => row.age.map_or("-".into(), age),
        Column::Phase => row.phase.clone(),
    };
    let style = match place.column {
        Column::Phase if row.held.is_some() => style(State::Stalled),
        Column::Trend => Style::new().fg(Color::Cyan),
        _ => style(row.state),
    };
    (text, style)
}

/// A latency in at most 7 characters.
fn time(time: Option<Duration>) -> String {
    time.map_or("-".into(), |time| for_people(time).to_string())
}

/// What a shard's line says in a column of the table.
fn shard_cell(shard: &ShardLine, index: usize, column: Column) -> String {
    match column {
        Column::Kernel => format!("  shard {index}"),
        Column::State => shard.state.word().into(),
        Column::Done => count(shard.done),
        Column::Rate => rate(shard.rate),
        Column::Latency => time(shard.latency),
        Column::Pending => count(shard.pending),
        Column::Dropped => count(shard.dropped),
        Column::Out => count(shard.out),
        Column::Phase => shard.phase.clone(),
        Column::Pid | Column::Process | Column::Shards | Column::Trend | Column::Age => String::new(),
    }
}
