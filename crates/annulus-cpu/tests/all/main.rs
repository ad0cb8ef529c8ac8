//! The tests of the backend that need no process of their own: one program, since each program more compiles
//! and links what it shares with the others anew.
extern crate annulus_runtime as annulus;

mod batch_ignores_commands;
mod bug_dropped_shutdown_loses_undelivered;
mod bug_key_that_changes_its_mind;
mod bug_keyless_send_waits_for_one_shard;
mod bug_latencies_read_the_clock_per_message;
mod bug_panicking_default_keeps_the_name;
mod bug_panicking_waker_hangs_the_end;
mod bug_receivers_starve_a_shard;
mod bug_sleeps_beside_a_message_without_room;
mod failures_have_names;
mod m06_fairness;
mod p07_a_clock_moved_by_hand;
mod p09_every_length;
