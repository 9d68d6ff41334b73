"""How one user offers another a match, and who may."""

from collections.abc import Sequence

from fibsd.rating import rate
from fibsd.world.account import Toggle
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchTerms
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import (
    InvitationGot,
    InvitationSent,
    Notice,
    NoticeKind,
    TermsOffered,
)
from fibsd.world.lobby import Habit, Invitation, Presence
from fibsd.world.stakes import check_stake
from fibsd.world.terms import NO_TERMS, AddedTerms, is_term, parse_terms
from fibsd.world.world import World


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
