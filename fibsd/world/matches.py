"""How matches begin, are left, saved and taken up again."""

from collections.abc import Iterable, Sequence

from fibsd.backgammon.actions import WithdrawResignation
from fibsd.backgammon.game import Phase
from fibsd.backgammon.side import BySide
from fibsd.rating import rate
from fibsd.world.account import Toggle
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchAdjourned, MatchStarted, MatchTerms, MatchVoided
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import (
    AskedToAnswer,
    AskedToJoin,
    BoardShown,
    InvitationGot,
    InvitationSent,
    MatchJoined,
    MatchResumed,
    Notice,
    NoticeKind,
    OpponentLeft,
    ReportLeft,
    ReportResume,
    ReportStart,
    TermsInForce,
    TermsOffered,
    WaitsForJoin,
    YouLeft,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.lobby import Habit, Invitation, Presence
from fibsd.world.play import advance, remind, start_game
from fibsd.world.playout import server_is_on_turn
from fibsd.world.record import GhostSeat, NextGame
from fibsd.world.results import close
from fibsd.world.stakes import check_stake, give_back, set_aside
from fibsd.world.table import Table
from fibsd.world.terms import NO_TERMS, AddedTerms, is_term, parse_terms
from fibsd.world.watching import stop_watching
from fibsd.world.world import World

# --- invitations -----------------------------------------------------------------------------------------------


def invite(
    world: World, inviter: Presence, invitee: Presence, length: int | None, out: Result, words: Sequence[str] = ()
) -> None:
    """Offer a new match; `length` None is unlimited, `words` name added terms (FIBS help: invite).

    Raises:
        Refused: The inviter may not play that, or not with this user.
    """
    check_length(world, inviter, length)
    offer(world, inviter, invitee, length, _added(world, inviter, invitee, length, words), out)


def offer(
    world: World, inviter: Presence, invitee: Presence, length: int | None, added: AddedTerms, out: Result
) -> None:
    """Send an invitation to a new match whose terms were checked.

    Raises:
        Refused: The inviter has sent too many.
    """
    saved = tuple(table.terms.length for table in world.saved_between(inviter.name, invitee.name))
    _send(world, Invitation(inviter=inviter.name, invitee=invitee.name, length=length, added=added), saved, out)


def _added(world: World, inviter: Presence, invitee: Presence, length: int | None, words: Sequence[str]) -> AddedTerms:
    """The terms that an inviter has typed behind the length.

    Raises:
        Refused: They are none, or one of the two does not want what FIBS does not have.
    """
    if not inviter.extras:
        # FIBS passes over what stands behind the length.
        if any(map(is_term, words)):
            raise Refused(Refusal.TERM_OFF)
        return NO_TERMS
    added = parse_terms(words, unlimited=length is None)
    check_added(world, inviter, added)
    if added and not invitee.extras:
        raise Refused(Refusal.TERM_NOT_TAKEN, name=invitee.name)
    check_stake(world, inviter, invitee, added.stake)
    return added


def check_added(world: World, presence: Presence, added: AddedTerms) -> None:
    """Raise `Refused` if the user does not play on such terms, or nobody can on this server."""
    if added and not presence.extras:
        raise Refused(Refusal.TERM_OFF)
    if added.stake and not world.house.play_points:
        raise Refused(Refusal.TERM_STAKE_OFF)


def invite_to_resume(world: World, inviter: Presence, invitee: Presence, out: Result) -> None:
    """Offer to go on with the newest saved match of the two.

    Raises:
        Refused: There is none.
    """
    saved = world.saved_between(inviter.name, invitee.name)
    if not saved:
        raise Refused(Refusal.NO_SAVED_MATCH, name=invitee.name)
    terms = saved[0].terms
    invitation = Invitation(
        inviter=inviter.name, invitee=invitee.name, length=terms.length, added=terms.added, match=saved[0].id
    )
    _send(world, invitation, (), out)


def check_may_invite(world: World, inviter: Presence, invitee: Presence) -> None:
    """Whether the two can be brought together at all, in the order in which FIBS checks it (reference 6.1).

    Raises:
        Refused: One of them cannot or will not play.
    """
    if invitee is inviter:
        raise Refused(Refusal.INVITE_SELF)
    if inviter.table is not None:
        raise Refused(Refusal.ALREADY_PLAYING)
    if not invitee.on(Toggle.READY) or not invitee.shows_to(inviter.name):
        raise Refused(Refusal.REFUSING_GAMES, name=invitee.name)
    if invitee.table is not None:
        raise Refused(Refusal.ALREADY_PLAYING_OTHER, name=invitee.name)


def check_length(world: World, presence: Presence, length: int | None) -> None:
    """Raise `Refused` if the user may not offer a new match of this length."""
    if length is not None and not 1 <= length <= 99:
        raise Refused(Refusal.INVITE_LENGTH, n=length)
    check_experience(world, presence, length)
    check_saved(world, presence)


def check_experience(world: World, presence: Presence, length: int | None) -> None:
    """Raise `Refused` if the user lacks the experience for a match of this length."""
    house = world.house
    if length is not None and length > house.long_match and presence.account.experience < house.long_match_experience:
        raise Refused(Refusal.INVITE_EXPERIENCE)


def check_saved(world: World, presence: Presence) -> None:
    """Raise `Refused` if the user has left so many matches on that he may only resume."""
    left = sum(table.left_by == presence.name for table in world.saved_of(presence.name))
    if left >= world.house.max_saved:
        raise Refused(Refusal.NO_NEW_GAMES)


def decline(world: World, invitee: Presence, inviter: Presence, out: Result) -> None:
    """Say no to an invitation.

    Raises:
        Refused: There is none.
    """
    if inviter.invitation is None or inviter.invitation.invitee != invitee.name:
        raise Refused(Refusal.DIDNT_INVITE, name=inviter.name)
    inviter.invitation = None
    out.tell(ToUser(invitee.name), Notice(NoticeKind.YOU_DECLINED, inviter.name))
    out.tell(ToUser(inviter.name), Notice(NoticeKind.DECLINED, invitee.name))


def end_invitations(world: World, *users: Presence) -> None:
    """Forget the invitations that these users have sent, open or not, and those that they were sent."""
    for presence in users:
        presence.invitation = None
        presence.seek = None
    names = [presence.name for presence in users]
    for other in world.users.values():
        if other.invitation is not None and other.invitation.invitee in names:
            other.invitation = None


def _send(world: World, offer: Invitation, saved: tuple[int | None, ...], out: Result) -> None:
    inviter, invitee = world.users[offer.inviter], world.users[offer.invitee]
    world.spend(inviter, Habit.INVITATION, out.now)
    inviter.invitation = offer
    make_ready(world, inviter, out)
    resume = offer.match is not None
    sent = InvitationSent(name=offer.invitee, length=offer.length, resume=resume, saved=saved, away=invitee.away)
    out.tell(ToUser(offer.inviter), sent)
    got = InvitationGot(inviter=offer.inviter, length=offer.length, resume=resume, saved=saved)
    out.tell(ToUser(offer.invitee), got)
    if invitee.extras:
        terms = MatchTerms(length=offer.length, added=offer.added)
        out.tell(ToUser(offer.invitee), at_stake(world, inviter, invitee, terms))


def make_ready(world: World, presence: Presence, out: Result) -> None:
    """Who offers a match can be invited himself: switch `ready` on (FIBS help: invite)."""
    if not presence.on(Toggle.READY):
        world.change_settings(presence, presence.settings.with_toggle(Toggle.READY, True), out)
        world.announce_user(presence, out)


def at_stake(world: World, inviter: Presence, invitee: Presence, terms: MatchTerms) -> TermsOffered:
    """What an invitee is told of the offer beyond FIBS, his rating as it is now."""
    mine, other = invitee.account.standing, inviter.account.standing
    fee = world.house.fee_percent if terms.added.stake else 0
    if not terms.rated or terms.length is None:
        return TermsOffered(added=terms.added, win=None, lose=None, fee_percent=fee)
    win, lose = rate(mine, other, terms.length).winner.change, rate(other, mine, terms.length).loser.change
    return TermsOffered(added=terms.added, win=win, lose=-lose, fee_percent=fee)


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
