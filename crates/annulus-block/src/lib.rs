#![doc = include_str!("../PROTOCOL.md")]

mod adaptive;
mod any;
mod asks;
mod at;
mod body;
mod clock;
mod command;
mod credit;
mod dead_letters;
mod events;
mod handle;
mod hold;
mod host;
mod idle;
mod links;
mod parted;
mod publish;
mod replied;
mod round;
mod rows;
mod runner;
mod stamped;
mod state;
mod telemetry;
mod through;
mod timers;
mod totals;
mod traced;
mod turn;

pub use clock::RuntimeClock;
pub use host::{
    Answered, AskedIn, Deliver, Delivery, Link, MessageFailure, NextLinks, Progress, Row, Signals,
};
pub use idle::finds_work;
pub use runner::Runner;
pub use state::{BlockState, Cells, Keys, StateMemory, TooManyStates};
pub use turn::{BlockCore, BlockParameters, Turn, scratch_bytes};

/// The block in C. It comes after the handler in a program. Its entry is [`ENTRY`].
pub const RUNTIME: &str = concat!(
    include_str!("../c/records.c"),
    "\n",
    include_str!("../c/slots.c"),
    "\n",
    include_str!("../c/at.c"),
    "\n",
    include_str!("../c/clock.c"),
    "\n",
    include_str!("../c/doorbell.c"),
    "\n",
    include_str!("../c/telemetry.c"),
    "\n",
    include_str!("../c/dead_letters.c"),
    "\n",
    include_str!("../c/prints.c"),
    "\n",
    include_str!("../c/sealed.c"),
    "\n",
    include_str!("../c/through.c"),
    "\n",
    include_str!("../c/traced.c"),
    "\n",
    include_str!("../c/stamped.c"),
    "\n",
    include_str!("../c/topics.c"),
    "\n",
    include_str!("../c/rows.c"),
    "\n",
    include_str!("../c/links.c"),
    "\n",
    include_str!("../c/seals.c"),
    "\n",
    include_str!("../c/books.c"),
    "\n",
    include_str!("../c/forward.c"),
    "\n",
    include_str!("../c/parted.c"),
    "\n",
    include_str!("../c/walk.c"),
    "\n",
    include_str!("../c/hold.c"),
    "\n",
    include_str!("../c/parcels.c"),
    "\n",
    include_str!("../c/any.c"),
    "\n",
    include_str!("../c/walk_together.c"),
    "\n",
    include_str!("../c/unlink.c"),
    "\n",
    include_str!("../c/command.c"),
    "\n",
    include_str!("../c/credit.c"),
    "\n",
    include_str!("../c/events.c"),
    "\n",
    include_str!("../c/timers.c"),
    "\n",
    include_str!("../c/asks.c"),
    "\n",
    include_str!("../c/round.c"),
    "\n",
    include_str!("../c/idle.c"),
    "\n",
    include_str!("../c/adaptive.c"),
    "\n",
    include_str!("../c/turn.c"),
    "\n",
    include_str!("../c/watch.c"),
    "\n",
    include_str!("../c/outcome.c"),
    "\n",
    include_str!("../c/scratch.c"),
    "\n",
    include_str!("../c/bring.c"),
    "\n",
    include_str!("../c/publish.c"),
    "\n",
    include_str!("../c/replied.c"),
    "\n",
    include_str!("../c/number.c"),
    "\n",
    include_str!("../c/actors.c"),
    "\n",
    include_str!("../c/handle.c"),
    "\n",
    include_str!("../c/body.c"),
    "\n",
    include_str!("../c/alone.c"),
    "\n",
    include_str!("../c/superstep.c"),
    "\n",
    include_str!("../c/entry.c"),
);

/// The name of the program's entry.
pub const ENTRY: &str = "ann_main";
