"""Saved matches that are not played on: how they are ended, and how that is reversed."""

from collections.abc import Iterable, Mapping

import attrs

from fibsd.backgammon.actions import Forfeit
from fibsd.backgammon.reach import reachable_loss
from fibsd.backgammon.side import BySide, Side
from fibsd.rating import RatingChange, rate
from fibsd.world.account import Account
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import (
    Audit,
    Audited,
    Booked,
    MatchFinished,
    MatchReversed,
    MatchRow,
    MatchVoided,
    Message,
    MessageLeft,
)
from fibsd.world.events import Awarded, AwardReason, MatchSettled
from fibsd.world.ids import UserName
from fibsd.world.results import SERVER_NAME, book
from fibsd.world.stakes import give_back, pay, take_back_win
from fibsd.world.table import Table
from fibsd.world.world import World

DAY_S = 86_400.0

ADJUDICATE = "adjudicate"
"""How the server's own settlements are written down."""

Accounts = Mapping[UserName, Account]
"""Both players' accounts as they are now, whether they are on-line or not."""


def over_at(world: World, table: Table) -> float | None:
    """The Unix second at which a saved match is settled if nobody touches it; None if that never happens."""
    days = world.house.adjudicate_after
    return table.touched + days * DAY_S if days else None


def warned_at(world: World, table: Table) -> float | None:
    """The Unix second from which its players are warned at their logins: half of that time."""
    days = world.house.adjudicate_after
    return table.touched + days * DAY_S / 2 if days else None


def settle(
    world: World, table: Table, side: Side, accounts: Accounts, score: BySide[int], settled: int, why: str, out: Result
) -> str:
    """End a saved match as won, and rate it if it is one that is rated.

    Args:
        world: The world.
        table: The match, which has a length.
        side: Who wins.
        accounts: Of both.
        score: With which it ends.
        settled: How many entries its journal had before.
        why: For those who read how it ended.
        out: Collects the effect.

    Returns:
        How it ended, as both players are told.
    """
    won, lost, length = table.names.of(side), table.names.of(side.other), table.terms.length
    if length is None:
        raise ValueError("an unlimited match has no winner")
    change = None
    if table.terms.rated:
        change = rate(accounts[won].standing, accounts[lost].standing, length)
        book(world, change)
    text = f"{won} wins the {length} point match {score.of(side)}-{score.of(side.other)} . ({why})"
    _finish(world, table, side, score, settled, {won: text, lost: text}, out, rating=change)
    pay(world, table, won, out)
    return text


def adjudicate(world: World, table: Table, accounts: Accounts, out: Result) -> None:
    """Settle a saved match that was not touched for too long, in favour of the player who was here last.

    The running game is awarded to him, at the most that the other can still lose in it. If that does not win him
    the match he wins it all the same, without further points. Where nobody can be said to be at fault the match
    is made void, and an unlimited one, which nobody can win, ends as it stands.
    """
    winner = present(world, table, accounts)
    both, settled = (table.names.o, table.names.x), table.seq
    days = world.house.adjudicate_after
    if table.terms.length is None:
        score = table.match.score
        texts = {
            name: f"Your unlimited match with {table.opponent_of(name)} has ended {score.of(table.side_of(name))}-"
            f"{score.of(table.side_of(name).other)}: it was left for {days} days."
            for name in both
        }
        _finish(world, table, None, score, settled, texts, out)
        details = f"{both[0]} {both[1]}: ended as it stood"
    elif winner is None:
        out.store(MatchVoided(id=table.id))
        for name in both:
            text = f"Your match with {table.opponent_of(name)} was made void: it was left for {days} days."
            out.store(MessageLeft(message=_told(world, name, text, out)))
        give_back(world, table, out)
        details = f"{both[0]} {both[1]}: made void"
    else:
        side, absent = table.side_of(winner), table.opponent_of(winner)
        if not table.paused:
            _award(world, table, side.other, out)
        details = settle(world, table, side, accounts, table.match.score, settled, f"{absent} did not come back", out)
    _forget(world, table)
    out.store(Audited(audit=Audit(at=out.now, by=SERVER_NAME, act=ADJUDICATE, subject=str(table.id), details=details)))
    for name in both:
        if name in world.users:
            world.announce_user(world.users[name], out)


def open_again(
    world: World, row: MatchRow, ratings: Iterable[Booked], points: Iterable[tuple[str, int]], out: Result
) -> None:
    """Reverse the settlement of a match: it is a saved match again, and exactly what was booked is booked back.

    Args:
        world: The world.
        row: The match as it is stored.
        ratings: What its end did to the players.
        points: What each account of the ledger got by it.
        out: Collects the effect.
    """
    if row.settled is None:
        raise ValueError(f"match {row.id} was not settled")
    out.store(MatchReversed(id=row.id, names=row.names, settled=row.settled, ratings=tuple(ratings), at=out.now))
    for booked in ratings:
        presence = world.users.get(booked.name)
        if presence is not None:
            account = presence.account
            presence.account = attrs.evolve(
                account, rating=booked.undone(account.rating), experience=account.experience - booked.experience
            )
    take_back_win(world, row.id, points, out)
    both = (row.names.o, row.names.x)
    if any(name in world.users for name in both):
        entries = row.entries[: row.settled]
        table = Table.restore(attrs.evolve(row, entries=entries, finished=None, settled=None, touched=out.now))
        world.saved[table.id] = table
    for name, opponent in (both, both[::-1]):
        text = f"Your match with {opponent} is a saved match again: how it was settled was taken back."
        out.store(MessageLeft(message=_told(world, name, text, out)))
        if name in world.users:
            world.announce_user(world.users[name], out)


def present(world: World, table: Table, accounts: Accounts) -> UserName | None:
    """Who was here last: whose last login or logout is the later one; whoever is on-line is here now.

    If that is the same for both it is the one who did not leave the match; None if neither did.
    """
    o, x = table.names.o, table.names.x
    seen_o, seen_x = _seen(world, accounts[o]), _seen(world, accounts[x])
    if seen_o != seen_x:
        return o if seen_o > seen_x else x
    return None if table.left_by is None else table.opponent_of(table.left_by)


def _seen(world: World, account: Account) -> float:
    if account.name in world.users:
        return float("inf")
    return max(account.last_login or 0.0, account.last_logout or 0.0)


def _award(world: World, table: Table, loser: Side, out: Result) -> None:
    table.enter(Forfeit(side=loser, size=reachable_loss(table.match.game, loser)), out.now, out)
    result = table.match.game.result
    if result is None:
        raise ValueError("a forfeit did not end the game")
    for name in (table.names.o, table.names.x):
        if name in world.users:
            out.tell(ToUser(name), Awarded(table.names, loser, result.points, AwardReason.ABANDONED))


def _finish(
    world: World,
    table: Table,
    side: Side | None,
    score: BySide[int],
    settled: int,
    texts: Mapping[UserName, str],
    out: Result,
    *,
    rating: RatingChange | None = None,
) -> None:
    out.store(
        MatchFinished(
            id=table.id,
            names=table.names,
            winner=side,
            score=score,
            rating=rating,
            notices=tuple(_told(world, name, text, out) for name, text in texts.items()),
            at=out.now,
            settled=settled,
        )
    )
    _forget(world, table)


def _forget(world: World, table: Table) -> None:
    world.saved.pop(table.id, None)
    world.withdraw_offers(table.id)


def _told(world: World, name: UserName, text: str, out: Result) -> Message:
    """A message for a player; if he is on-line he is told at once, and the delivery of that deletes it."""
    message = Message(id=world.next_message, to=name, sender=SERVER_NAME, at=out.now, text=text)
    world.next_message += 1
    if name in world.users:
        out.tell(ToUser(name), MatchSettled(text))
        out.receipts.append((name, message.id))
    return message
