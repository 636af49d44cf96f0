"""What every store must do, for those who write one (durability.md §11).

A check is a function of one argument: `place`, which returns a new Store object on the same, so far unused,
place each time it is called, as another process would open it. It returns when the store does what it must,
and raises AssertionError when it does not. With pytest, or with any other runner:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        check(lambda: MyStore(tmp_path / "run"))
"""

from __future__ import annotations

from agentl.durable.testing.appending import (
    a_large_record_is_kept,
    a_long_journal_is_read_whole,
    a_record_that_follows_another_one_is_refused,
    many_unsynced_records_go_with_one,
    number_and_link_are_compared_always_and_as_a_whole,
    the_first_record_is_number_0_after_nothing,
    what_waits_counts_when_records_are_dropped,
    whole_records_can_be_dropped_from_the_end,
)
from agentl.durable.testing.basics import Check, Place, chained
from agentl.durable.testing.checks import (
    an_unused_place_is_empty,
    awkward_values_come_back,
    entries_are_put_in_once_by_their_id,
    entries_from_many_threads_are_all_kept,
    large_values_are_kept_by_digest,
    many_entries_are_all_told,
    nothing_is_left_of_a_removed_run,
    records_are_read_from_any_number_on,
    records_come_back_byte_for_byte,
    records_go_on_where_they_ended,
    sources_are_kept_by_digest,
    the_last_change_is_told,
    unsynced_records_go_with_the_next_synced_one,
    what_is_put_in_is_announced,
    what_waits_is_kept_when_the_store_closes,
)
from agentl.durable.testing.holding import (
    a_reader_neither_takes_the_run_nor_frees_it,
    a_run_is_held_by_one_process_among_all,
    closing_is_harmless_at_any_time,
    entries_from_many_processes_are_all_kept,
    one_process_holds_a_run,
    only_the_holder_writes,
)
from agentl.durable.testing.whole_runs import (
    RUN,
    a_large_value_stands_beside_the_journal_and_comes_back,
    a_run_is_completed_and_derived_again_without_effect,
    a_run_that_died_in_a_tool_is_resumed_with_the_same_key,
)

__all__ = ["CHECKS", "RUN", "Check", "Place", "chained"]

CHECKS: tuple[Check, ...] = (
    an_unused_place_is_empty,
    records_come_back_byte_for_byte,
    records_are_read_from_any_number_on,
    unsynced_records_go_with_the_next_synced_one,
    many_unsynced_records_go_with_one,
    what_waits_is_kept_when_the_store_closes,
    a_large_record_is_kept,
    a_long_journal_is_read_whole,
    records_go_on_where_they_ended,
    a_record_that_follows_another_one_is_refused,
    number_and_link_are_compared_always_and_as_a_whole,
    the_first_record_is_number_0_after_nothing,
    whole_records_can_be_dropped_from_the_end,
    what_waits_counts_when_records_are_dropped,
    one_process_holds_a_run,
    only_the_holder_writes,
    a_reader_neither_takes_the_run_nor_frees_it,
    a_run_is_held_by_one_process_among_all,
    closing_is_harmless_at_any_time,
    nothing_is_left_of_a_removed_run,
    sources_are_kept_by_digest,
    large_values_are_kept_by_digest,
    entries_are_put_in_once_by_their_id,
    entries_from_many_threads_are_all_kept,
    entries_from_many_processes_are_all_kept,
    many_entries_are_all_told,
    what_is_put_in_is_announced,
    the_last_change_is_told,
    awkward_values_come_back,
    a_large_value_stands_beside_the_journal_and_comes_back,
    a_run_is_completed_and_derived_again_without_effect,
    a_run_that_died_in_a_tool_is_resumed_with_the_same_key,
)
"""All checks of a store. Each wants a place of its own."""
