//! What every storage engine must do, said once against the store's own boundary.
//!
//! An engine's crate brings a [`Factory`] and calls [`conformance!`](crate::conformance!); each case becomes a test.

pub mod append;
pub mod find;
pub mod keep;
pub mod merge;
pub mod observe;
pub mod timers;

use std::sync::Arc;

use interagent_store::{Clock, Engine, ManualClock, Store};

/// Makes replicas of one hub on the engine under test.
pub trait Factory {
    /// Opens a replica by its name, making it where it is not there.
    fn open(&self, replica: &str, clock: Arc<dyn Clock>) -> Store;
    /// Opens a physical copy of a replica under another name.
    fn copy(&self, from: &mut Store, replica: &str, clock: Arc<dyn Clock>) -> Store;
    /// Another connection to a replica that exists, for looking at raw rows.
    fn engine(&self, replica: &str) -> Box<dyn Engine>;
}

/// A moment in 2023, in microseconds.
pub const THEN: i64 = 1_700_000_000_000_000;

/// A clock that stands at [`THEN`].
pub fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(THEN))
}

/// Makes one test of every case, each with a factory of its own.
#[macro_export]
macro_rules! conformance {
    ($factory:expr) => {
        $crate::conformance! { @ $factory;
            append::an_entry_is_read_back_with_its_effect,
            append::a_repeated_key_gives_the_entry_of_that_time,
            append::a_key_of_another_request_is_a_conflict,
            append::an_empty_draft_writes_nothing,
            append::observations_of_an_empty_draft_stay,
            append::a_refusal_leaves_no_trace,
            append::entries_are_paged_in_both_directions,
            append::a_waiting_reader_is_woken_by_a_commit,
            append::time_never_goes_back_in_the_log,
            observe::an_offer_lapses_and_is_counted,
            observe::sessions_are_replaced_and_end,
            observe::a_step_of_the_wall_clock_does_not_move_a_lease,
            observe::pairs_are_counted_within_their_window,
            observe::the_trace_is_bounded,
            observe::edits_are_forgotten_after_their_time,
            observe::an_agent_has_one_pane_and_it_is_forgotten,
            timers::timers_are_due_in_their_order,
            timers::timers_outlive_the_run_of_the_machine,
            timers::duties_without_a_timer_are_found_and_timers_without_a_duty_go,
            observe::marks_are_kept_and_replaced_and_are_no_entries,
            merge::replicas_agree_whatever_came_first,
            merge::what_is_known_is_not_taken_twice,
            merge::a_gap_stops_its_origin_only,
            merge::a_changed_line_is_named_and_the_rest_is_loaded,
            merge::a_forked_log_is_refused,
            merge::entries_of_our_own_are_taken_back_where_they_follow,
            merge::a_fork_is_left_with_everything_that_was_written,
            merge::the_future_is_held_until_its_time,
            merge::corrected_clock_converges,
            merge::corrected_entries_never_count_later,
            merge::two_entries_with_one_key_are_both_kept,
            merge::a_text_that_does_not_match_is_refused,
            merge::a_purge_wins_in_any_order,
            keep::a_rebuild_changes_no_row,
            keep::a_sound_store_has_no_findings,
            keep::wrong_rows_are_found_and_rebuilt,
            keep::a_copy_is_a_new_origin,
            keep::undecided_copy_is_read_only,
            keep::moved_copy_continues_its_replica,
            find::a_unique_prefix_is_enough,
            find::an_alias_resolves_where_an_id_does,
            find::pages_meet_without_gap_or_overlap,
            find::since_means_when_it_was_sent,
            find::what_is_open_is_counted_up_to_a_limit,
            find::a_task_is_ready_when_what_it_waits_for_frees_it,
            find::reports_are_found_since_a_moment_and_where_they_propose_a_skill,
        }
    };
    (@ $factory:expr; $($module:ident :: $case:ident),+ $(,)?) => {
        $(#[test]
        fn $case() {
            $crate::conformance::$module::$case(&$factory);
        })+
    };
}
