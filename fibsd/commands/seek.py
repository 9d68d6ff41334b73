"""Commands about open invitations: seek, unseek, seeks; and rematch."""

import re
from collections.abc import Sequence

from fibsd.commands.call import Call
from fibsd.commands.invite import length_named
from fibsd.protocol.clock import clock_hhmm
from fibsd.protocol.messages import seek as sentences
from fibsd.world import seeking
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Text
from fibsd.world.lobby import Presence, Seek
from fibsd.world.terms import parse_terms
from fibsd.world.world import World

_RATING = re.compile(r"\d{1,4}(\.\d{1,2})?", re.ASCII)
_LIMITS = ("max", "min")


def seek(call: Call, world: World) -> Result:
    """Make an open invitation."""
    me, words = world.users[call.user], call.words
    if not words:
        raise Refused(Refusal.SEEK_USAGE)
    length = length_named(words[0], Refusal.SEEK_USAGE)
    terms, limits = _limits(words[1:])
    most, least = limits.get("max"), limits.get("min")
    if most is not None and least is not None and most < least:
        raise Refused(Refusal.SEEK_RANGE, a=f"{most:.2f}", b=f"{least:.2f}")
    added = parse_terms(terms, unlimited=length is None)
    wanted = Seek(length=length, added=added, most=most, least=least, since=call.now)
    out = call.result()
    seeking.seek(world, me, wanted, out)
    out.tell(call.me, Text((sentences.SEEK_SET(words=wanted.words),)))
    return out


def _limits(words: Sequence[str]) -> tuple[list[str], dict[str, float]]:
    """What is left of the words behind a length without the limits of the rating, and those by key.

    Raises:
        Refused: A limit comes twice, or is no rating.
    """
    terms, limits = [], {}
    rest = iter(words)
    for word in rest:
        key = word.lower()
        if key not in _LIMITS:
            terms.append(word)
            continue
        if key in limits:
            raise Refused(Refusal.TERM_TWICE, word=key)
        rating = next(rest, "")
        if not _RATING.fullmatch(rating):
            raise Refused(Refusal.SEEK_RATING, word=key)
        limits[key] = float(rating)
    return terms, limits


def unseek(call: Call, world: World) -> Result:
    """Withdraw one's open invitation."""
    seeking.withdraw(world.users[call.user])
    return call.reply(sentences.SEEK_WITHDRAWN())


def seeks(call: Call, world: World) -> Result:
    """List open invitations, or tell all about one."""
    return list_seeks(call, world, call.words)


def list_seeks(call: Call, world: World, words: Sequence[str]) -> Result:
    """All open invitations; with a name that user's, with its terms in plain words and what is at stake."""
    me = world.users[call.user]
    chosen = seeking.shown_to(world, me)
    if words:
        one = world.find(words[0])
        if one not in chosen:
            raise Refused(Refusal.SEEK_NOT_HIS, name=one.name)
        chosen = [one]
    if not chosen:
        return call.reply(sentences.SEEKS_NONE())
    out = call.result()
    rows = [_row(user, user.seek, me) for user in chosen if user.seek is not None]
    out.tell(call.me, Text((sentences.SEEKS_HEADER(), *rows)), shows=tuple(user.name for user in chosen))
    if words and chosen[0].seek is not None and chosen[0] is not me:
        out.tell(call.me, seeking.stake(world, chosen[0], chosen[0].seek, me))
    return out


def _row(user: Presence, wanted: Seek, reader: Presence) -> str:
    return sentences.SEEKS_ROW(
        name=f"{user.name:<15}",
        rating=f"{user.account.rating:>8.2f}",
        exp=f"{user.account.experience:>5}",
        start=clock_hhmm(wanted.since, reader.settings.timezone),
        words=wanted.words,
    )


def rematch(call: Call, world: World) -> Result:
    """Invite the last opponent to another match on the same terms."""
    out = call.result()
    seeking.rematch(world, world.users[call.user], out)
    return out
