"""Administration of matches: undoing one, settling a saved one, taking that back."""

from collections.abc import Mapping

from fibsd.commands.admin.act import Act, People, account_of, refused
from fibsd.commands.call import Services
from fibsd.protocol.words import number
from fibsd.storage.store import Settlement
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchRow, MatchVoided
from fibsd.world.events import Notice, NoticeKind, OpponentLeft, ReportLeft
from fibsd.world.ids import MatchId, UserName
from fibsd.world.results import close
from fibsd.world.settling import open_again
from fibsd.world.settling import settle as end_settled
from fibsd.world.stakes import give_back
from fibsd.world.table import CorruptMatch, Table
from fibsd.world.world import World


def void(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Undo the newest unfinished match of two users."""
    table = _match_between(act, world)
    one, other = table.names.o, table.names.x
    running = world.tables.get(table.id) is table
    out.store(MatchVoided(id=table.id))
    if running:
        close(world, table)
        for name in (one, other):
            out.tell(ToUser(name), OpponentLeft(table.opponent_of(name), voided=True))
        world.announce_players(
            table, (one, other), ReportLeft(one, other), out, pairs_first=True, watchers_get_line=True
        )
    world.saved.pop(table.id, None)
    world.withdraw_offers(table.id)
    for name in (one, other):
        out.tell(ToUser(name), Notice(NoticeKind.YOU_VOIDED, table.opponent_of(name)))
    give_back(world, table, out)
    return (f"The match of {one} and {other} is void.",)


def settle(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """End the newest saved match of two users as won by one of them, as if it had been played."""
    table = _match_between(act, world)
    if world.tables.get(table.id) is table:
        raise refused("That match is being played. It can be settled when it is saved.")
    winner = act.word(2, "the winner")
    names = {name.lower(): name for name in (table.names.o, table.names.x)}
    if winner.lower() not in names:
        raise refused(f"{winner} does not play in that match.")
    length = table.terms.length
    if length is None:
        raise refused("An unlimited match has no winner; it can only be made void.")
    side = table.side_of(names[winner.lower()])
    accounts = {account.name: account for account in (account_of(act, world, 0), account_of(act, world, 1))}
    score = table.match.score.put(side, max(length, table.match.score.of(side)))
    text = end_settled(world, table, side, accounts, score, table.seq, f"settled by {act.by}", out)
    return (f"Settled: {text}",)


def _match_between(act: Act, world: World) -> Table:
    """The newest unfinished match of the two users named first."""
    one, other = account_of(act, world, 0).name, account_of(act, world, 1).name
    for table in world.tables.values():
        if {table.names.o, table.names.x} == {one, other}:
            return table
    known = world.saved_between(one, other)
    if known:
        return known[0]
    rows = act.facts.matches if isinstance(act.facts, People) else ()
    for row in sorted(rows, key=lambda row: row.touched, reverse=True):
        if {row.names.o, row.names.x} == {one, other}:
            try:
                return Table.restore(row)
            except CorruptMatch as error:
                raise refused(f"The saved match cannot be read: {error}") from error
    raise refused(f"{one} and {other} have no unfinished match.")


@frozen(kw_only=True)
class Ended:
    """A match, what its end has booked, and what those concerned have now.

    Attributes:
        row: The match.
        settlement: What was booked.
        accounts: The players' accounts, as far as there are any.
        points: How many play points each account of the ledger has that got any.
    """

    row: MatchRow
    settlement: Settlement
    accounts: tuple[Account, ...]
    points: Mapping[str, int]


async def find_ended(act: Act, world: World, services: Services) -> Ended | None:
    """The match that the number stands for."""
    words, store = act.words, services.store
    found = number(words[0]) if words else None
    row = None if found is None else await store.match(MatchId(found))
    if row is None:
        return None
    settlement = await store.settlement(row.id)
    accounts = [await store.account(name) for name in (row.names.o, row.names.x)]
    points = {account: await store.balance(account) or 0 for account, _ in settlement.points}
    return Ended(
        row=row,
        settlement=settlement,
        accounts=tuple(account for account in accounts if account is not None),
        points=points,
    )


def reverse(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Take back the settlement of a match: it is a saved match again, and what it booked is booked back."""
    word = act.word(0, "the number of a match")
    ended = act.facts
    if not isinstance(ended, Ended):
        raise refused(f"There is no match {word}.")
    row, settlement = ended.row, ended.settlement
    if row.settled is None or row.id in world.saved or row.id in world.tables:
        raise refused(f"Match {row.id} was not settled.")
    if len(ended.accounts) < 2:
        raise refused("One of the players has no account any more.")
    for account, amount in settlement.points:
        online = world.users.get(UserName(account))
        has = ended.points[account] if online is None or online.points is None else online.points
        if has < amount:
            raise refused(f"{account} does not have the {amount} play points any more.")
    open_again(world, row, settlement.ratings, settlement.points, out)
    return (f"Match {row.id} of {row.names.o} and {row.names.x} is a saved match again.",)
