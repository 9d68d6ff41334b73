"""Open invitations: they stand for everybody until one takes them; and another match on the terms of the last."""

from fibsd.world import invitations, matches
from fibsd.world.audience import Result
from fibsd.world.changes import MatchTerms
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import TermsOffered
from fibsd.world.lobby import Habit, Invitation, Presence, Seek
from fibsd.world.world import World


def seek(world: World, seeker: Presence, wanted: Seek, out: Result) -> None:
    """Make an open invitation, in place of the one before.

    Raises:
        Refused: The user may not play that now, or invites too often.
    """
    if seeker.table is not None:
        raise Refused(Refusal.ALREADY_PLAYING)
    invitations.check_length(world, seeker, wanted.length)
    invitations.check_added(world, seeker, wanted.added)
    world.spend(seeker, Habit.INVITATION, out.now)
    seeker.seek = wanted
    invitations.make_ready(world, seeker, out)


def withdraw(seeker: Presence) -> None:
    """Take an open invitation back.

    Raises:
        Refused: There is none.
    """
    if seeker.seek is None:
        raise Refused(Refusal.SEEK_NONE)
    seeker.seek = None


def shown_to(world: World, reader: Presence) -> list[Presence]:
    """Users with open invitations, the longest waiting first; those are left out where one has blinded the other."""
    open_ones = [
        (user.seek.since, user)
        for user in world.users.values()
        if user.seek is not None and user.shows_to(reader.name) and reader.shows_to(user.name)
    ]
    return [user for _, user in sorted(open_ones, key=lambda pair: pair[0])]


def stake(world: World, seeker: Presence, wanted: Seek, reader: Presence) -> TermsOffered:
    """What the reader would play on, and win or lose, his rating as it is now."""
    return invitations.at_stake(world, seeker, reader, MatchTerms(length=wanted.length, added=wanted.added))


def is_open_to(seeker: Presence, joiner: Presence) -> bool:
    """Whether `join` means this user's open invitation: there is one, and no other one to this joiner."""
    direct = seeker.invitation is not None and seeker.invitation.invitee == joiner.name
    return seeker.seek is not None and seeker is not joiner and not direct and joiner.shows_to(seeker.name)


def take(world: World, joiner: Presence, seeker: Presence, out: Result) -> None:
    """Begin the match that another one seeks.

    Raises:
        Refused: He does not seek, or one of the two cannot or will not play that with the other now.
    """
    wanted = seeker.seek
    if wanted is None:
        raise Refused(Refusal.DIDNT_INVITE, name=seeker.name)
    if not seeker.shows_to(joiner.name):
        raise Refused(Refusal.REFUSING_GAMES, name=seeker.name)
    _check_rating(joiner, seeker, wanted)
    invitations.check_added(world, joiner, wanted.added)
    if wanted.added and not seeker.extras:
        raise Refused(Refusal.TERM_NOT_TAKEN, name=seeker.name)
    invitations.check_experience(world, joiner, wanted.length)
    invitations.check_saved(world, joiner)
    try:
        # The operator may have set other bounds since.
        invitations.check_length(world, seeker, wanted.length)
    except Refused as refused:
        raise Refused(Refusal.REFUSING_GAMES, name=seeker.name) from refused
    matches.start_match(world, seeker, joiner, wanted.length, out, wanted.added)


def _check_rating(joiner: Presence, seeker: Presence, wanted: Seek) -> None:
    # As it is shown, so that nobody is refused for a fraction that he cannot see.
    rating = round(joiner.account.rating, 2)
    if wanted.most is not None and rating > wanted.most:
        raise Refused(Refusal.SEEK_TOO_HIGH, name=seeker.name, a=f"{wanted.most:.2f}", b=f"{rating:.2f}")
    if wanted.least is not None and rating < wanted.least:
        raise Refused(Refusal.SEEK_TOO_LOW, name=seeker.name, a=f"{wanted.least:.2f}", b=f"{rating:.2f}")


def rematch(world: World, me: Presence, out: Result) -> None:
    """Invite the opponent of the last match to another one on its terms; or begin it, if he has done so.

    Raises:
        Refused: There was no match, the opponent has logged out since, or the two cannot play now.
    """
    played = me.played
    if me.table is not None:
        raise Refused(Refusal.ALREADY_PLAYING)
    if played is None:
        raise Refused(Refusal.REMATCH_NONE)
    other = world.users.get(played.opponent)
    if other is None or other.number != played.login:
        raise Refused(Refusal.REMATCH_GONE, name=played.opponent)
    asked = Invitation(inviter=other.name, invitee=me.name, length=played.length, added=played.added)
    if other.invitation == asked:
        matches.join(world, me, other, out)
        return
    invitations.check_may_invite(world, me, other)
    invitations.check_length(world, me, played.length)
    invitations.check_added(world, me, played.added)
    if played.added and not other.extras:
        raise Refused(Refusal.TERM_NOT_TAKEN, name=other.name)
    invitations.offer(world, me, other, played.length, played.added, out)
