"""Administration of matches: undoing one, settling a saved one."""

from fibsd.commands.admin.act import Act, People, account_of, refused
from fibsd.rating import rate
from fibsd.world.account import Account
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchFinished, MatchVoided, Message
from fibsd.world.events import Notice, NoticeKind, OpponentLeft, ReportLeft
from fibsd.world.ids import UserName
from fibsd.world.results import SERVER_NAME, book, close
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
    return (f"The match of {one} and {other} is void.",)


def settle(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """End the newest saved match of two users as won by one of them, rated as if it had been played."""
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
    won, lost = table.names.of(side), table.names.of(side.other)
    change = rate(accounts[won].standing, accounts[lost].standing, length)
    score = table.match.score.put(side, max(length, table.match.score.of(side)))
    text = f"{won} wins the {length} point match {score.of(side)}-{score.of(side.other)} . (settled by {act.by})"
    book(world, change)
    out.store(
        MatchFinished(
            id=table.id,
            names=table.names,
            winner=side,
            score=score,
            rating=change,
            notices=tuple(_notice(world, accounts[name], text, act.now) for name in (won, lost)),
            at=act.now,
        )
    )
    world.saved.pop(table.id, None)
    world.withdraw_offers(table.id)
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


def _notice(world: World, account: Account, text: str, now: float) -> Message:
    message = Message(id=world.next_message, to=UserName(account.name), sender=SERVER_NAME, at=now, text=text)
    world.next_message += 1
    return message
