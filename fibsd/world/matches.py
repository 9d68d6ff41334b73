"""How matches begin, are left, saved and taken up again."""

from collections.abc import Iterable

from fibsd.backgammon.actions import WithdrawResignation
from fibsd.backgammon.game import Phase
from fibsd.backgammon.side import BySide
from fibsd.world.account import Toggle
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchAdjourned, MatchStarted, MatchTerms, MatchVoided
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import (
    AskedToAnswer,
    AskedToJoin,
    BoardShown,
    MatchJoined,
    MatchResumed,
    Notice,
    NoticeKind,
    OpponentLeft,
    ReportLeft,
    ReportResume,
    ReportStart,
    TermsInForce,
    WaitsForJoin,
    YouLeft,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.invitations import check_experience, check_saved, end_invitations
from fibsd.world.lobby import Presence
from fibsd.world.play import advance, remind, start_game
from fibsd.world.playout import server_is_on_turn
from fibsd.world.record import GhostSeat, NextGame
from fibsd.world.results import close
from fibsd.world.stakes import check_stake, give_back, set_aside
from fibsd.world.table import Table
from fibsd.world.terms import NO_TERMS, AddedTerms
from fibsd.world.watching import stop_watching
from fibsd.world.world import World

# --- beginning -------------------------------------------------------------------------------------------------


def join(world: World, joiner: Presence, inviter: Presence, out: Result) -> None:
    """Take an invitation (FIBS help: join).

    Raises:
        Refused: There is none, or one of the two cannot play now.
    """
    offer = inviter.invitation
    if inviter is joiner or offer is None or offer.invitee != joiner.name:
        if inviter.table is not None and inviter is not joiner:
            raise Refused(Refusal.JOIN_PLAYING_OTHER, name=inviter.name)
        raise Refused(Refusal.DIDNT_INVITE, name=inviter.name)
    if offer.match is not None:
        table = world.saved.get(offer.match)
        if table is None:
            raise Refused(Refusal.SAVED_CORRUPT)
        resume(world, table, inviter, joiner, out)
        return
    check_experience(world, joiner, offer.length)
    check_saved(world, joiner)
    start_match(world, inviter, joiner, offer.length, out, offer.added)


def start_match(
    world: World, inviter: Presence, joiner: Presence, length: int | None, out: Result, added: AddedTerms = NO_TERMS
) -> None:
    """Begin a new match; colours are drawn (reference 6.2).

    Raises:
        Refused: One of the two has not got the stake.
    """
    check_stake(world, joiner, inviter, added.stake)
    both = (inviter, joiner)
    _make_free(world, both, out)
    names = BySide(o=inviter.name, x=joiner.name)
    if world.chance.coin():
        names = names.swap()
    turns_cube = length is None and added.variant.cube and not added.nocube
    terms = MatchTerms(
        length=length,
        crawford=any(user.on(Toggle.CRAWFORD) for user in both),
        redoubles=min(user.settings.redoubles for user in both) if turns_cube else 0,
        autodoubles=int(turns_cube and all(user.on(Toggle.AUTODOUBLE) for user in both)),
        added=added,
    )
    table = Table.new(MatchId(world.next_match), names, terms, out.now)
    world.next_match += 1
    _seat(world, table)
    out.store(MatchStarted(id=table.id, names=names, terms=terms, at=out.now))
    set_aside(world, table, out)
    world.announce_players(
        table,
        (inviter.name, joiner.name),
        ReportStart(inviter.name, joiner.name, length),
        out,
        pairs_first=True,
        watchers_get_line=True,
    )
    # To the table, as what follows: its people are looked up once.
    out.tell(table.audience, MatchJoined(names=names, inviter=table.side_of(inviter.name), length=length))
    tell_terms(table, (inviter.name, joiner.name), out)
    start_game(world, table, out)


def resume(world: World, table: Table, inviter: Presence, joiner: Presence, out: Result) -> None:
    """Go on with a saved match exactly where it was left (reference 7)."""
    _make_free(world, (inviter, joiner), out)
    del world.saved[table.id]
    table.left_by = None
    table.joined = frozenset()
    _seat(world, table)
    table.rouse(out)
    withdrawn = table.match.game.resignation
    if table.ghost is not None and not table.paused:
        # The server was stopped while it played for somebody, who is here now.
        table.enter(GhostSeat(table.ghost, False), out.now, out)
    if withdrawn is not None:
        table.enter(WithdrawResignation(side=withdrawn.side), out.now, out)
    world.announce_players(
        table,
        (inviter.name, joiner.name),
        ReportResume(inviter.name, joiner.name, table.terms.length),
        out,
        pairs_first=True,
        watchers_get_line=True,
    )
    for user in (inviter, joiner):
        show_resumed(table, user.name, out, invited=user is inviter)
    if withdrawn is not None:
        for user in (inviter, joiner):
            out.tell(ToUser(user.name), Notice(NoticeKind.RESIGNATION_WITHDRAWN))
    _ask_again(world, table, out)


def tell_terms(table: Table, names: Iterable[UserName], out: Result) -> None:
    """Tell players on which added terms they play, if there are any."""
    if table.terms.added:
        for name in names:
            out.tell(ToUser(name), TermsInForce(table.terms.added), shows=(table.id,))


def show_resumed(table: Table, name: UserName, out: Result, *, invited: bool) -> None:
    """The resume lines and the board, for one of the players; the joiner's points are told first."""
    game, side = table.match.game, table.side_of(name)
    turn = None if table.paused else game.offer.to_answer if game.offer else game.turn
    event = MatchResumed(
        opponent=table.names.of(side.other),
        invited=invited,
        first=side.other if invited else side,
        snapshot=table.snapshot,
        turn=turn,
    )
    out.tell(ToUser(name), event, shows=(table.id,))
    tell_terms(table, (name,), out)
    out.tell(ToUser(name), BoardShown(table.snapshot, side, own=True), shows=(table.id,))
    if table.paused:
        out.tell(ToUser(name), AskedToJoin(), shows=(table.id,))


def join_next(world: World, table: Table, presence: Presence, out: Result) -> None:
    """Go on to the next game of the match; it begins when both have said so (reference 6.9).

    Raises:
        Refused: The game is still running.
    """
    if not table.paused:
        raise Refused(Refusal.ALREADY_PLAYING)
    table.joined |= {presence.name}
    world.deadlines.pop(presence.name, None)
    opponent = table.opponent_of(presence.name)
    if opponent not in table.joined:
        out.tell(ToUser(presence.name), WaitsForJoin(opponent))
        return
    table.enter(NextGame(), out.now, out)
    start_game(world, table, out)


def _make_free(world: World, users: tuple[Presence, Presence], out: Result) -> None:
    """Starting a match ends what the players did before: invitations and watching."""
    end_invitations(world, *users)
    for user in users:
        if user.watching is not None:
            stop_watching(world, user, out)


def _seat(world: World, table: Table) -> None:
    world.tables[table.id] = table
    for name in (table.names.o, table.names.x):
        world.users[name].table = table.id
        world.users[name].partner = table.opponent_of(name)


def _ask_again(world: World, table: Table, out: Result) -> None:
    """After a resume: the prompt line of the state, or what the server does unasked."""
    game = table.match.game
    if table.paused:
        return
    if game.offer is not None:
        ask = AskedToAnswer(table.names, game.offer.by, redouble=game.offer.turns > 1)
        for name in (table.names.o, table.names.x):
            out.tell(ToUser(name), ask)
    elif (
        game.phase is Phase.ROLL
        and game.turn is not None
        and game.may_double(game.turn)
        and Toggle.DOUBLE in table.toggles.of(game.turn)
        and not server_is_on_turn(world, table)
    ):
        remind(table, out)
    else:
        advance(world, table, out)


# --- leaving ---------------------------------------------------------------------------------------------------


def leave(world: World, table: Table, presence: Presence, out: Result) -> None:
    """Leave the game; the match is saved (FIBS help: leave)."""
    name, opponent = presence.name, table.opponent_of(presence.name)
    adjourn(world, table, name, out)
    world.announce_players(
        table,
        (name, opponent),
        ReportLeft(name, opponent),
        out,
        pairs_first=True,
        watchers_get_line=True,
    )
    out.tell(ToUser(name), YouLeft())
    out.tell(ToUser(opponent), OpponentLeft(name))


def adjourn(world: World, table: Table, left_by: UserName | None, out: Result) -> None:
    """Save a running match, with what each player has left on his clock."""
    close(world, table)
    table.stop_clock(out)
    table.left_by = left_by
    table.joined = frozenset()
    table.touched = out.now
    world.saved[table.id] = table
    out.store(MatchAdjourned(id=table.id, left_by=left_by, at=out.now))


def void(world: World, presence: Presence, name: str | None, out: Result) -> None:
    """Undo a match in which not both players have made a play; the other one is told.

    Args:
        world: The world.
        presence: Who wants it.
        name: With whom a saved match is meant, if he plays no match now.
        out: Collects the effect.

    Raises:
        Refused: There is no such match, or it is too late.
    """
    if presence.table is not None:
        table = world.tables[presence.table]
    else:
        saved = (one for one in world.saved_of(presence.name) if one.opponent_of(presence.name).lower() == name)
        found = next(saved, None)
        if found is None:
            raise Refused(Refusal.VOID_NOTHING)
        table = found
    if len(table.moved) > 1 or table.match.games > 0:
        raise Refused(Refusal.VOID_TOO_LATE)
    other = table.opponent_of(presence.name)
    out.store(MatchVoided(id=table.id))
    if world.tables.get(table.id) is table:
        close(world, table)
        world.announce_players(
            table,
            (presence.name, other),
            ReportLeft(presence.name, other),
            out,
            pairs_first=True,
            watchers_get_line=True,
        )
        out.tell(ToUser(other), OpponentLeft(presence.name, voided=True))
    else:
        del world.saved[table.id]
        world.withdraw_offers(table.id)
    out.tell(ToUser(presence.name), Notice(NoticeKind.YOU_VOIDED, other))
    out.tell(ToUser(other), Notice(NoticeKind.VOIDED, presence.name))
    give_back(world, table, out)
