"""What every `Store` does for administrators: rights, mutes, bans, the record of their acts, texts."""

import math

import attrs
import pytest

from fibsd.world.account import Account
from fibsd.world.changes import (
    AccountCreated,
    Audited,
    BanLifted,
    BanSet,
    LoggedOut,
    MutedUntil,
    RightsChanged,
    TextSet,
)
from fibsd.world.ids import UserName

from . import samples
from .samples import ANN, BOB, HASH, Caller


async def test_rights_are_replaced(players: Caller) -> None:
    """The new words stand instead of the old ones, also none at all."""
    for rights in (frozenset({"moderator"}), frozenset({"admin", "ghost"}), frozenset[str]()):
        await players.run(RightsChanged(name=ANN, rights=rights))
        assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), rights=rights)
    assert await players.store.account("bob") == samples.account("bob")


async def test_mute_and_its_end(players: Caller) -> None:
    """A later mute replaces the earlier one; the store does not compare it with the clock."""
    for until in (99.5, 0.25, None):
        await players.run(MutedUntil(name=ANN, until=until))
        assert await players.store.account("Ann") == attrs.evolve(samples.account("Ann"), muted_until=until)
    assert await players.store.account("bob") == samples.account("bob")


@pytest.mark.parametrize("until", [math.inf, math.nan])
async def test_end_that_is_no_time_is_refused(players: Caller, until: float) -> None:
    """Such an account could not be loaded again; who is muted for ever gets a time far away."""
    await players.refused(MutedUntil(name=ANN, until=until))
    await players.refused(BanSet(ban=attrs.evolve(samples.ban(1), until=until)))
    await players.refused(AccountCreated(account=Account(name=UserName("x"), password_hash=HASH, muted_until=until)))
    assert await players.store.account("Ann") == samples.account("Ann")


async def test_bans_come_back_by_number(players: Caller) -> None:
    """Of a user or of addresses, for a time or for ever, ended ones too."""
    user = samples.ban(7)
    network = attrs.evolve(samples.ban(3, name=None, network="192.0.2.0/24", by="operator"), until=16.25)
    await players.run(BanSet(ban=user))
    await players.run(BanSet(ban=network))
    assert await players.store.bans() == (network, user)
    await players.refused(BanSet(ban=samples.ban(3)))
    await players.run(BanLifted(id=7), BanLifted(id=8))
    assert await players.store.bans() == (network,)


async def test_ban_that_is_set_and_lifted_at_once(players: Caller) -> None:
    """In one job, too, the later change counts."""
    await players.run(BanSet(ban=samples.ban(1)), BanSet(ban=samples.ban(2)), BanLifted(id=1))
    assert [ban.id for ban in await players.store.bans()] == [2]


@pytest.mark.parametrize("network", [None, "192.0.2.1"])
async def test_ban_is_of_a_user_or_of_addresses(players: Caller, network: str | None) -> None:
    """Not of both, not of nothing."""
    name = None if network is None else BOB
    assert "ban 1" in await players.refused(BanSet(ban=samples.ban(1, name=name, network=network)))
    assert await players.store.bans() == ()


async def test_audits_are_the_newest_in_the_order_of_writing(players: Caller) -> None:
    """Whatever their times; equal ones are kept, too."""
    audits = [samples.audit(act, at) for act, at in (("ban", 9.0), ("mute", 8.0), ("mute", 8.0), ("rename", 10.0))]
    await players.run(Audited(audit=audits[0]))
    await players.run(Audited(audit=audits[1]), Audited(audit=audits[2]))
    await players.run(Audited(audit=audits[3]))
    for last in (0, 1, 3, 4, 50):
        assert await players.store.audits(last) == tuple(audits[max(4 - last, 0) :])
    assert await players.store.audits(-1) == ()


async def test_audit_is_written_with_what_it_records_or_not_at_all(players: Caller) -> None:
    """A refused act was none."""
    await players.refused(Audited(audit=samples.audit("ban")), LoggedOut(name=UserName("nobody"), at=1.0))
    assert await players.store.audits(10) == ()
    await players.run(Audited(audit=samples.audit("ban")), BanSet(ban=samples.ban(1)))
    assert await players.store.audits(10) == (samples.audit("ban"),)


async def test_text_is_replaced_and_removed(players: Caller) -> None:
    """Each key has its own; an empty text is none."""
    await players.run(TextSet(key="motd", text="Hello\n\u00e4'\""), TextSet(key="rules", text="Be nice."))
    assert await players.store.text("motd") == "Hello\n\u00e4'\""
    await players.run(TextSet(key="motd", text="Bye"))
    assert (await players.store.text("motd"), await players.store.text("rules")) == ("Bye", "Be nice.")
    await players.run(TextSet(key="motd", text=""))
    assert (await players.store.text("motd"), await players.store.text("rules")) == (None, "Be nice.")
    await players.run(TextSet(key="motd", text=""))
    assert await players.store.text("Rules") is None


async def test_texts_of_one_job_are_set_in_its_order(players: Caller) -> None:
    """The last one counts."""
    texts = ("a", "", "b", "c", "", "d")
    await players.run(*(TextSet(key="motd", text=text) for text in texts))
    await players.run(*(TextSet(key="rules", text=text) for text in texts[:-1]))
    assert (await players.store.text("motd"), await players.store.text("rules")) == ("d", None)
