//! The list of cases.

/// Instantiates every case as a `#[test]`, for a subject: an expression that makes a
/// [`Subject`](crate::Subject).
///
/// Each case says what it needs of the backend.
#[macro_export]
macro_rules! conformance_suite {
    ($subject:expr) => {
        $crate::conformance_suite! { @modules $subject;
            lifecycle {
                r01_r04_launch_and_status: Nothing,
                r01_name_defaults_to_the_id: Nothing,
                r02_launch_inactive: Nothing,
                r02_repeated_transitions_say_already: Nothing,
                r02_inactive_keeps_state_and_messages: Handlers,
                transitions_race_with_sends: Handlers,
                terminations_race: Nothing,
                a_second_launch_under_a_name_is_refused: Nothing,
                a_refused_launch_takes_no_name: Nothing,
                an_unknown_kernel_lists_the_running: Nothing,
                r08_a_handle_by_name_and_type: Nothing,
                r03_relaunch_with_new_options: Nothing,
                r03_relaunch_begins_anew: Handlers,
                r14_a_hundred_kernels: Handlers,
                r14_a_hundred_busy_kernels: Handlers,
            }
            launching {
                a_ready_kernel_has_answered: Nothing,
                many_wait_until_a_kernel_is_ready: Nothing,
                messages_may_come_before: Handlers,
                kernels_in_step_get_ready: Nothing,
                a_launch_is_a_future: Nothing,
                launches_are_awaited_together: Handlers,
                a_dropped_launch_leaves_no_kernel: Nothing,
                a_launch_tells_of_its_program: Nothing,
                a_life_is_told: Handlers,
                an_early_end_is_told: Nothing,
                r06_a_kernel_with_a_black_box_runs_as_without: Handlers,
                r06_telemetry_by_the_kernels_name: Handlers,
                r12_m01_a_kernel_stays_until_it_is_terminated: Handlers,
                r13_the_control_block_says_where_the_queues_are: Handlers,
            }
            messages {
                launch_and_echo: Handlers,
                order_per_key_and_producer: Handlers,
                order_per_key_without_state: Handlers,
                receivers_share_the_replies: Handlers,
                a_reply_wakes_another_receiver: Handlers,
                the_modes_agree: Handlers,
                receive_in_batches: Handlers,
                outputs_are_a_stream: Handlers,
                outputs_of_no_bytes: Handlers,
                a_timeout_is_not_the_end: Nothing,
                the_end_wakes_receivers: Nothing,
                a_cancelled_send_loses_nothing: Handlers,
                a_cancelled_receive_loses_nothing: Handlers,
                closing_ends_waiting_sends: Nothing,
            }
            verbs {
                q14_a_batch_is_tried: Nothing,
                q15_a_batch_is_refused: Nothing,
                a_batch_is_sent_in_time_or_in_part: Nothing,
                a_batch_waits_for_space: Handlers,
                batches_are_received: Handlers,
                a_batch_is_waited_for: Handlers,
                a_dropped_receive_of_a_batch_loses_nothing: Handlers,
                messages_go_into_a_sink: Handlers,
                a_sink_waits_for_space: Handlers,
                a_dropped_sink_keeps_nobody_waiting: Handlers,
                a_drain_blocks: Handlers,
                a_drain_takes_its_time_at_most: Nothing,
                a_ready_kernel_is_waited_for_in_time: Nothing,
                a_runtimes_shutdown_is_a_future: Handlers,
                a_runtimes_shutdown_goes_on_without_its_future: Nothing,
            }
            together {
                b08_a_tree_adds_up: Handlers,
                b08_a_reduction_has_one_order: Handlers,
                x02_a_block_shares_a_hundred_kib: Handlers,
                b06_actors_of_whole_blocks: Handlers,
                b06_rounds_by_the_blocks_threads: Handlers,
                b06_a_torn_block_fails_and_goes_on: Handlers,
                b06_a_block_keeps_a_slice: Handlers,
                b06_what_a_block_keeps_is_in_a_snapshot: Handlers,
                b06_a_slice_is_one_block_s: Handlers,
            }
            bodies {
                w14_a_body_takes_each_message_once: Handlers,
                w14_what_a_body_leaves_comes_again: Handlers,
                w14_a_body_may_wait_for_more: Handlers,
                w14_a_body_has_barriers: Handlers,
                w14_a_body_that_fails_fails_what_it_took: Handlers,
                w14_a_body_that_takes_nothing_and_fails_goes_on: Handlers,
                w14_a_body_ends_its_kernel: Handlers,
                w14_what_bodies_do_not_have_is_refused: Nothing,
                w14_a_body_waits_for_room: Handlers,
            }
            order {
                b02_a_reply_carries_what_came_before: Handlers,
                b02_fences_carry_what_a_reply_does_not: Handlers,
                b03_a_fence_forbids_store_buffering: Handlers,
                b03_a_fence_for_the_system_forbids_it_too: Handlers,
                b03_fences_on_both_sides_pass_a_value: Handlers,
                b03_fences_forbid_load_buffering: Handlers,
                b03_readers_with_fences_agree: Handlers,
                b03_one_word_is_coherent: Handlers,
                b04_sequential_forbids_store_buffering_between_handlers: Handlers,
            }
            warps {
                x02_b07_b08_threads_of_a_warp_exchange: Handlers,
                b06_a_torn_warp_fails_and_goes_on: Handlers,
            }
            state {
                actors_have_states_of_their_own: Handlers,
                a_kernel_has_one_state: Handlers,
                one_state_needs_one_block: Nothing,
                instances_share_no_state: Handlers,
                instances_of_several_grids: Handlers,
                parameters_tables_and_shared_counters: Handlers,
                memory_of_the_kernel: Handlers,
                an_unknown_actor_is_counted: Handlers,
            }
            backpressure {
                q14_block_refuses_without_waiting: Nothing,
                q14_block_waits_for_space: Handlers,
                q15_reject: Nothing,
                q15_reject_then_drain: Handlers,
                q15_batches_find_the_room_there_is: Handlers,
                q17_drop_new: Nothing,
                q17_drop_new_then_drain: Handlers,
                q16_drop_oldest: Nothing,
                q16_drop_oldest_then_drain: Handlers,
                counts_are_exact_under_every_strategy: Handlers,
            }
            policies {
                q20_deduplication_needs_an_id: Nothing,
                q18_the_attribute_says_it_all: Nothing,
                q19_a_payload_is_recognised: Handlers,
                q21_duplicates_meet: Handlers,
                q21_a_refused_send_leaves_its_id_free: Handlers,
                q25_the_most_urgent_is_next: Handlers,
                q28_the_least_urgent_leaves: Nothing,
                q26_what_has_expired_is_a_dead_letter: Handlers,
                q26_what_is_handled_in_time_does_not_expire: Handlers,
                q26_expiry_ends_a_drain: Handlers,
                q26_a_drain_waits_for_what_has_expired: Handlers,
                a_dead_letter_is_sent_again_under_deduplication: Handlers,
                a_call_ends_with_its_message: Handlers,
                a_duplicate_leaves_the_space_to_others: Handlers,
                closing_is_final_under_every_policy: Handlers,
                what_is_left_comes_back_in_order: Nothing,
                actors_under_every_policy: Handlers,
                telemetry_tells_drops_by_cause: Nothing,
                q28_counts_are_exact_under_load: Handlers,
                terminations_race_under_every_policy: Handlers,
            }
            policy_model {
                q28_every_combination_against_a_model: Handlers,
                q28_every_combination_of_bridged_messages: Bridged,
            }
            bridged {
                w10_every_length_arrives: Bridged,
                w10_what_is_too_large_says_so: Bridged,
                w10_what_is_too_large_ends_a_batch_for_several_blocks: Bridged,
                w06_many_threads_and_blocks: Bridged,
                w06_batches_of_every_size: Bridged,
                q04_policies_read_what_the_message_says: Bridged,
                n09_a_direct_reply_to_a_bridged_call: Bridged,
                actors_read_notes: Bridged,
                e03_a_failed_bridged_message_is_a_dead_letter: Bridged,
                e03_large_dead_letters_are_sent_again_in_portions: Bridged,
                what_is_left_comes_back_whole: Bridged,
                what_has_expired_comes_back_whole: Bridged,
                sends_wait_for_space: Bridged,
            }
            queues {
                q31_a_handler_knows_the_queue: Handlers,
                q31_actors_of_several_queues: Handlers,
                q39_sixteen_queues_and_no_more: Nothing,
                q31_ranks_and_weights_decide: Handlers,
                q32_each_queue_has_its_own_policies: Nothing,
                q34_peek_clear_and_flush: Nothing,
                q34_a_flush_ends: Handlers,
                q34_a_queue_says_what_it_is: Nothing,
                q33_queues_end_with_their_kernel: Nothing,
                w02_a_queue_has_every_verb: Handlers,
                q31_full_queues_keep_no_sender: Handlers,
                q31_counts_are_exact_under_load: Handlers,
                q12_presets_are_launched: Nothing,
            }
            bridges {
                q32_a_runtime_has_queues: Nothing,
                w09_a_chain_of_queues_and_kernels: Handlers,
                a_bridge_waits_and_hands_back: Nothing,
                q33_a_queue_outlives_its_kernel: Nothing,
                a_bridge_counts_drops_by_cause: Nothing,
                d04_a_batch_is_full_or_late: Nothing,
                bridges_share_queues: Handlers,
                a_bridge_keeps_no_kernel: Nothing,
                q33_a_closed_target_ends_its_bridge: Handlers,
            }
            upstream {
                d03_drained_looks_over_bridges: Handlers,
                d03_drained_waits_for_an_inactive_source: Handlers,
                d03_drained_in_a_cycle_over_bridges: Handlers,
                d03_drained_by_one_of_several_outboxes: Handlers,
                d03_drained_beside_another_receiver: Handlers,
                o02_a_shutdown_goes_over_bridges: Handlers,
            }
            carried {
                d03_a_bridge_leads_to_another_runtime: Handlers,
                d03_a_full_target_is_waited_for_by_name: Handlers,
                d03_rejected_outputs_are_counted: Handlers,
                d02_each_output_goes_to_all: Handlers,
                d03_bridges_share_outputs: Handlers,
                d03_each_output_goes_to_any: Handlers,
                d03_outboxes_and_variants: Handlers,
                d03_an_outbox_has_every_form: Handlers,
                d03_policies_of_the_target_hold: Handlers,
                d03_a_target_that_ends_hands_back: Handlers,
                d03_a_cycle_over_two_runtimes: Handlers,
                d03_a_full_cycle_over_bridges_is_shown: Handlers,
                d03_a_trace_crosses_a_bridge: Handlers,
                d03_alerts_may_ask_for_the_status: Handlers,
                d03_a_busy_bridge_can_be_stopped: Handlers,
                d03_what_cannot_be_bridged: Nothing,
            }
            groups {
                m10_actors_are_shared_out: Handlers,
                m10_messages_go_where_fewest_wait: Handlers,
                m10_a_full_member_is_passed_over: Handlers,
                m10_all_members_have_their_part: Handlers,
                m10_a_bridge_leads_to_a_group: Handlers,
                m10_sparse_keys_are_spread: Handlers,
                m10_keys_without_state_are_spread: Handlers,
                m10_duplicates_meet: Handlers,
                d02_collectives_of_messages: Handlers,
                d02_all_reduce: Handlers,
                d02_all_reduce_of_sparse_keys: Handlers,
                d02_changes_take_turns: Handlers,
                d02_members_that_differ: Nothing,
            }
            slots {
                messages_of_every_length: Handlers,
                rows_of_large_messages: Handlers,
            }
            modes {
                m02_event_driven_leaves_and_comes_back: Handlers,
                m02_an_event_brings_it_back: Handlers,
                m02_event_driven_kernels_are_connected: Handlers,
                m03_continuous_takes_one: Handlers,
                m04_a_batch_takes_up_to_the_cap: Handlers,
                m05_adaptive_follows_the_depth: Handlers,
                m06_the_cap_holds_in_every_mode: Handlers,
                m06_a_flood_starves_nobody: Handlers,
                turns_are_counted_if_asked_for: Handlers,
            }
            metrics {
                r05_rates_of_a_window: Handlers,
                r05_utilization: Nothing,
                r05_average_latency: Handlers,
                r05_t13_samples: Handlers,
                r05_q37_memory_is_the_sum_of_its_parts: Handlers,
                r05_q37_twice_the_actors_take_twice_the_memory: Handlers,
                r05_q37_queues_in_front_count: Handlers,
            }
            queue_model {
                q31_several_queues_against_a_model: Handlers,
            }
            failures {
                an_error_is_rolled_back: Handlers,
                a_panic_is_contained: Panics,
                a_bad_index_is_contained: Panics,
                a_division_by_zero_is_contained: Panics,
                too_many_outputs_fail: Handlers,
                many_outputs_through_a_small_ring: Handlers,
                a_call_takes_the_first_of_many_outputs: Handlers,
            }
            snapshots {
                states_by_key_whatever_the_grid: Handlers,
                a_restored_kernel_goes_on_from_there: Handlers,
                one_state_and_bound_memory: Handlers,
                an_active_kernel_has_no_snapshot: Nothing,
                what_does_not_fit_is_refused: Handlers,
                the_end_can_be_read: Handlers,
                snapshots_race_with_activation: Handlers,
            }
            dead_letters {
                e03_a_failed_message_is_a_dead_letter: Handlers,
                e03_a_dead_letter_is_sent_again: Handlers,
                e03_an_alert_is_told_of_each_dead_letter: Handlers,
                e03_a_status_collects_and_tells_nobody: Handlers,
                e03_as_many_are_kept_as_were_asked_for: Handlers,
                e03_all_that_are_kept_are_sent_again: Handlers,
                e03_what_is_invalid_is_not_sent_again: Handlers,
                a_drained_kernel_has_its_dead_letters_collected: Handlers,
                dead_letters_of_unknown_actors_are_invalid: Handlers,
                dead_letters_are_kept_or_counted: Handlers,
                a_terminated_kernel_leaves_its_dead_letters: Handlers,
                no_dead_letters_unless_asked_for: Handlers,
            }
            stalls {
                unread_replies_stall_the_kernel: Handlers,
                q36_w16_each_ring_has_its_capacity: Handlers,
                a_busy_block_stalls_as_well: Handlers,
                a_stalled_kernel_obeys: Handlers,
                a_stalled_kernel_terminates: Handlers,
                a_call_passes_unread_outputs: Handlers,
                a_call_without_an_output_passes_unread_outputs: Handlers,
                a_call_waits_behind_a_stalled_message: Handlers,
                further_outputs_of_a_call_need_room: Handlers,
                outputs_pass_unread_replies: Handlers,
                replies_that_nobody_wants_stall_nobody: Handlers,
                the_end_leaves_replies: Handlers,
                the_end_ends_calls_behind_a_full_ring: Handlers,
                a_cycle_of_kernels_goes_round: Handlers,
                a_full_cycle_can_be_terminated: Handlers,
                a_send_that_waits_says_for_what: Handlers,
            }
            traces {
                a_trace_goes_through_three_kernels_and_back: Handlers,
                so_many_are_followed_as_were_asked_for: Handlers,
                queues_in_front_keep_the_trace: Handlers,
                calls_are_followed: Handlers,
                failures_are_told_with_their_code: Handlers,
                a_full_ring_loses_records_and_counts_them: Handlers,
                a_kernel_without_tracing_ends_the_trace: Handlers,
                all_kinds_of_blocks_tell: Handlers,
                a_message_to_itself_is_not_followed: Handlers,
                a_received_message_is_gone_on_with: Handlers,
                receipts_are_of_what_was_given: Handlers,
                refused_sends_use_up_nothing: Handlers,
                discarded_sends_use_up_nothing: Handlers,
            }
            stamps {
                k08_effects_after_causes: Handlers,
                k08_stamps_rise_per_block: Handlers,
                k08_host_goes_between_kernels: Handlers,
                k08_calls_through_pipelines: Handlers,
                k08_timers_carry_stamps: Handlers,
                k08_asks_carry_stamps: Handlers,
                k08_topics_carry_stamps: Handlers,
                k08_a_kernel_without_stamps_gives_none: Handlers,
                k08_bodies_refuse_stamps: Nothing,
            }
            undelivered {
                termination_hands_back: Nothing,
                a_closed_kernel_refuses: Nothing,
                what_was_sent_before_closing_is_handled: Handlers,
                termination_races_with_sends: Handlers,
            }
            shutdown {
                o02_a_shutdown_drains: Handlers,
                a_shutdown_is_a_future: Handlers,
                a_shutdown_goes_on_without_its_future: Nothing,
                o02_an_inactive_kernel_does_not_drain: Nothing,
                o02_a_deadline_returns_what_is_left: Handlers,
                o02_what_was_shut_down_is_disposed_of: Handlers,
                a_second_shutdown_finds_it_done: Nothing,
                a_shutdown_that_was_overtaken_says_so: Handlers,
                shutdowns_race: Handlers,
                a_runtime_shuts_all_down: Handlers,
            }
            dropping {
                a_handle_is_dropped_in_any_state: Nothing,
                a_stalled_kernel_is_dropped: Handlers,
                the_runtime_is_dropped_first: Handlers,
                a_runtime_ends_with_its_last_handle: Nothing,
                a_control_outlives_its_kernel: Nothing,
                handles_are_dropped_by_many: Nothing,
            }
            callbacks {
                a_waker_goes_through_the_lifecycle: Nothing,
                a_waker_reads_and_sets_the_state: Handlers,
                a_waker_reads_the_states_of_all_blocks: Handlers,
                a_waker_changes_the_link: Handlers,
                a_waker_drops_the_last_handle: Handlers,
                an_alert_asks_for_dead_letters: Handlers,
                a_subscriber_calls_back: Handlers,
                what_a_panic_carries_ends_nothing: Handlers,
            }
            calls {
                replies_reach_their_callers: Handlers,
                d07_ten_threads_with_a_hundred_calls_each: Handlers,
                callers_need_no_receiver: Handlers,
                calls_wait_in_front: Handlers,
                a_call_without_a_reply: Handlers,
                a_call_that_fails: Handlers,
                termination_ends_calls: Nothing,
                calls_race_with_termination: Handlers,
                dropped_calls_harm_nobody: Handlers,
                calls_under_pressure: Nothing,
                calls_can_be_off: Nothing,
            }
            telemetry {
                t04_counts_are_exact: Handlers,
                t05_an_error_is_unhealthy: Handlers,
                t05_a_stall_is_unhealthy: Handlers,
                t05_what_comes_meanwhile_is_seen: Handlers,
                t10_polls_are_never_torn: Handlers,
                t10_polling_needs_no_kernel: Nothing,
                t11_enabled_lazily: Handlers,
                t11_averages_begin_when_enabled: Handlers,
                t11_enabling_races: Handlers,
                t11_lines_can_run_out: ManyBlocks,
                t12_reset: Handlers,
                t15_the_histogram_counts_every_message: Handlers,
            }
            replacing {
                a_member_is_replaced_while_the_others_send: Handlers,
                a_refused_replacement_changes_nothing: Handlers,
            }
            through {
                p02_calls_through_three: Handlers,
                p02_filtered_is_no_reply: Handlers,
                p02_failures_come_with_their_code: Handlers,
                p02_many_callers: Handlers,
                p02_lost_calls_end: Handlers,
                p02_what_an_ended_kernel_has_not_read_ends: Handlers,
                p02_calls_race_with_the_ends_of_kernels: Handlers,
                p02_given_up_calls_give_their_places_back: Handlers,
                p02_given_up_calls_that_have_ended_pin_nothing: Handlers,
                p02_places_go_to_callers_that_have_use_for_them: Handlers,
                p02_what_is_no_pipeline: Nothing,
            }
            asks {
                p02_answers_find_their_actor: Handlers,
                p02_a_reply_answers_an_ask: Handlers,
                p02_an_ask_among_other_outputs: Handlers,
                p02_an_ask_of_nobody_is_lost: Handlers,
                p02_an_answer_that_comes_too_late: Handlers,
                p02_each_ask_ends_when_the_asked_kernel_does: Handlers,
                p02_both_full_still_answer: Handlers,
                p02_who_may_be_asked: Handlers,
                p02_a_held_query_goes_to_no_other_kernel: Handlers,
                p02_queries_in_a_long_hold_go_to_no_other_kernel: Handlers,
                p02_pairs_share_no_room: Handlers,
                p02_who_asks_leaves_no_places: Handlers,
                p02_an_answer_that_comes_last_is_told: Handlers,
                o01_answers_that_do_not_come: Handlers,
                p02_asks_end_though_the_asked_kernel_is_gone: Handlers,
                p02_drained_waits_for_asks: Handlers,
                p02_a_shutdown_answers_all_asks: Handlers,
                p02_asks_race_with_the_end_of_the_asked: Handlers,
                p03_scatter_and_gather: Handlers,
            }
            replied {
                p02_answered_from_the_middle: Handlers,
                p02_a_reply_among_other_outputs: Handlers,
                p02_neither_a_reply_nor_an_output: Handlers,
                p02_a_last_kernel_replies: Handlers,
                p02_a_reply_to_a_direct_call: Handlers,
                p02_many_callers_get_their_replies: Handlers,
                p02_a_reply_waits_for_no_output: Handlers,
                p02_replies_race_with_the_ends_of_kernels: Handlers,
                p02_what_is_no_reply: Nothing,
            }
            resilience {
                e01_attempts_within_a_handler: Handlers,
                e02_a_breaker_within_a_handler: Handlers,
                e05_a_supervised_kernel_that_works: Handlers,
            }
            events {
                p07_ticks_come_by_their_period: Handlers,
                p07_the_start_comes_first: Handlers,
                p07_the_start_comes_before_other_kernels: Handlers,
                p07_a_failing_tick_goes_on: Handlers,
                p07_ticks_and_full_timers: Handlers,
                p07_an_inactive_kernel_misses_ticks: Handlers,
                p07_ticks_of_connected_kernels: Handlers,
                p07_a_full_receiver_misses_ticks: Handlers,
                p07_ticks_are_messages_and_not_in_step: Handlers,
                p07_the_stop_comes_last: Handlers,
                p07_an_inactive_kernel_has_no_stop: Handlers,
                p07_a_failing_stop_ends: Handlers,
                p07_a_stop_without_room_is_lost: Handlers,
                p07_a_stop_of_a_connected_kernel: Handlers,
                p07_a_stop_at_a_full_kernel: Handlers,
            }
            timer_links {
                p07_a_timers_outputs_go_to_the_connected_kernel: Handlers,
                p07_timers_and_messages_of_kernels_take_turns: Handlers,
                p07_drained_does_not_wait_for_timers: Handlers,
                p07_drained_goes_on_when_a_timer_has_found_room: Handlers,
                p07_a_held_timer_at_the_end: Handlers,
                p07_timers_go_on_while_the_hold_has_room: Handlers,
                p07_a_timers_outputs_by_two_outboxes: Handlers,
            }
            timers {
                p07_timers_come_in_the_order_of_their_times: Handlers,
                p07_a_kernel_that_sleeps_wakes_for_its_timer: Handlers,
                p07_full_timers_fail_the_message_and_are_lost_at_the_end: Handlers,
                p07_a_failed_handler_sets_nothing: Handlers,
                p07_timers_and_messages_take_turns: Handlers,
                p07_an_inactive_kernel_keeps_its_timers: Handlers,
                p07_a_timer_is_for_its_own_block: Handlers,
                p07_timers_are_not_in_step: Nothing,
            }
            times {
                m07_a_handlers_time_is_the_hosts: Handlers,
                m07_the_launch_and_the_whole_execution_have_times: Handlers,
                w13_a_turn_has_one_time: Handlers,
                w13_an_actor_keeps_its_time: Handlers,
            }
            waking {
                ping_pong_without_spinning: Handlers,
                ping_pong_at_the_edge_of_sleep: Handlers,
                ping_pong_with_pauses: Handlers,
                many_play_ping_pong: Handlers,
                many_kernels_wake_and_sleep: Handlers,
                senders_wait_for_space: Handlers,
                a_staged_message_wakes_the_block: Handlers,
                drains_end: Handlers,
            }
            prints {
                a_text_is_what_rust_makes_of_it: Handlers,
                functions_print: Handlers,
                a_handler_that_fails_has_printed: Panics,
                an_actors_prints_are_in_order: Handlers,
                a_print_is_shown_by_itself: Handlers,
                lost_prints_are_counted: Handlers,
                a_kernel_that_prints_nothing_is_quiet: Handlers,
            }
            links {
                k01_outputs_become_messages: Handlers,
                k01_launched_into_another: Handlers,
                k01_order_per_key_and_producer: Handlers,
                k01_many_send_to_one: Handlers,
                k01_replies_go_to_their_callers: Handlers,
                k01_failing_handlers_send_nothing: Handlers,
                k01_what_cannot_be_connected: Nothing,
                k01_a_connected_kernel_is_restored: Handlers,
                k01_telemetry_counts_kernels_messages: Handlers,
                k01_a_link_to_fewer_blocks: Handlers,
                k01_any_number_is_drained: Handlers,
                k01_kernels_in_step_are_connected: Handlers,
            }
            link_ends {
                k01_a_full_target_stalls_its_source: Handlers,
                k01_reject_counts_what_is_lost: Handlers,
                k01_messages_wait_for_an_inactive_target: Handlers,
                k01_outputs_for_a_terminated_target_are_counted: Handlers,
                k01_the_end_of_a_full_target_frees_its_source: Handlers,
                k01_a_stalled_source_is_terminated: Handlers,
                k01_ends_race_with_outputs: Handlers,
                k01_a_closed_target_takes_from_kernels: Handlers,
                k01_disconnected_outputs_go_to_the_host: Handlers,
                k01_held_outputs_follow_the_link: Handlers,
                k01_links_change_under_load: Handlers,
                k01_a_link_keeps_no_kernel: Nothing,
            }
            pipelines {
                k01_a_chain_of_many: Handlers,
                k01_ping_pong: Handlers,
                k01_a_kernel_that_sends_to_itself: Handlers,
                k01_a_full_cycle_can_be_terminated: Handlers,
                p04_validate_transform_aggregate: Handlers,
                p04_a_drained_pipeline_is_empty: Handlers,
                p04_an_inactive_source_is_waited_for: Handlers,
                p04_a_cycle_is_shut_down: Handlers,
                p04_a_runtime_shuts_a_pipeline_down: Handlers,
            }
            ports {
                p04_each_port_in_order: Handlers,
                p04_each_port_has_its_own_bound: Handlers,
                p04_an_unread_port_stalls_and_loses_nothing: Handlers,
                p04_ports_outlive_their_kernel: Handlers,
                p04_who_receives_by_no_port_gets_all_in_order: Handlers,
                p04_receivers_of_a_kernel_beside_those_of_its_ports: Handlers,
                p04_a_look_gives_no_room: Handlers,
                p04_batches_of_a_port_beside_a_full_one: Handlers,
                p04_the_stream_of_a_port_ends_with_its_kernel: Handlers,
                p04_batch_and_single_receivers_of_a_port: Handlers,
                p04_ports_of_whole_blocks: Handlers,
            }
            port_links {
                p04_one_port_to_a_kernel_and_the_others_to_the_host: Handlers,
                p04_a_full_target_stalls_and_loses_nothing: Handlers,
                p04_a_port_under_reject_loses_for_itself_alone: Handlers,
                p04_held_outputs_follow_their_port: Handlers,
                p04_two_ports_to_two_kernels: Handlers,
                p04_a_full_target_holds_back_its_own_port: Handlers,
                p04_ports_that_hold_part_one_by_one: Handlers,
                p04_a_source_of_two_ends: Handlers,
                p04_two_ports_to_one_kernel: Handlers,
                p04_what_of_ports_cannot_be_connected: Nothing,
            }
            holds {
                p04_one_full_port_stalls_its_block_only_when_the_hold_is_full: Handlers,
                p04_a_long_hold_keeps_order_and_counts: Handlers,
                p04_what_is_held_is_not_drained: Handlers,
                p04_a_long_hold_parts_and_ends: Handlers,
                p04_the_receiver_of_a_long_hold_ends: Handlers,
                k01_a_long_hold_by_addresses: Handlers,
                k05_a_long_hold_by_topics: Handlers,
                k01_a_cycle_with_long_holds_names_its_kernels: Handlers,
                p04_what_of_a_hold_is_refused: Nothing,
            }
            variants {
                k01_variants_take_their_types: Handlers,
                k01_keys_of_inner_messages: Handlers,
                k01_variants_of_several_outboxes: Handlers,
                k01_variants_wait_and_are_lost: Handlers,
                k01_variants_are_said_at_launch: Handlers,
            }
            peers {
                k01_peers_reach_whom_they_name: Handlers,
                k01_peers_wait_for_their_own_kernel: Handlers,
                k01_peers_of_the_dead_are_counted: Handlers,
                k01_peers_forged_are_refused: Handlers,
                k01_peers_of_variants_and_tables: Handlers,
            }
            any {
                k01_any_takes_turns: Handlers,
                k01_any_under_load: Handlers,
                k01_any_passes_over_who_has_no_room: Handlers,
                k01_any_passes_over_the_dead: Handlers,
                k01_any_waits_until_one_has_room: Handlers,
                k01_any_is_lost_under_reject: Handlers,
                k01_any_takes_what_room_there_is: Handlers,
                k01_any_goes_to_the_host_as_it_is: Handlers,
                k01_any_of_variants: Handlers,
                k01_any_waits_in_a_cycle: Handlers,
                k01_any_in_a_call_is_the_reply: Handlers,
            }
            barriers {
                k06_generation: Handlers,
                k06_limit_names_who_is_missing: Handlers,
                k06_members_leave: Handlers,
                k06_arrivals_equal_a_model: Handlers,
                k06_ends: Handlers,
                k06_why_names_who_has_not_come: Handlers,
                k06_what_is_refused: Nothing,
            }
            topics {
                k05_topics_reach_all_who_take_them: Handlers,
                k05_topics_change_while_all_runs: Handlers,
                k05_topics_wait_for_their_own_kernel: Handlers,
                k05_topics_of_the_disconnected_and_the_dead: Handlers,
                k07_tables_of_topics_have_room_for_what_was_asked: Handlers,
                k07_host_listens: Handlers,
                k07_host_listens_beside_a_full_kernel: Handlers,
                k07_host_hears_once: Handlers,
                k05_topics_as_constants: Handlers,
            }
            rows {
                k05_rows_reach_each_neighbour: Handlers,
                k05_rows_with_edge_values: Handlers,
                k05_rows_into_variants: Handlers,
                k05_rows_of_high_degree_wait_without_loss: Handlers,
                k05_rows_rejected_alone: Handlers,
                k05_rows_out_of_bounds_are_counted: Handlers,
                k05_rows_disconnected_half_way: Handlers,
                k05_rows_of_a_kernel_to_itself: Handlers,
                k05_rows_with_a_long_hold: Handlers,
                k05_rows_that_wait_do_not_stop_their_kernel: Handlers,
                k05_rows_to_itself_through_a_small_ring: Handlers,
                k05_a_hold_of_rows_that_is_full_is_a_cycle: Handlers,
                k05_a_hold_for_each_actor_is_enough: Handlers,
            }
            held_rows {
                k05_calls_to_a_kernel_that_holds_rows: Handlers,
                k05_timers_of_a_kernel_that_holds_rows: Handlers,
            }
            routes {
                k01_k05_random_routes_equal_a_model: Handlers,
                k01_k05_faults_in_the_model_are_found: Handlers,
            }
            soak {
                k05_everything_is_accounted_for_in_a_soak: Handlers,
                k05_a_soak_notices_one_lost_message: Handlers,
            }
            cycles {
                k01_a_cycle_names_its_kernels: Handlers,
                k01_a_cycle_is_told_unasked: Handlers,
                k01_a_kernel_that_waits_for_itself: Handlers,
                k01_a_kernel_that_waits_for_a_cycle: Handlers,
                k01_a_wait_ends_with_its_cause: Handlers,
                k01_a_cycle_that_goes_round_is_none: Handlers,
            }
            steps {
                b06_blocks_take_their_turns_together: Handlers,
                b06_blocks_of_a_warp_do_too: Handlers,
                b06_batches_do_too: Handlers,
                b06_rounds_that_the_host_begins_do_not_mix: Handlers,
                b06_uneven_load: Handlers,
                b06_one_block: Handlers,
                b06_a_message_after_a_long_rest: Handlers,
                b06_a_block_without_room_stops_no_other: Handlers,
                b06_transitions: Nothing,
                b06_transitions_race_with_sends: Handlers,
                b06_the_end_comes_at_any_time: Handlers,
                b06_a_shutdown_drains: Handlers,
                b06_a_handle_is_dropped: Handlers,
                b06_kernels_in_step_and_others: Handlers,
            }
            rounds {
                k04_sent_in_one_handled_in_the_next: Handlers,
                k04_blocks_of_a_warp_go_in_rounds: Handlers,
                k04_the_host_sends_at_any_time: Handlers,
                k04_a_round_goes_on_after_a_pause: Handlers,
                k04_a_round_waits_for_room: Handlers,
                k04_what_waits_for_a_round_launches_nothing: Handlers,
                k04_rounds_equal_a_plain_search: Handlers,
                k04_calls_are_of_a_round: Handlers,
                k04_the_end_comes_at_any_time: Handlers,
                k04_a_shutdown_ends_all_rounds: Handlers,
                k04_a_round_that_does_not_fit_names_its_kernel: Handlers,
            }
            sparse {
                any_key_is_found_again: Handlers,
                w15_a_dictionary_that_is_awaited: Handlers,
                many_threads_find_their_actors: Handlers,
                sparse_equals_dense: Handlers,
                keys_beyond_the_room_are_refused: Handlers,
                blocks_of_a_warp_refuse_them_too: Handlers,
                each_block_has_its_own_room: Handlers,
                the_table_equals_a_model: Handlers,
                a_snapshot_brings_its_keys: Handlers,
                a_failed_first_message_leaves_an_initial_state: Handlers,
                kernels_send_to_any_key: Handlers,
                kernels_of_many_threads_send_to_any_key: Handlers,
                without_state_by_key_there_is_nothing_to_find: Handlers,
                unused_actors_give_way: Handlers,
                a_crowd_of_keys: Handlers,
                a_crowd_of_keys_by_many_threads: Handlers,
                a_turn_with_more_keys_than_places: Handlers,
                states_without_bytes: Handlers,
            }
            ends {
                an_actor_that_has_ended_begins_anew: Handlers,
                actors_of_many_threads_begin_anew: Handlers,
                ended_actors_give_their_places_back: Handlers,
                those_of_many_threads_too: Handlers,
                some_end_and_others_give_way: Handlers,
                a_snapshot_has_no_ended_actors: Handlers,
                a_kernel_without_keys_begins_anew: Handlers,
            }
            balance {
                k_03_a_deep_queue_is_evened_out: Handlers,
                k_03_exactly_one_and_a_half_is_not_too_deep: Handlers,
                k_03_a_single_job_stays: Handlers,
                k_03_without_the_rule_nothing_is_moved: Handlers,
                k_03_jobs_are_moved_while_all_work: Handlers,
                k_03_what_finds_no_room_comes_back: Handlers,
                k_03_places_are_kept_for_what_may_come_back: Handlers,
            }
            load {
                ten_million_messages: Handlers,
                q15_a_million_under_reject: Handlers,
                q16_a_million_under_drop_oldest: Handlers,
                q17_a_million_under_drop_new: Handlers,
            }
        }
    };
    (@modules $subject:expr; $($module:ident { $($case:ident: $needs:ident,)+ })+) => {$(
        mod $module {
            #[allow(unused_imports)] // Whatever the subject's expression names.
            use super::*;
            $(
                #[test]
                fn $case() {
                    let name = ::core::concat!(::core::stringify!($module), "::", ::core::stringify!($case));
                    $crate::run($subject, name, $crate::Needs::$needs, $crate::cases::$module::$case);
                }
            )+
        }
    )+};
}

/// Instantiates the cases that measure the whole process. Stands in a test binary of its own.
#[macro_export]
macro_rules! idle_suite {
    ($subject:expr) => {
        #[test]
        fn r14_a_hundred_idle_kernels() {
            let case = $crate::cases::idle::r14_a_hundred_idle_kernels;
            $crate::run($subject, "idle::r14_a_hundred_idle_kernels", $crate::Needs::Handlers, case);
        }
    };
}
