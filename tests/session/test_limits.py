"""Buckets that fill again, and guesses that wait longer each time."""

from hypothesis import given
from hypothesis import strategies as st

from fibsd.session.limits import FORGIVEN_AFTER_S, LONGEST_DELAY_S, Bucket, Buckets, Failures


def test_a_burst_is_free_and_then_the_rate_counts():
    bucket = Bucket.full(rate=2, burst=3, now=0)
    assert [bucket.take(0) for _ in range(4)] == [True, True, True, False]
    assert bucket.wait_s(0) == 0.5
    assert bucket.take(0.5)
    assert not bucket.take(0.5)


@given(st.lists(st.floats(0, 5), max_size=60), st.floats(0.1, 10), st.integers(1, 20))
def test_never_more_than_burst_and_rate_allow(gaps, rate, burst):
    bucket = Bucket.full(rate=rate, burst=burst, now=0)
    now = taken = 0
    for gap in gaps:
        now += gap
        taken += bucket.take(now)
    assert taken <= burst + rate * now + 1e-6


def test_several_tokens_are_taken_together_or_not_at_all():
    bucket = Bucket.full(1, 5, 0)
    assert [bucket.take(0, 3), bucket.take(0, 3), bucket.take(0, 2), bucket.take(0)] == [True, False, True, False]


def test_a_clock_set_back_gives_nothing():
    bucket = Bucket.full(rate=1, burst=1, now=100)
    assert bucket.take(100)
    assert not bucket.take(50)
    assert not bucket.take(100.5)
    assert bucket.take(101)


def test_keys_do_not_share_and_full_ones_are_forgotten():
    buckets = Buckets(rate=1, burst=1)
    assert buckets.take("a", 0)
    assert not buckets.take("a", 0)
    assert buckets.take("b", 0)
    buckets.forget_full(0.5)
    assert len(buckets) == 2
    buckets.forget_full(2)
    assert len(buckets) == 0


def test_the_first_failures_cost_nothing_and_the_delay_doubles_to_a_bound():
    failures = Failures(3)
    delays = []
    for _ in range(12):
        delays.append(failures.delay_s("alice", 0))
        failures.failed("alice", 0)
    assert delays[:6] == [0, 0, 0, 1, 2, 4]
    assert max(delays) == LONGEST_DELAY_S
    assert failures.delay_s("bob", 0) == 0


def test_failures_are_forgiven_by_a_success_or_by_time():
    failures = Failures(3)
    for _ in range(5):
        failures.failed("alice", 0)
        failures.failed("bob", 0)
    failures.succeeded("alice")
    assert failures.delay_s("alice", 0) == 0
    assert failures.delay_s("bob", FORGIVEN_AFTER_S + 1) == 0
    failures.forget_old(FORGIVEN_AFTER_S + 1)
    assert len(failures) == 0
