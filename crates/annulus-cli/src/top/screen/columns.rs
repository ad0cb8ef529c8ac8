//! The columns of the live table: what they are called, how wide they are, which ones a terminal has room for.

use std::cmp::Ordering;

use super::rows::Row;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Pid,
    Process,
    Kernel,
    Shards,
    State,
    Done,
    Rate,
    Trend,
    /// Only where latencies are asked for.
    Latency,
    Pending,
    Dropped,
    Out,
    Age,
    Phase,
}

/// Where a column lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) column: Column,
    pub(super) x: u16,
    pub(super) width: u16,
}

/// From left to right.
const ALL: [Column; 14] = [
    Column::Pid,
    Column::Process,
    Column::Kernel,
    Column::Shards,
    Column::State,
    Column::Done,
    Column::Rate,
    Column::Trend,
    Column::Latency,
    Column::Pending,
    Column::Dropped,
    Column::Out,
    Column::Age,
    Column::Phase,
];

/// Which one is left out first where there is no room for all. Those up to DONE fit into 80 columns.
const FIRST_OUT: [Column; 13] = [
    Column::Process,
    Column::Shards,
    Column::Age,
    Column::Out,
    Column::Done,
    Column::Dropped,
    Column::Trend,
    Column::Phase,
    Column::Pending,
    Column::Pid,
    Column::Rate,
    Column::Latency,
    Column::State,
];

impl Column {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Pid => "PID",
            Self::Process => "PROCESS",
            Self::Kernel => "KERNEL",
            Self::Shards => "SHARDS",
            Self::State => "STATE",
            Self::Done => "DONE",
            Self::Rate => "PER S",
            Self::Trend => "TREND",
            Self::Latency => "LATENCY",
            Self::Pending => "PENDING",
            Self::Dropped => "DROPPED",
            Self::Out => "OUT",
            Self::Age => "AGE",
            Self::Phase => "PHASE",
        }
    }

    /// The least width. Numbers take at most 5.
    fn least(self) -> u16 {
        match self {
            Self::Age => 4,
            Self::Done | Self::Out => 5,
            Self::Pid | Self::Shards | Self::Rate | Self::Trend => 6,
            Self::Latency | Self::Pending | Self::Dropped => 7,
            Self::State => 8,
            Self::Process | Self::Kernel | Self::Phase => 12,
        }
    }

    /// Whether rows can be sorted by it.
    pub(super) fn sorts(self) -> bool {
        self != Self::Trend
    }

    /// Whether it is written at the right.
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Self::Process | Self::Kernel | Self::State | Self::Trend | Self::Phase)
    }

    /// The order of two rows by this column: the smaller, or the worse one, first.
    pub(super) fn compare(self, a: &Row, b: &Row) -> Ordering {
        match self {
            // As they were found: the living first, the oldest first.
            Self::Pid | Self::Trend => a.order.cmp(&b.order),
            Self::Process => a.process.cmp(&b.process),
            Self::Kernel => a.name.cmp(&b.name),
            Self::Shards => a.shards.cmp(&b.shards),
            Self::State => a.state.cmp(&b.state),
            Self::Done => a.done.cmp(&b.done),
            Self::Rate => a.rate.unwrap_or(-1.0).total_cmp(&b.rate.unwrap_or(-1.0)),
            Self::Latency => a.latency.cmp(&b.latency),
            Self::Pending => a.pending.cmp(&b.pending),
            Self::Dropped => a.dropped.cmp(&b.dropped),
            Self::Out => a.out.cmp(&b.out),
            Self::Age => a.age.cmp(&b.age),
            Self::Phase => a.held.cmp(&b.held),
        }
    }

    /// Whether the largest comes first when somebody sorts by it.
    pub(super) fn largest_first(self) -> bool {
        !matches!(self, Self::Pid | Self::Process | Self::Kernel | Self::State)
    }
}

/// The next column that rows can be sorted by, among those that are shown.
pub(super) fn next(shown: &[Place], now: Column, forward: bool) -> Column {
    let mut columns: Vec<Column> =
        shown.iter().map(|place| place.column).filter(|column| column.sorts()).collect();
    if !forward {
        columns.reverse();
    }
    let at = columns.iter().position(|&column| column == now);
    match at {
        Some(at) => columns[(at + 1) % columns.len()],
        None => columns.first().copied().unwrap_or(now),
    }
}

/// Which columns a terminal has room for, and where. `kernel` is the longest name's width.
pub(super) fn places(width: u16, pid: u16, kernel: u16, with_latency: bool) -> Vec<Place> {
    let least = |column: Column| if column == Column::Pid { pid.max(3) } else { column.least() };
    let needed = |columns: &[Column]| -> u16 {
        // One for the marker of the selection, one between two columns.
        columns.iter().map(|&column| least(column) + 1).sum()
    };
    let mut columns = ALL.to_vec();
    columns.retain(|&column| with_latency || column != Column::Latency);
    for out in FIRST_OUT {
        if needed(&columns) <= width {
            break;
        }
        columns.retain(|&column| column != out);
    }
    let mut spare = width.saturating_sub(needed(&columns));
    let mut take = |most: u16| {
        let taken = most.min(spare);
        spare -= taken;
        taken
    };
    let name = take(kernel.clamp(12, 32) - 12);
    let phase = take(24);
    let trend = if columns.contains(&Column::Trend) { take(14) } else { 0 };
    let phase = phase + take(u16::MAX);
    let mut x = 1;
    let place = |column: Column| {
        let more = match column {
            Column::Kernel => name,
            Column::Trend => trend,
            Column::Phase => phase,
            _ => 0,
        };
        let place = Place { column, x, width: (least(column) + more).min(width.saturating_sub(x)) };
        x = x.saturating_add(place.width + 1).min(width);
        place
    };
    columns.into_iter().map(place).collect()
}
