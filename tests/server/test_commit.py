"""Which output waits for which job."""

import pytest

from fibsd.backgammon.side import BySide, Side
from fibsd.server import commit as commit_module
from fibsd.server.commit import Commits, subjects
from fibsd.storage.store import Outcome, StoreError
from fibsd.world.account import Account, Settings
from fibsd.world.audience import Announcement
from fibsd.world.changes import (
    AccountCreated,
    AccountRenamed,
    EntryAdded,
    LoggedIn,
    MatchAdjourned,
    MatchFinished,
    MatchStarted,
    MatchTerms,
    MatchVoided,
    PasswordChanged,
    RollsCounted,
    SettingsChanged,
)
from fibsd.world.ids import MatchId, UserName

ALICE, BOB = UserName("alice"), UserName("bob")
NAMES = BySide(o=ALICE, x=BOB)
ONE = MatchId(1)
ENTRY = EntryAdded(id=ONE, seq=0, entry="o 3 1", at=0.0)
NEWS = Announcement(users=(ALICE,))


def test_subjects_are_the_match_and_the_users_that_a_durable_change_tells_of():
    finished = MatchFinished(
        id=ONE, names=NAMES, winner=Side.O, score=BySide(o=1, x=0), rating=None, notices=(), at=0.0
    )
    assert subjects(ENTRY) == (ONE,)
    assert subjects(MatchAdjourned(id=ONE, left_by=None, at=0.0)) == (ONE,)
    assert subjects(MatchVoided(id=ONE)) == (ONE,)
    assert subjects(MatchStarted(id=ONE, names=NAMES, terms=MatchTerms(length=5), at=0.0)) == (ONE, ALICE, BOB)
    assert subjects(finished) == (ONE, ALICE, BOB)
    assert subjects(AccountCreated(account=Account(name=ALICE, password_hash=""))) == (ALICE,)
    assert subjects(PasswordChanged(name=ALICE, password_hash="")) == (ALICE,)
    assert subjects(LoggedIn(name=ALICE, at=0.0, host="")) == ()
    assert subjects(RollsCounted(counts=())) == ()


def test_only_the_newest_job_of_a_subject_counts_and_only_while_it_is_open():
    commits = Commits()
    first, second = commits.open([ENTRY]), commits.open([ENTRY])
    commits.open([SettingsChanged(name=ALICE, settings=Settings())])
    assert (first.number, second.number) == (1, 2)
    assert commits.newest([ONE]) == 2
    assert commits.newest([ONE, ALICE]) == 2
    assert commits.newest([ALICE, MatchId(2)]) == 0
    assert commits.newest([ALICE, MatchId(2), MatchId(3)]) == 0
    assert commits.newest([ALICE, MatchId(2), MatchId(3), ONE]) == 2
    commits.settle([Outcome(number=1)])
    assert (commits.newest([ONE]), commits.durable) == (2, 1)
    commits.settle([Outcome(number=2), Outcome(number=3)])
    assert (commits.newest([ONE]), commits.durable) == (0, 3)


def test_announcements_come_out_when_stored_and_never_when_refused():
    commits = Commits()
    commits.open([ENTRY], [NEWS])
    commits.open([ENTRY], [NEWS])
    error = StoreError("no")
    announcements, refused = commits.settle([Outcome(number=1), Outcome(number=2, error=error)])
    assert announcements == [NEWS]
    assert [(job.number, job.error, job.changes) for job in refused] == [(2, error, (ENTRY,))]


async def test_waiting_for_a_job_tells_whether_it_was_taken(autojump_clock):
    commits = Commits()
    commits.open([ENTRY])
    commits.open([ENTRY])
    first, second = commits.waiter(1), commits.waiter(2)
    commits.settle([Outcome(number=1), Outcome(number=2, error=StoreError("no"))])
    assert await first()
    assert not await second()
    await commits.wait(2)


def about_alice(commits: Commits, since: int) -> bool:
    return commits.unchanged(since, (ALICE, ONE))


@pytest.mark.parametrize(
    "change", [ENTRY, SettingsChanged(name=ALICE, settings=Settings()), PasswordChanged(name=ALICE, password_hash="")]
)
def test_what_was_read_is_out_of_date_from_the_moment_that_a_job_about_it_is_opened(change):
    """And stays so when the job has its outcome, whichever that is."""
    commits = Commits()
    with commits.looking() as since:
        assert about_alice(commits, since)
        commits.open([change])
        assert not about_alice(commits, since)
        commits.settle([Outcome(number=1, error=StoreError("refused"))])
        assert not about_alice(commits, since)
        with commits.looking() as later:
            assert about_alice(commits, later)
        assert not about_alice(commits, since)


def test_what_was_read_while_a_job_about_it_was_on_its_way_is_out_of_date():
    """Nobody knows whether it was read before or after."""
    commits = Commits()
    commits.open([RollsCounted(counts=())])
    commits.open([ENTRY])
    commits.settle([Outcome(number=1)])
    with commits.looking() as since:
        assert not about_alice(commits, since)
        commits.settle([Outcome(number=2)])
        assert not about_alice(commits, since)


def test_jobs_about_others_leave_what_was_read_as_it_is_unless_a_name_goes():
    """A name may stand in anybody's settings and matches."""
    commits = Commits()
    with commits.looking() as since:
        commits.open([SettingsChanged(name=BOB, settings=Settings()), EntryAdded(id=MatchId(2), seq=0, entry="", at=0)])
        assert about_alice(commits, since)
        commits.open([AccountRenamed(name=BOB, new_name=UserName("carol"))])
        assert not about_alice(commits, since)
        with commits.looking() as later:
            assert not about_alice(commits, later)
        commits.settle([Outcome(number=1), Outcome(number=2)])
        assert not about_alice(commits, since)
        with commits.looking() as later:
            assert about_alice(commits, later)


def test_too_much_to_remember_makes_all_that_was_read_before_out_of_date(monkeypatch):
    monkeypatch.setattr(commit_module, "REMEMBERED", 2)
    commits = Commits()
    with commits.looking() as since:
        for number in range(1, 4):
            assert about_alice(commits, since)
            commits.open([EntryAdded(id=MatchId(number + 1), seq=0, entry="", at=0.0)])
            commits.settle([Outcome(number=number)])
        assert not about_alice(commits, since)
        assert len(commits._settled) <= 2
    assert not commits._settled
