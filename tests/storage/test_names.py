"""What every `Store` does when an account gets another name, and when it goes."""

import attrs
import pytest

from fibsd.backgammon.side import BySide
from fibsd.storage.store import Counts
from fibsd.world.account import Settings
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    BanSet,
    Change,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MessageLeft,
    MutedUntil,
    PasswordChanged,
    PasswordRecovered,
    RecoveryChanged,
    RightsChanged,
    SettingsChanged,
)
from fibsd.world.ids import MatchId, UserName

from . import samples
from .samples import ANN, BOB, EVE, HASH, PLAYERS, Caller

ANNA, TOMB = UserName("Anna"), UserName("erased_1")
FROM_BOB = attrs.evolve(samples.message(2, to=ANN), sender=BOB)
BLINDING = Settings(gagged=frozenset({ANN, EVE}), blinded=frozenset({ANN}))


def renamed(old: str, new: str) -> AccountRenamed:
    """An account gets another name."""
    return AccountRenamed(name=UserName(old), new_name=UserName(new))


def created(name: str) -> AccountCreated:
    """An account without history."""
    return AccountCreated(account=samples.account(name))


@pytest.fixture
async def busy(players: Caller) -> Caller:
    """Ann has finished one match, left another, and is known to bob in every way."""
    await players.run(samples.started(1), samples.added(1, 0), MatchAdjourned(id=MatchId(1), left_by=ANN, at=12.0))
    await players.run(samples.finished(1, rating=samples.rated(BOB, ANN)))
    await players.run(samples.started(2, PLAYERS.swap(), at=30.0), samples.added(2, 0, at=31.0))
    await players.run(MatchAdjourned(id=MatchId(2), left_by=ANN, at=32.0))
    await players.run(MessageLeft(message=samples.message(1)), MessageLeft(message=FROM_BOB))
    await players.run(MessageLeft(message=attrs.evolve(FROM_BOB, id=3, to=EVE)))
    await players.run(SettingsChanged(name=BOB, settings=BLINDING))
    await players.run(BanSet(ban=samples.ban(1)), BanSet(ban=samples.ban(2, name=ANN, by="operator")))
    await players.run(RightsChanged(name=ANN, rights=frozenset({"admin"})), MutedUntil(name=ANN, until=9.5))
    await players.run(LoggedIn(name=ANN, at=7.5, host="example.net"), LoggedOut(name=ANN, at=8.5))
    return players


async def test_renamed_account_is_the_same(busy: Caller) -> None:
    """It is found by its new name only, with all that it had."""
    store = busy.store
    before = await store.account("Ann")
    assert before is not None
    rank = await store.rank(ANN, min_experience=0)
    assert rank is not None
    await busy.run(renamed("Ann", "Anna"))
    assert await store.account("ann") is None
    assert await store.account("ANNA") == attrs.evolve(before, name=ANNA)
    assert [account.name for account in await store.accounts()] == [ANNA, BOB, EVE]
    assert await store.rank(ANN, min_experience=0) is None
    assert await store.rank(ANNA, min_experience=0) == attrs.evolve(rank, name=ANNA)
    assert (await store.counts()).accounts == 3


async def test_renamed_account_takes_everything_along(busy: Caller) -> None:
    """Matches, messages both ways, the lists of others, bans."""
    store = busy.store
    await busy.run(renamed("Ann", "Anna"))
    assert (await store.unfinished(ANN), await store.last_match(ANN), await store.messages(ANN)) == ((), None, ())
    (row,) = await store.unfinished(ANNA)
    assert (row.names, row.left_by, row.entries) == (BySide(o=BOB, x=ANNA), ANNA, ("O r 6 3",))
    assert await store.unfinished(BOB) == (row,)
    assert await store.last_match(ANNA) == row
    first = await store.match(MatchId(1))
    assert first is not None
    assert (first.names, first.left_by) == (BySide(o=ANNA, x=BOB), ANNA)
    assert await store.messages(ANNA) == (attrs.evolve(FROM_BOB, to=ANNA),)
    assert await store.messages(BOB) == (attrs.evolve(samples.message(1), sender=ANNA),)
    assert [message.sender for message in await store.messages(EVE)] == [BOB]
    bob = await store.account("bob")
    assert bob is not None
    assert bob.settings == Settings(gagged=frozenset({ANNA, EVE}), blinded=frozenset({ANNA}))
    assert await store.bans() == (samples.ban(1, by=ANNA), samples.ban(2, name=ANNA, by="operator"))


async def test_renamed_account_goes_on(busy: Caller) -> None:
    """Under its new name, in its old match."""
    await busy.run(renamed("Ann", "Anna"))
    await busy.refused(samples.finished(2, PLAYERS))
    players = BySide(o=ANNA, x=BOB)
    await busy.run(samples.added(2, 1, at=40.0), samples.finished(2, players, rating=samples.rated(BOB, ANNA)))
    row = await busy.store.last_match(ANNA)
    assert row is not None
    assert (row.id, row.finished, len(row.entries)) == (2, 20.0, 2)
    assert (await busy.store.unfinished(BOB)) == ()


@pytest.mark.parametrize("new", ["bob", "BOB", "Bob"])
async def test_rename_to_a_taken_name_is_refused(busy: Caller, new: str) -> None:
    """In whatever letter case; nothing is changed."""
    before = await samples.everything(busy.store)
    await busy.refused(renamed("Ann", new))
    assert await samples.everything(busy.store) == before


@pytest.mark.parametrize("new", ["ANN", "ann", "Ann"])
async def test_letter_case_of_a_name_can_be_changed(busy: Caller, new: str) -> None:
    """The name is taken only by its owner; even the same name is no fault."""
    await busy.run(renamed("Ann", new))
    found = await busy.store.account("aNN")
    assert found is not None
    assert found.name == new
    assert [row.left_by for row in await busy.store.unfinished(BOB)] == [new]
    await busy.refused(created("aNn"))


async def test_old_name_is_free_at_once(busy: Caller) -> None:
    """Who takes it has nothing of its former owner."""
    await busy.run(renamed("Ann", "Anna"), created("Ann"))
    assert await busy.store.account("Ann") == samples.account("Ann")
    assert (await busy.store.unfinished(ANN), await busy.store.messages(ANN)) == ((), ())
    assert [message.sender for message in await busy.store.messages(BOB)] == [ANNA]


async def test_two_accounts_can_change_names(busy: Caller) -> None:
    """By way of a third one, in one job."""
    await busy.run(renamed("Ann", "other"), renamed("bob", "Ann"), renamed("other", "bob"))
    (row,) = await busy.store.unfinished(ANN)
    assert (row.names, row.left_by) == (BySide(o=ANN, x=BOB), BOB)
    assert [(message.to, message.sender) for message in await busy.store.messages(BOB)] == [(BOB, ANN)]
    ann = await busy.store.account("Ann")
    assert ann is not None
    assert ann.settings.gagged == {BOB, EVE}


async def test_changes_of_one_job_know_the_name_of_their_turn(players: Caller) -> None:
    """The old one before the renaming, the new one after it."""
    late = PasswordChanged(name=ANN, password_hash="x")
    await players.refused(renamed("Ann", "Anna"), late)
    await players.run(
        PasswordChanged(name=ANN, password_hash=HASH + "2"),
        samples.started(1),
        renamed("Ann", "Anna"),
        SettingsChanged(name=ANNA, settings=Settings(boardstyle=2)),
        samples.started(2, BySide(o=ANNA, x=EVE), at=20.0),
    )
    anna = attrs.evolve(samples.account("Anna"), password_hash=HASH + "2", settings=Settings(boardstyle=2))
    assert await players.store.account("Anna") == anna
    assert [row.names.o for row in await players.store.unfinished(ANNA)] == [ANNA, ANNA]


@pytest.mark.parametrize("name", ["bell", "UTC", "login", "gagged", "a_n"])
async def test_only_names_are_renamed_in_settings(players: Caller, name: str) -> None:
    """Other words there are spelled like names; names are compared letter by letter."""
    kept = Settings(gagged=frozenset({BOB, UserName("aXn")}), email=name)
    await players.run(created(name), SettingsChanged(name=ANN, settings=kept))
    await players.run(
        SettingsChanged(name=EVE, settings=attrs.evolve(kept, gagged=kept.gagged | {UserName(name)})),
        renamed(name, "Zoe"),
    )
    ann, _, eve, _ = await players.store.accounts()
    assert ann.settings == kept
    assert eve.settings == attrs.evolve(kept, gagged=kept.gagged | {UserName("Zoe")})


async def test_erased_account_is_gone(busy: Caller) -> None:
    """From every list; its messages in and out, too."""
    store = busy.store
    await busy.run(samples.finished(2, rating=samples.rated(ANN, BOB)), AccountErased(name=ANN))
    assert await store.account("Ann") is None
    assert [account.name for account in await store.accounts()] == [BOB, EVE]
    assert [row.name for row in await store.ranking(1, 9, min_experience=0)] == [EVE, BOB]
    assert await store.rank(ANN, min_experience=0) is None
    assert (await store.messages(ANN), await store.messages(BOB)) == ((), ())
    assert [message.id for message in await store.messages(EVE)] == [3]
    assert (await store.unfinished(ANN), await store.last_match(ANN)) == ((), None)
    bob = await store.account("bob")
    assert bob is not None
    assert bob.settings == Settings(gagged=frozenset({EVE}))
    assert await store.counts() == Counts(accounts=2, saved_matches=0, finished_matches=2)


async def test_finished_matches_stay_under_a_name_that_leads_to_nobody(busy: Caller) -> None:
    """In whatever letter case; a ban that it set stays likewise, a ban of it does not."""
    store = busy.store
    await busy.run(samples.finished(2), AccountErased(name=ANN))
    row = await store.last_match(BOB)
    assert row is not None
    assert (row.names, row.left_by, row.entries) == (BySide(o=BOB, x=TOMB), TOMB, ("O r 6 3",))
    for name in ("erased_1", "Erased_1", "ERASED_1"):
        assert await store.account(name) is None
    assert await store.rank(TOMB, min_experience=0) is None
    assert await store.rank(BOB, min_experience=0) == (await store.ranking(1, 9, min_experience=0))[0]
    assert await store.bans() == (samples.ban(1, by=TOMB),)


@pytest.mark.parametrize("name", [ANN, BOB])
async def test_who_has_a_match_to_play_is_not_erased(busy: Caller, name: UserName) -> None:
    """On whichever side; nothing is changed."""
    before = await samples.everything(busy.store)
    await busy.refused(AccountErased(name=name))
    assert await samples.everything(busy.store) == before


async def test_erased_name_can_be_registered_again_at_once(players: Caller) -> None:
    """In the same job, in other letters, and again; each erased account has a name of its own."""
    await players.run(samples.started(1), samples.finished(1), MessageLeft(message=samples.message(1)))
    await players.run(AccountErased(name=ANN), created("ANN"))
    assert await players.store.account("ann") == samples.account("ANN")
    again = UserName("ANN")
    assert (await players.store.last_match(again), await players.store.messages(BOB)) == (None, ())
    names = BySide(o=again, x=BOB)
    await players.run(samples.started(2, names), samples.finished(2, names), AccountErased(name=again), created("Ann"))
    rows = [await players.store.match(MatchId(number)) for number in (1, 2)]
    assert [row and row.names.o for row in rows] == [TOMB, "erased_2"]
    assert await players.store.account("ann") == samples.account("Ann")


async def test_opponents_can_both_be_erased(players: Caller) -> None:
    """Their match stays."""
    await players.run(samples.started(1), samples.finished(1))
    await players.run(AccountErased(name=ANN), AccountErased(name=BOB))
    row = await players.store.match(MatchId(1))
    assert row is not None
    assert row.names == BySide(o=TOMB, x=UserName("erased_2"))
    assert await players.store.counts() == Counts(accounts=1, saved_matches=0, finished_matches=1)


@pytest.mark.parametrize(
    "change",
    [
        PasswordChanged(name=TOMB, password_hash=HASH),
        RecoveryChanged(name=TOMB, recovery_hash=HASH),
        SettingsChanged(name=TOMB, settings=Settings()),
        LoggedIn(name=TOMB, at=1.0, host="x"),
        PasswordRecovered(name=TOMB, recovery_hash=HASH, password_hash=HASH),
        RightsChanged(name=TOMB, rights=frozenset({"admin"})),
        MutedUntil(name=TOMB, until=None),
        renamed(TOMB, "Ann"),
        renamed("bob", "erased_2"),
        renamed("bob", "Erased_33"),
        AccountErased(name=TOMB),
        AccountErased(name=ANN),
        created(TOMB),
        created("ERASED_2"),
    ],
    ids=samples.kind,
)
async def test_erased_accounts_are_left_alone(players: Caller, change: Change) -> None:
    """None comes back, and none of their names is given to anybody."""
    await players.run(RecoveryChanged(name=ANN, recovery_hash=HASH), AccountErased(name=ANN))
    before = await samples.everything(players.store)
    await players.refused(change)
    assert await samples.everything(players.store) == before


async def test_names_that_only_look_like_erased_ones(players: Caller) -> None:
    """FIBS allows letters and `_`."""
    await players.run(created("erased_"), created("erased_x"), renamed("Ann", "erased"))
    assert await players.store.account("Erased_") is not None


async def test_erasure_is_taken_back_with_its_job(busy: Caller) -> None:
    """And so is a renaming."""
    before = await samples.everything(busy.store)
    await busy.refused(
        renamed("Ann", "Anna"),
        samples.finished(2, BySide(o=BOB, x=ANNA), rating=samples.rated(ANNA, BOB)),
        AccountErased(name=ANNA),
        created("Ann"),
        LoggedOut(name=ANNA, at=1.0),
    )
    assert await samples.everything(busy.store) == before
