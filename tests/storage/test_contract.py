"""What every `Store` does, asked of each kind."""

import math

import attrs
import pytest

from fibsd.backgammon.side import BySide
from fibsd.storage.store import Arrival, Counts, Job, NextIds, Ranked
from fibsd.world.account import Account, Charset, Settings, SortWho, Toggle
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Audited,
    BanLifted,
    BanSet,
    Change,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchRow,
    MatchStarted,
    MatchTerms,
    MatchVoided,
    MessageLeft,
    MessagesDelivered,
    MutedUntil,
    PasswordChanged,
    PasswordRecovered,
    RecoveryChanged,
    RightsChanged,
    RollsCounted,
    SettingsChanged,
    TextSet,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.terms import parse_terms

from . import samples
from .samples import ANN, BOB, EVE, HASH, PLAYERS, Caller

FULL_SETTINGS = Settings(
    toggles=frozenset({Toggle.BELL, Toggle.READY}),
    boardstyle=3,
    linelength=79,
    pagelength=24,
    redoubles=100,
    sortwho=SortWho.RRATING,
    timezone="Europe/Tallinn",
    email="ann@example.org",
    charset=Charset.UTF8,
    extras=False,
    playout=True,
    gagged=frozenset({BOB, EVE}),
    blinded=frozenset({BOB}),
)


async def test_a_new_store_is_empty(caller: Caller) -> None:
    """Nothing is found, and numbers start at 1."""
    store = caller.store
    assert await store.next_ids() == NextIds(match=1, message=1, ban=1)
    assert await store.account("ann") is None
    assert await store.accounts() == ()
    assert await store.unfinished(ANN) == ()
    assert await store.last_match(ANN) is None
    assert await store.messages(ANN) == ()
    assert await store.ranking(1, 10, min_experience=0) == ()
    assert await store.rank(ANN, min_experience=0) is None
    assert await store.counts() == Counts(accounts=0, saved_matches=0, finished_matches=0)
    assert await store.rolls() == ()
    assert await store.bans() == ()
    assert await store.audits(10) == ()
    assert await store.text("motd") is None
    assert await store.match(MatchId(1)) is None
    assert store.waiting_s() == 0.0
    assert store.trouble() is None


async def test_outcomes_come_in_order(caller: Caller) -> None:
    """Refused jobs keep their place among the accepted ones."""
    names = ["a", "b", "A", "c", "B", "d"]
    for name in names:
        caller.submit(AccountCreated(account=samples.account(name)))
    await caller.outcome(len(names))
    assert [outcome.number for outcome in caller.told] == [1, 2, 3, 4, 5, 6]
    assert [outcome.error is None for outcome in caller.told] == [True, True, False, True, False, True]


async def test_job_numbers_have_no_gaps(caller: Caller) -> None:
    """A wrong number is the caller's mistake."""
    with pytest.raises(ValueError, match="job 2 came after job 0"):
        caller.store.submit(Job(number=2, changes=(LoggedOut(name=ANN, at=1.0),)))


async def test_start_is_for_once(caller: Caller) -> None:
    """A second start is the caller's mistake."""
    with pytest.raises(RuntimeError):
        caller.start()


async def test_a_closed_store_takes_nothing(caller: Caller) -> None:
    """Closing twice is harmless, submitting afterwards is the caller's mistake."""
    number = caller.submit(AccountCreated(account=samples.account("ann")))
    assert await caller.store.close(1.0)
    assert len(caller.told) == number
    assert await caller.store.close(1.0)
    with pytest.raises(RuntimeError):
        caller.submit(LoggedOut(name=ANN, at=1.0))


async def test_account_comes_back_as_it_was(caller: Caller) -> None:
    """Every field survives, unrounded."""
    account = Account(
        name=ANN,
        password_hash=HASH,
        rating=1504.472135955 + 1e-12,
        experience=400,
        created=1234567890.123456,
        last_login=5.5,
        last_host="example.org",
        last_logout=6.5,
        settings=FULL_SETTINGS,
        rights=frozenset({"admin", "shout"}),
        muted_until=7.25,
    )
    await caller.run(AccountCreated(account=account))
    assert await caller.store.account("Ann") == account


async def test_account_is_found_in_any_letter_case(players: Caller) -> None:
    """The answer has the name as registered."""
    for name in ("Ann", "ann", "ANN"):
        found = await players.store.account(name)
        assert found is not None
        assert found.name == "Ann"
    assert await players.store.account("an") is None


async def test_names_are_unique_without_letter_case(players: Caller) -> None:
    """A second Ann is refused and changes nothing."""
    await players.refused(AccountCreated(account=samples.account("aNN", rating=1.0)))
    assert [account.name for account in await players.store.accounts()] == [ANN, BOB, EVE]
    found = await players.store.account("ann")
    assert found == samples.account("Ann")


@pytest.mark.parametrize("rating", [math.nan, math.inf, -math.inf, -0.5])
async def test_impossible_rating_is_refused(caller: Caller, rating: float) -> None:
    """It would be refused at the next load."""
    assert "rating" in await caller.refused(AccountCreated(account=samples.account("Ann", rating=rating)))
    assert await caller.store.account("Ann") is None


async def test_improbable_rating_is_stored(caller: Caller) -> None:
    """The bounds of the formula are not the store's business."""
    await caller.run(AccountCreated(account=samples.account("Ann", rating=700000.0)))
    await caller.run(AccountCreated(account=samples.account("bob", rating=0.0)))
    assert [account.rating for account in await caller.store.accounts()] == [700000.0, 0.0]


async def test_changes_of_an_account(players: Caller) -> None:
    """Each one changes its own fields of its own account."""
    await players.run(PasswordChanged(name=ANN, password_hash=HASH + "2"))
    await players.run(SettingsChanged(name=ANN, settings=FULL_SETTINGS))
    await players.run(LoggedIn(name=ANN, at=7.5, host="example.net"))
    await players.run(LoggedOut(name=ANN, at=8.5))
    assert await players.store.account("Ann") == attrs.evolve(
        samples.account("Ann"),
        password_hash=HASH + "2",
        settings=FULL_SETTINGS,
        last_login=7.5,
        last_host="example.net",
        last_logout=8.5,
    )
    assert await players.store.account("bob") == samples.account("bob")


async def test_recovery_code_is_replaced_and_removed(players: Caller) -> None:
    """A new account has none."""
    for recovery_hash in (HASH, HASH + "2", None, HASH):
        await players.run(RecoveryChanged(name=ANN, recovery_hash=recovery_hash))
        assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), recovery_hash=recovery_hash)
    assert await players.store.account("bob") == samples.account("bob")


async def test_recovery_code_comes_back_with_a_new_account(caller: Caller) -> None:
    """As everything else that an account has when it is made."""
    account = attrs.evolve(samples.account("Ann"), recovery_hash=HASH)
    await caller.run(AccountCreated(account=account))
    assert await caller.store.account("Ann") == account


async def test_recovery_code_works_once(players: Caller) -> None:
    """The password is changed and the code is gone together; a second use is refused and changes nothing."""
    await players.run(RecoveryChanged(name=ANN, recovery_hash="code"), RecoveryChanged(name=BOB, recovery_hash="code"))
    await players.refused(PasswordRecovered(name=ANN, recovery_hash="other", password_hash="new"))
    await players.run(PasswordRecovered(name=ANN, recovery_hash="code", password_hash="new"))
    await players.refused(PasswordRecovered(name=ANN, recovery_hash="code", password_hash="newer"))
    assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), password_hash="new")
    assert await players.store.account("bob") == attrs.evolve(samples.account("bob"), recovery_hash="code")


async def test_recovery_code_of_two_jobs_that_wait_works_for_the_first(players: Caller) -> None:
    """Also when both are stored in one commit."""
    await players.run(RecoveryChanged(name=ANN, recovery_hash="code"))
    first, second = (
        players.submit(PasswordRecovered(name=ANN, recovery_hash="code", password_hash=new)) for new in ("one", "two")
    )
    assert (await players.outcome(first)).error is None
    assert (await players.outcome(second)).error is not None
    assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), password_hash="one")


async def test_changes_about_a_recovery_count_in_their_order(players: Caller) -> None:
    """In one job: a code that was replaced before does not work, what comes behind stands."""
    made = RecoveryChanged(name=ANN, recovery_hash="code")
    used = PasswordRecovered(name=ANN, recovery_hash="code", password_hash="recovered")
    await players.refused(made, RecoveryChanged(name=ANN, recovery_hash="another"), used)
    await players.run(PasswordChanged(name=ANN, password_hash="before"), made, used)
    assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), password_hash="recovered")
    await players.run(made, used, PasswordChanged(name=ANN, password_hash="after"), made)
    assert await players.store.account("Ann") == attrs.evolve(
        samples.account("Ann"), password_hash="after", recovery_hash="code"
    )


async def test_default_settings_come_back(players: Caller) -> None:
    """What is not set is not set afterwards."""
    await players.run(SettingsChanged(name=ANN, settings=FULL_SETTINGS))
    await players.run(SettingsChanged(name=ANN, settings=Settings()))
    found = await players.store.account("Ann")
    assert found is not None
    assert found.settings == Settings()


@pytest.mark.parametrize(
    "change",
    [
        PasswordChanged(name=UserName("nobody"), password_hash=HASH),
        RecoveryChanged(name=UserName("nobody"), recovery_hash=None),
        PasswordRecovered(name=UserName("nobody"), recovery_hash=HASH, password_hash=HASH),
        PasswordRecovered(name=ANN, recovery_hash=HASH, password_hash=HASH),
        SettingsChanged(name=UserName("nobody"), settings=Settings()),
        LoggedIn(name=UserName("nobody"), at=1.0, host="x"),
        LoggedOut(name=UserName("nobody"), at=1.0),
        LoggedOut(name=UserName("ann"), at=1.0),
        samples.started(1, BySide(o=ANN, x=UserName("nobody"))),
        samples.added(1, 0),
        MatchAdjourned(id=MatchId(1), left_by=None, at=1.0),
        samples.finished(1),
        MatchVoided(id=MatchId(1)),
        MessageLeft(message=samples.message(1, to=UserName("nobody"))),
        RollsCounted(counts=((0, 7, 1),)),
        RightsChanged(name=UserName("nobody"), rights=frozenset()),
        MutedUntil(name=UserName("nobody"), until=1.0),
        BanSet(ban=samples.ban(1, name=UserName("nobody"))),
        BanSet(ban=samples.ban(1, name=UserName("ann"))),
        AccountRenamed(name=UserName("nobody"), new_name=UserName("somebody")),
        AccountRenamed(name=UserName("ann"), new_name=UserName("somebody")),
        AccountErased(name=UserName("nobody")),
        AccountErased(name=UserName("ann")),
    ],
    ids=samples.kind,
)
async def test_change_of_what_is_not_there_is_refused(players: Caller, change: Change) -> None:
    """A change that would be lost without a word is our bug, and said to be."""
    await players.refused(change)


async def test_match_comes_back_with_its_journal(players: Caller) -> None:
    """Both players find it, with its entries in order."""
    added = parse_terms(["jacoby", "clock", "60", "5", "ghost", "nackgammon"], unlimited=True)
    terms = MatchTerms(length=None, crawford=False, redoubles=3, autodoubles=1, added=added)
    await players.run(MatchStarted(id=MatchId(7), names=PLAYERS, terms=terms, at=10.5))
    entries = [f"O r {n}" for n in range(12)]
    for seq, entry in enumerate(entries):
        await players.run(samples.added(7, seq, entry, at=11.0 + seq))
    row = MatchRow(
        id=MatchId(7),
        names=PLAYERS,
        terms=terms,
        started=10.5,
        entries=tuple(entries),
        touched=22.0,
    )
    assert await players.store.unfinished(ANN) == (row,)
    assert await players.store.unfinished(BOB) == (row,)
    assert await players.store.unfinished(EVE) == ()
    assert await players.store.last_match(ANN) == row


async def test_match_without_entries_was_touched_at_its_start(players: Caller) -> None:
    """There is no other time to give."""
    await players.run(samples.started(1))
    (row,) = await players.store.unfinished(ANN)
    assert (row.entries, row.touched) == ((), 10.0)


async def test_match_number_is_unique(players: Caller) -> None:
    """A second match of the number is refused, even between others and after the first is finished."""
    await players.run(samples.started(1))
    await players.refused(samples.started(1, BySide(o=BOB, x=EVE)))
    await players.run(samples.finished(1))
    await players.refused(samples.started(1, BySide(o=BOB, x=EVE)))


async def test_entry_number_is_unique_in_its_match(players: Caller) -> None:
    """A duplicate is refused, the first one stays."""
    await players.run(samples.started(1), samples.added(1, 0, "first"))
    await players.run(samples.started(2), samples.added(2, 0, "other match"))
    await players.refused(samples.added(1, 0, "second"))
    rows = await players.store.unfinished(ANN)
    assert [row.entries for row in rows] == [("first",), ("other match",)]


async def test_gap_in_a_journal_is_refused(players: Caller) -> None:
    """Replaying past a gap would give another game; the entry before may have been refused itself."""
    await players.run(samples.started(1), samples.added(1, 0))
    await players.refused(samples.added(1, 2))
    await players.refused(samples.started(2), samples.added(2, 1))
    await players.run(samples.added(1, 1), samples.added(1, 2))
    (row,) = await players.store.unfinished(ANN)
    assert len(row.entries) == 3


async def test_job_is_stored_whole_or_not_at_all(players: Caller) -> None:
    """What came before the bad change of a job is taken back; numbers are free again."""
    notice = samples.message(1)
    await players.run(samples.started(1), samples.added(1, 0))
    await players.run(MessageLeft(message=samples.message(2)), RollsCounted(counts=((1, 2, 5),)))
    await players.run(
        BanSet(ban=samples.ban(1)), Audited(audit=samples.audit("x")), TextSet(key="rules", text="be nice")
    )
    before = await samples.everything(players.store)
    await players.refused(
        AccountCreated(account=samples.account("new")),
        PasswordChanged(name=ANN, password_hash=HASH + "2"),
        samples.started(2),
        samples.added(1, 1),
        samples.added(2, 0),
        MatchAdjourned(id=MatchId(1), left_by=ANN, at=12.0),
        samples.finished(1, rating=samples.rated(BOB, ANN), notices=(notice,)),
        MatchVoided(id=MatchId(2)),
        RollsCounted(counts=((1, 2, 1),)),
        MessagesDelivered(ids=(2,)),
        RightsChanged(name=ANN, rights=frozenset({"admin"})),
        MutedUntil(name=ANN, until=9.5),
        RecoveryChanged(name=ANN, recovery_hash=HASH),
        PasswordRecovered(name=ANN, recovery_hash=HASH, password_hash=HASH + "3"),
        BanSet(ban=samples.ban(2)),
        BanLifted(id=1),
        Audited(audit=samples.audit("ban")),
        TextSet(key="motd", text="new"),
        TextSet(key="rules", text=""),
        AccountErased(name=UserName("new")),
        AccountRenamed(name=ANN, new_name=UserName("Anna")),
        LoggedOut(name=UserName("nobody"), at=1.0),
    )
    assert await samples.everything(players.store) == before
    await players.run(AccountCreated(account=samples.account("new")), samples.started(2), samples.added(1, 1))


async def test_changes_of_one_job_build_on_each_other(caller: Caller) -> None:
    """Accounts, a match between them and its end fit into one job."""
    await caller.run(
        AccountCreated(account=samples.account("Ann")),
        AccountCreated(account=samples.account("bob")),
        samples.started(1),
        samples.added(1, 0),
        samples.added(1, 1, at=15.0),
        samples.finished(1, rating=samples.rated(BOB, ANN)),
    )
    row = await caller.store.last_match(ANN)
    assert row is not None
    assert (len(row.entries), row.finished, row.touched) == (2, 20.0, 15.0)


async def test_adjourned_match_tells_who_left(players: Caller) -> None:
    """It can be played on; the next adjournment overwrites who left."""
    await players.run(samples.started(1), samples.added(1, 0))
    await players.run(MatchAdjourned(id=MatchId(1), left_by=BOB, at=12.0))
    (row,) = await players.store.unfinished(ANN)
    assert (row.left_by, row.touched, row.finished) == (BOB, 11.0, None)
    await players.run(samples.added(1, 1, at=30.0))
    await players.run(MatchAdjourned(id=MatchId(1), left_by=None, at=31.0))
    (row,) = await players.store.unfinished(ANN)
    assert (row.left_by, row.touched, len(row.entries)) == (None, 30.0, 2)


async def test_finished_match_with_rating_and_notices(players: Caller) -> None:
    """Both standings are set, the notices wait, and the match with its journal is last and not unfinished."""
    await players.run(samples.started(1), samples.added(1, 0), samples.added(1, 1, at=13.0))
    rating = samples.rated(winner=BOB, loser=ANN)
    notices = (samples.message(1, to=ANN, text="you lost"), samples.message(2, to=BOB, text="you won"))
    await players.run(samples.finished(1, rating=rating, notices=notices))
    ann, bob, eve = await players.store.accounts()
    assert (ann.rating, ann.experience) == (rating.loser.rating_after, 3)
    assert (bob.rating, bob.experience) == (rating.winner.rating_after, 3)
    assert eve == samples.account("Eve")
    assert await players.store.messages(ANN) == notices[:1]
    assert await players.store.messages(BOB) == notices[1:]
    assert await players.store.unfinished(ANN) == ()
    row = await players.store.last_match(ANN)
    assert row is not None
    assert (row.finished, row.touched, row.entries) == (20.0, 13.0, ("O r 6 3", "O r 6 3"))
    assert await players.store.counts() == Counts(accounts=3, saved_matches=0, finished_matches=1)


async def test_finished_match_without_rating(players: Caller) -> None:
    """The standings stay."""
    await players.run(samples.started(1))
    await players.run(samples.finished(1))
    assert await players.store.account("bob") == samples.account("bob")
    assert (await players.store.counts()).finished_matches == 1


async def test_match_is_finished_once(players: Caller) -> None:
    """A result that is told twice rates once."""
    rating = samples.rated(winner=BOB, loser=ANN)
    await players.run(samples.started(1), samples.finished(1, rating=rating))
    again = attrs.evolve(rating, winner=attrs.evolve(rating.winner, rating_after=1600.0))
    await players.refused(samples.finished(1, rating=again))
    await players.refused(MatchAdjourned(id=MatchId(1), left_by=None, at=1.0))
    await players.refused(MatchVoided(id=MatchId(1)))
    found = await players.store.account("bob")
    assert found is not None
    assert found.rating == rating.winner.rating_after


async def test_result_with_impossible_rating_is_refused(players: Caller) -> None:
    """The match stays unfinished."""
    await players.run(samples.started(1))
    rating = samples.rated(winner=BOB, loser=ANN)
    bad = attrs.evolve(rating, loser=attrs.evolve(rating.loser, rating_after=-3.0))
    assert "rating" in await players.refused(samples.finished(1, rating=bad))
    assert len(await players.store.unfinished(ANN)) == 1


async def test_voided_match_leaves_no_trace(players: Caller) -> None:
    """Its row and its journal go, another match stays."""
    await players.run(samples.started(1), samples.added(1, 0))
    await players.run(samples.started(2), samples.added(2, 0))
    await players.run(MatchVoided(id=MatchId(2)))
    assert [row.id for row in await players.store.unfinished(ANN)] == [1]
    await players.refused(samples.added(2, 1))
    assert await players.store.counts() == Counts(accounts=3, saved_matches=1, finished_matches=0)


async def test_unfinished_matches_oldest_first(players: Caller) -> None:
    """Whatever their numbers and whoever had which colour."""
    await players.run(samples.started(1, at=30.0))
    await players.run(samples.started(2, BySide(o=BOB, x=ANN), at=10.0))
    await players.run(samples.started(3, BySide(o=EVE, x=BOB), at=5.0))
    await players.run(samples.started(4, BySide(o=EVE, x=ANN), at=20.0))
    assert [row.id for row in await players.store.unfinished(ANN)] == [2, 4, 1]


async def test_last_match_has_the_newest_entry(players: Caller) -> None:
    """Neither its start nor its end counts."""
    await players.run(samples.started(1), samples.added(1, 0, at=50.0))
    await players.run(samples.started(2, BySide(o=EVE, x=ANN)), samples.added(2, 0, at=40.0))
    await players.run(samples.finished(2, BySide(o=EVE, x=ANN), at=60.0))
    for name, expected in ((ANN, 1), (BOB, 1), (EVE, 2)):
        row = await players.store.last_match(name)
        assert row is not None
        assert row.id == expected
    await players.run(samples.finished(1, at=61.0))
    await players.run(samples.started(3), samples.added(3, 0, at=45.0))
    row = await players.store.last_match(ANN)
    assert row is not None
    assert row.id == 1
    await players.run(samples.added(3, 1, at=70.0))
    row = await players.store.last_match(ANN)
    assert row is not None
    assert row.id == 3


async def test_match_by_its_number(players: Caller) -> None:
    """Finished or not, with its journal."""
    await players.run(samples.started(1), samples.added(1, 0, "first"), samples.added(1, 1, "second", at=12.0))
    row = await players.store.match(MatchId(1))
    assert row is not None
    assert (row.id, row.names, row.entries, row.finished, row.touched) == (1, PLAYERS, ("first", "second"), None, 12.0)
    await players.run(samples.finished(1))
    assert await players.store.match(MatchId(1)) == attrs.evolve(row, finished=20.0)
    assert await players.store.match(MatchId(2)) is None


async def test_result_of_other_players_is_refused(players: Caller) -> None:
    """A score would go to the wrong one; in which colours they were is no matter."""
    await players.run(samples.started(1))
    await players.refused(samples.finished(1, BySide(o=ANN, x=EVE)))
    await players.refused(samples.finished(1, BySide(o=ANN, x=ANN)))
    await players.run(samples.finished(1, PLAYERS.swap()))


async def test_next_ids_follow_the_highest(players: Caller) -> None:
    """Gaps are not filled."""
    await players.run(samples.started(3), MessageLeft(message=samples.message(9)))
    await players.run(samples.started(8), samples.finished(8))
    await players.run(BanSet(ban=samples.ban(5)), BanSet(ban=samples.ban(2)))
    assert await players.store.next_ids() == NextIds(match=9, message=10, ban=6)


async def test_arrival_is_all_of_a_user_at_once(players: Caller) -> None:
    """The same as is found one by one; in any letter case, like the account."""
    await players.run(samples.opened(BOB), MessageLeft(message=samples.message(1)))
    await players.run(samples.started(1), samples.added(1, 0), samples.started(2), samples.finished(2))
    store = players.store
    found = await store.arrival("BOB")
    assert found == Arrival(
        account=samples.account("bob"),
        unfinished=await store.unfinished(BOB),
        messages=await store.messages(BOB),
        points=100,
    )
    assert [len(found.unfinished), len(found.messages)] == [1, 1]
    assert await store.arrival("Eve") == Arrival(account=samples.account("Eve"))
    assert await store.arrival("nobody") is None


async def test_messages_wait_until_delivered(players: Caller) -> None:
    """Oldest first; delivering what is not there is no fault."""
    texts = [samples.message(n, text=f"n {n} \u00e4\u20ac\U0001f600") for n in (3, 1, 2)]
    for text in texts:
        await players.run(MessageLeft(message=text))
    await players.run(MessageLeft(message=samples.message(4, to=EVE)))
    assert [message.id for message in await players.store.messages(BOB)] == [1, 2, 3]
    assert (await players.store.messages(BOB))[2] == texts[0]
    await players.run(MessagesDelivered(ids=(1, 3, 77)))
    assert await players.store.messages(BOB) == (texts[2],)
    assert [message.id for message in await players.store.messages(EVE)] == [4]
    await players.refused(MessageLeft(message=samples.message(4)))


async def test_ranking(caller: Caller) -> None:
    """Best first, equals by name, the inexperienced not at all; `rank` agrees with the list."""
    for name, rating, experience in (
        ("dan", 1600.0, 50),
        ("Bob", 1700.0, 50),
        ("ann", 1700.0, 60),
        ("cat", 1900.0, 49),
        ("eve", 1500.0, 99),
    ):
        await caller.run(AccountCreated(account=samples.account(name, rating, experience)))
    everybody = await caller.store.ranking(1, 100, min_experience=50)
    assert [(row.rank, row.name) for row in everybody] == [(1, "ann"), (2, "Bob"), (3, "dan"), (4, "eve")]
    assert everybody[0] == Ranked(rank=1, name=UserName("ann"), rating=1700.0, experience=60)
    assert await caller.store.ranking(2, 3, min_experience=50) == everybody[1:3]
    assert await caller.store.ranking(5, 9, min_experience=50) == ()
    assert await caller.store.ranking(3, 2, min_experience=50) == ()
    assert await caller.store.ranking(-5, 1, min_experience=50) == everybody[:1]
    for row in everybody:
        assert await caller.store.rank(row.name, min_experience=50) == row
    unranked = Ranked(rank=None, name=UserName("cat"), rating=1900.0, experience=49)
    assert await caller.store.rank(UserName("cat"), min_experience=50) == unranked
    assert await caller.store.rank(UserName("nobody"), min_experience=50) is None


async def test_rolls_add_up(caller: Caller) -> None:
    """Each ordered pair of dice has its own count."""
    await caller.run(RollsCounted(counts=((6, 1, 2), (1, 6, 3), (5, 5, 1))))
    await caller.run(RollsCounted(counts=((6, 1, 4),)))
    assert await caller.store.rolls() == ((1, 6, 3), (5, 5, 1), (6, 1, 6))


async def test_counts(players: Caller) -> None:
    """Every match is saved or finished."""
    for match in (1, 2, 3):
        await players.run(samples.started(match))
    await players.run(samples.finished(2))
    assert await players.store.counts() == Counts(accounts=3, saved_matches=2, finished_matches=1)


async def test_every_kind_of_change_is_known() -> None:
    """A change that is added to the world needs a place in every store."""
    from fibsd.storage import batch, memory_data

    kinds = set(Change.__args__)
    assert batch._GATHERED.keys() | batch._IN_TURN.keys() == kinds
    assert not batch._GATHERED.keys() & batch._IN_TURN.keys()
    assert set(memory_data._BY_KIND) == kinds
