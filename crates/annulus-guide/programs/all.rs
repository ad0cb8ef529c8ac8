// Never compiled: by this list rustfmt finds the programs.
#[path = "actors.rs"]
mod actors;
#[path = "addresses.rs"]
mod addresses;
#[path = "asks.rs"]
mod asks;
#[path = "barriers.rs"]
mod barriers;
#[path = "bridged.rs"]
mod bridged;
#[path = "calls.rs"]
mod calls;
#[path = "consumer.rs"]
mod consumer;
#[path = "coordinator.rs"]
mod coordinator;
#[path = "deployment.rs"]
mod deployment;
#[path = "failures.rs"]
mod failures;
#[path = "filter.rs"]
mod filter;
#[path = "getting_started.rs"]
mod getting_started;
#[path = "grid.rs"]
mod grid;
#[path = "holds.rs"]
mod holds;
#[path = "memory.rs"]
mod memory;
#[path = "messages.rs"]
mod messages;
#[path = "modes.rs"]
mod modes;
#[path = "order.rs"]
mod order;
#[path = "pipeline_calls.rs"]
mod pipeline_calls;
#[path = "queues.rs"]
mod queues;
#[path = "replies.rs"]
mod replies;
#[path = "search.rs"]
mod search;
#[path = "sending.rs"]
mod sending;
#[path = "stalled.rs"]
mod stalled;
#[path = "state.rs"]
mod state;
#[path = "telemetry.rs"]
mod telemetry;
#[path = "testing.rs"]
mod testing;
#[path = "timers.rs"]
mod timers;
#[path = "topics.rs"]
mod topics;
#[path = "traces.rs"]
mod traces;
#[path = "turns.rs"]
mod turns;
#[path = "upgrade.rs"]
mod upgrade;
#[path = "with_tokio.rs"]
mod with_tokio;
