"""Many changes in one commit: the same as one after the other."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect

from fibsd.backgammon.side import BySide
from fibsd.storage import statements
from fibsd.storage.batch import gather
from fibsd.storage.database import database_of
from fibsd.storage.memory import MemoryStore
from fibsd.storage.sql import open_store
from fibsd.storage.steps import Write
from fibsd.storage.store import Job
from fibsd.world.account import Settings
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Audited,
    BanLifted,
    BanSet,
    Booked,
    Change,
    EntryAdded,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
    MatchStarted,
    MessageLeft,
    MessagesDelivered,
    MutedUntil,
    PasswordChanged,
    PasswordRecovered,
    RecoveryChanged,
    RightsChanged,
    SettingsChanged,
    TextSet,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import WON, PointsMoved, pot
from tests.support.strategies import examples

from . import postgres, samples
from .samples import ANN, BOB, PLAYERS, Caller

NAMES = tuple(UserName(name) for name in ("Ann", "ANN", "bob", "Cat", "Dan", "erased_1"))
RATED = samples.rated(BOB, ANN)
names = st.sampled_from((ANN, BOB, *NAMES))
lists = st.frozensets(names, max_size=3)
pairs = st.builds(BySide, o=names, x=names).filter(lambda pair: pair.o != pair.x)
numbers = st.integers(1, 3)
matches = numbers.map(MatchId)
changes: st.SearchStrategy[Change] = st.one_of(
    names.map(lambda name: AccountCreated(account=samples.account(name))),
    st.builds(AccountErased, name=names),
    st.builds(AccountRenamed, name=names, new_name=names),
    st.builds(AccountRenamed, name=names, new_name=names),
    st.builds(PasswordChanged, name=names, password_hash=st.sampled_from("ab")),
    st.builds(RecoveryChanged, name=names, recovery_hash=st.sampled_from(["a", "b", None])),
    st.builds(PasswordRecovered, name=names, recovery_hash=st.sampled_from("ab"), password_hash=st.sampled_from("cd")),
    st.builds(SettingsChanged, name=names, settings=st.builds(Settings, gagged=lists, blinded=lists, timezone=names)),
    st.builds(LoggedOut, name=names, at=st.just(1.0)),
    st.builds(RightsChanged, name=names, rights=st.frozensets(st.sampled_from("ab"))),
    st.builds(MutedUntil, name=names, until=st.sampled_from([None, 1.5])),
    names.map(samples.opened),
    names.map(samples.opened),
    st.builds(samples.staked, numbers, names, amount=st.sampled_from([1, 60])),
    st.builds(
        lambda match, name: PointsMoved(transfers=(samples.transfer(pot(match), name, 40, WON, match),)), matches, names
    ),
    st.builds(
        lambda settled, at: MatchReversed(
            id=MatchId(1),
            names=PLAYERS,
            settled=settled,
            ratings=tuple(
                Booked(name=one.name, before=one.rating_before, after=one.rating_after, experience=3)
                for one in (RATED.winner, RATED.loser)
            ),
            at=at,
        ),
        st.integers(0, 2),
        st.sampled_from([5.0, 50.0]),
    ),
    st.builds(samples.finished, st.just(1), rating=st.sampled_from([None, RATED]), settled=st.integers(0, 2)),
    st.builds(samples.started, numbers, pairs),
    st.builds(samples.added, numbers, st.integers(0, 2)),
    st.builds(samples.added, st.just(1), st.integers(0, 2)),
    st.builds(MatchAdjourned, id=matches, left_by=names, at=st.just(1.0)),
    st.builds(samples.finished, st.just(1), st.sampled_from([PLAYERS, PLAYERS.swap()])),
    pairs.flatmap(
        lambda pair: st.builds(samples.finished, numbers, st.just(pair), rating=st.just(samples.rated(pair.o, pair.x)))
    ),
    st.builds(
        lambda message, sender: MessageLeft(message=attrs.evolve(message, sender=sender)),
        st.builds(samples.message, numbers, names),
        names,
    ),
    st.builds(MessagesDelivered, ids=st.tuples(numbers)),
    st.builds(lambda number, name, by: BanSet(ban=samples.ban(number, name=name, by=by)), numbers, names, names),
    st.builds(BanLifted, id=numbers),
    st.builds(Audited, audit=st.builds(samples.audit, st.sampled_from("ab"))),
    st.builds(TextSet, key=st.sampled_from(["motd", "rules"]), text=st.sampled_from(["", "a", "b"])),
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new database file."""
    path = tmp_path_factory.mktemp("template") / "fibsd.db"
    trio.run(open_store(f"sqlite:///{path}").close, 1.0)
    return path


@examples(30)
@given(drawn=st.lists(changes, min_size=25, max_size=60), cut=st.integers(1, 60))
def test_changes_of_one_commit_are_made_in_their_order(template: Path, drawn: Sequence[Change], cut: int) -> None:
    """What the store in memory takes one by one, the database takes at once, with the same result."""
    with tempfile.TemporaryDirectory() as directory:
        path = shutil.copy(template, Path(directory) / "fibsd.db")
        trio.run(_compare, f"sqlite:///{path}", drawn, cut)


@examples(15)
@given(drawn=st.lists(changes, min_size=25, max_size=60), cut=st.integers(1, 60))
def test_changes_of_one_commit_to_postgresql(made_postgres: str, drawn: Sequence[Change], cut: int) -> None:
    """The same."""
    postgres.empty(made_postgres)
    trio.run(_compare, made_postgres, drawn, cut)


async def _compare(url: str, drawn: Sequence[Change], cut: int) -> None:
    memory = Caller(MemoryStore()).start()
    accepted: list[Change] = []
    used: set[object] = set()
    founded = [AccountCreated(account=samples.account(name)) for name in (ANN, BOB, "Cat")]
    for change in (*founded, samples.started(1), *drawn):
        if _may_be(change, used) and (await memory.outcome(memory.submit(change))).error is None:
            accepted.append(change)
            used |= _numbers(change)
    sink = database_of(url).sink(None)
    parts = [part for part in (accepted[:cut], accepted[cut:]) if part]
    sink.write([Job(number=number, changes=tuple(part)) for number, part in enumerate(parts, start=1)])
    sink.close()
    store = open_store(url)
    assert await samples.everything(store, *NAMES) == await samples.everything(memory.store, *NAMES)
    assert await store.close(1.0)


def _numbers(change: Change) -> set[object]:
    """The numbers that this change uses up."""
    match change:
        case MatchStarted():
            return {("match", change.id)}
        case EntryAdded():
            return {("entry", change.id, change.seq)}
        case MatchFinished():
            return {("result", change.id), *([("rated", change.id)] if change.rating == RATED else [])}
        case MessageLeft():
            return {("message", change.message.id)}
        case MessagesDelivered():
            return {("message", number) for number in change.ids}
    return set()


def _may_be(change: Change, used: set[object]) -> bool:
    """Whether the world could make this change: it gives no number twice, and a journal has no gaps and an end."""
    if isinstance(change, EntryAdded):
        begun = change.seq == 0 or ("entry", change.id, change.seq - 1) in used
        return begun and ("result", change.id) not in used
    if isinstance(change, MatchReversed):
        # What it takes back must have been booked.
        return ("rated", change.id) in used
    return isinstance(change, MessagesDelivered) or not _numbers(change) & used


def test_renaming_parts_a_batch() -> None:
    """All that is before it is written before it; without one there is one write for each statement."""
    before, after = EntryAdded(id=MatchId(1), seq=0, entry="x", at=1.0), samples.added(1, 1)
    jobs = [samples.started(1), before, samples.started(2), AccountRenamed(name=BOB, new_name=ANN), after]
    steps = gather(Job(number=number, changes=(change,)) for number, change in enumerate(jobs, start=1))
    written = [step.statement for step in steps if isinstance(step, Write)]
    assert written == [statements.ADD_MATCH, statements.ADD_ENTRY, *statements.RENAME, statements.ADD_ENTRY]
    assert [len(step.rows) for step in steps[:2] if isinstance(step, Write)] == [2, 1]


def test_statements_have_named_parameters_only() -> None:
    """The sink would not give a value that the library keeps for itself; PostgreSQL knows them all, too."""
    for statement in statements.ALL:
        for dialect in (sqlite_dialect.dialect(paramstyle="named"), postgresql.dialect(paramstyle="named")):
            compiled = statement.clause.compile(dialect=dialect)
            assert not [name for name, value in compiled.params.items() if value is not None], str(compiled)


async def test_bad_job_of_a_batch_fails_alone(sql_url: str) -> None:
    """Also when names change around it."""
    caller = Caller(open_store(sql_url)).start()
    caller.submit(AccountCreated(account=samples.account(ANN)), AccountCreated(account=samples.account(BOB)))
    caller.submit(samples.started(1))
    caller.submit(AccountErased(name=ANN))
    caller.submit(samples.finished(1, PLAYERS))
    caller.submit(AccountErased(name=ANN))
    caller.submit(LoggedOut(name=ANN, at=1.0))
    last = caller.submit(AccountCreated(account=samples.account(ANN)))
    await caller.outcome(last)
    assert [outcome.error is None for outcome in caller.told] == [True, True, False, True, True, False, True]
    assert "account without unfinished matches" in str(caller.told[2].error)
    assert await caller.store.close(1.0)
