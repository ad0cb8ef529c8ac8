//! The live table: looks and keys go in, frames come out.
//!
//! It reads no clock, no file and no terminal, so tests drive it as a user and a machine would.

mod columns;
mod detail;
mod draw;
mod rows;
#[cfg(test)]
mod tests;
mod text;

use annulus_observe::{Kernel, Process};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Sight, history::History};
use columns::{Column, Place};
use rows::{Id, Row};

/// Lines that a page is, when nothing was drawn yet.
const PAGE: usize = 10;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Table,
    /// The kernel that is selected.
    Detail,
}

/// What to do after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Draw.
    Draw,
    /// Draw everything, since something else may have written to the terminal.
    DrawAll,
    /// End.
    Quit,
}

/// The state of the screen.
pub(super) struct Screen {
    before: Option<Sight>,
    now: Option<Sight>,
    history: History,
    /// Those of the last look.
    rows: Vec<Row>,
    view: View,
    is_helping: bool,
    /// A line for each shard, too.
    with_shards: bool,
    /// Whether there is a column of latencies.
    with_latency: bool,
    is_paused: bool,
    sort: Column,
    is_reversed: bool,
    filter: String,
    /// Whether letters belong to the filter.
    is_typing: bool,
    selected: Option<Id>,
    /// Where the selected row was among those that are shown.
    cursor: usize,
    /// Lines of the table, and of the detail, above the first one that is shown.
    offset: usize,
    detail_offset: usize,
    /// Lines that were shown last.
    page: usize,
    /// Columns that were shown last.
    shown: Vec<Place>,
}

impl Screen {
    pub(super) fn new(with_shards: bool, with_latency: bool) -> Self {
        Self {
            before: None,
            now: None,
            history: History::default(),
            rows: Vec::new(),
            view: View::Table,
            is_helping: false,
            with_shards,
            with_latency,
            is_paused: false,
            sort: Column::Pid,
            is_reversed: false,
            filter: String::new(),
            is_typing: false,
            selected: None,
            cursor: 0,
            offset: 0,
            detail_offset: 0,
            page: PAGE,
            shown: Vec::new(),
        }
    }

    /// Whether it wants no looks.
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Takes in a look.
    pub(super) fn look(&mut self, sight: Sight) {
        self.history.look(&sight);
        self.rows = rows::rows(&sight, &self.history);
        self.before = self.now.replace(sight);
        self.settle();
    }

    /// Does what a key says.
    pub(super) fn key(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Next::Quit,
                KeyCode::Char('l') => return Next::DrawAll,
                KeyCode::Char('u') if self.is_typing => self.filter.clear(),
                _ => {}
            }
        } else if self.is_typing {
            self.type_filter(key.code);
        } else if self.is_helping {
            // Any key leaves it, also the one that ends the program elsewhere.
            self.is_helping = false;
        } else {
            match key.code {
                KeyCode::Char('q') => return Next::Quit,
                KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.is_helping = true,
                KeyCode::Char(' ') => self.is_paused = !self.is_paused,
                code if self.view == View::Detail => self.key_in_detail(code),
                code => self.key_in_table(code),
            }
        }
        self.settle();
        Next::Draw
    }

    fn type_filter(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(c) => self.filter.push(c),
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Esc => {
                self.is_typing = false;
                self.filter.clear();
            }
            _ => {}
        }
    }

    fn key_in_detail(&mut self, code: KeyCode) {
        let offset = &mut self.detail_offset;
        match code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Backspace => self.view = View::Table,
            // Drawing keeps it within what there is.
            KeyCode::Up | KeyCode::Char('k') => *offset = offset.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *offset = offset.saturating_add(1),
            KeyCode::PageUp => *offset = offset.saturating_sub(self.page),
            KeyCode::PageDown => *offset = offset.saturating_add(self.page),
            KeyCode::Home => *offset = 0,
            KeyCode::End => *offset = usize::MAX,
            _ => {}
        }
    }

    fn key_in_table(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Left | KeyCode::Char('<') => self.sort_by(columns::next(&self.shown, self.sort, false)),
            KeyCode::Right | KeyCode::Char('>') => self.sort_by(columns::next(&self.shown, self.sort, true)),
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('s') => self.with_shards = !self.with_shards,
            KeyCode::Up | KeyCode::Char('k') => self.select(self.cursor.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.select(self.cursor.saturating_add(1)),
            KeyCode::PageUp => self.select(self.cursor.saturating_sub(self.page)),
            KeyCode::PageDown => self.select(self.cursor.saturating_add(self.page)),
            KeyCode::Home => self.select(0),
            KeyCode::End => self.select(usize::MAX),
            KeyCode::Enter if self.selected.is_some() => {
                self.view = View::Detail;
                self.detail_offset = 0;
            }
            _ => {}
        }
    }

    fn sort_by(&mut self, column: Column) {
        self.sort = column;
        self.is_reversed = false;
    }

    /// The rows that the filter lets through, in their order.
    fn visible(&self) -> Vec<&Row> {
        let mut visible: Vec<&Row> = self.rows.iter().filter(|row| row.matches(&self.filter)).collect();
        let descending = self.sort.largest_first() != self.is_reversed;
        // Equal ones stay as they were found.
        visible.sort_by(|a, b| {
            let order = self.sort.compare(a, b);
            if descending { order.reverse() } else { order }
        });
        visible
    }

    /// Selects a row by its place, the last one if there are fewer.
    fn select(&mut self, place: usize) {
        let visible = self.visible();
        let place = place.min(visible.len().saturating_sub(1));
        let id = visible.get(place).map(|row| row.id.clone());
        (self.cursor, self.selected) = (place, id);
    }

    /// Keeps the selection on its kernel, or, if that has gone, at its place.
    fn settle(&mut self) {
        // Of a kernel that has gone, the detail says so.
        if self.view == View::Detail {
            return;
        }
        let visible = self.visible();
        match visible.iter().position(|row| Some(&row.id) == self.selected.as_ref()) {
            Some(place) => self.cursor = place,
            None => self.select(self.cursor),
        }
    }

    /// What is selected, in the last look and in the one before.
    fn selection(&self) -> Option<(&Process, Option<&Process>, Option<&Kernel>)> {
        let (now, id) = (self.now.as_ref()?, self.selected.as_ref()?);
        let process = now.processes.iter().find(|process| process.file == id.file)?;
        let earlier = self.before.as_ref().and_then(|before| now.earlier(process, before));
        match id.kernel {
            None => Some((process, earlier, None)),
            Some(id) => {
                let kernel = process.kernels.iter().find(|kernel| kernel.id == id)?;
                Some((process, earlier, Some(kernel)))
            }
        }
    }
}
