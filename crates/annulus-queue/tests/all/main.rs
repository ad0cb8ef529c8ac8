//! The tests of the queues that need no process of their own. They are one program, since every further
//! program would compile and link the shared parts again.
#![cfg(not(loom))]

mod a_receive_timeout_is_no_shutdown;
mod batching;
mod bug_a_batch_hides_free_places;
mod bug_a_batch_is_published_message_by_message;
mod bug_a_forgotten_future_deafens_its_end;
mod bug_a_lossy_ring_of_any_capacity;
mod bug_a_panic_that_panics_ends_the_timer;
mod bug_a_peek_waits_for_itself;
mod bug_a_queue_is_closed_twice;
mod bug_a_sink_waits_for_itself;
mod bug_a_wake_up_ends_with_whoever_gets_it;
mod bug_batch_flushes_only_with_next_message;
mod bug_batching_errors_name_no_source;
mod bug_cas_stack_aba;
mod bug_dead_letters_allocate_for_any_number;
mod bug_enqueued_goes_down;
mod bug_eviction_waits_for_its_own_reservation;
mod bug_memory_usage_wraps;
mod bug_messages_are_never_dropped;
mod bug_one_message_wakes_two_sleepers;
mod cancel;
mod dead_letters;
mod depth_behind_a_sole_producer;
mod ends_stress;
mod forms;
mod front_model;
mod fuzz_operations;
mod memory_of_eight_queues_is_not_1_28_mb;
mod model;
mod o07_what_the_queues_depend_on;
mod options;
#[cfg(feature = "serde")]
mod options_serde;
mod panics;
mod policies;
mod policy_model;
mod policy_stress;
mod pool;
mod registry;
mod small_messages;
mod stack;
mod stress;
