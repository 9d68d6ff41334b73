"""Which output waits for which job."""

from fibsd.backgammon.side import BySide, Side
from fibsd.server.commit import Commits, subjects
from fibsd.storage.store import Outcome, StoreError
from fibsd.world.account import Account, Settings
from fibsd.world.audience import Announcement
from fibsd.world.changes import (
    AccountCreated,
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
