"""The list of the best players: ratings."""

from collections.abc import Callable

from fibsd.commands.call import Call, Services
from fibsd.protocol.messages import lists
from fibsd.protocol.words import number
from fibsd.storage.store import Ranked
from fibsd.values import frozen
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.world import World

RANKED_EXPERIENCE = 50
"""Experience from which a player has a rank (FIBS help: ratings)."""
RATINGS_LIMIT = 100


@frozen
class RatingsFacts:
    """Rows of the ratings list: a range, and single users after it."""

    rows: tuple[Ranked, ...]
    marked: tuple[Ranked, ...]


async def find_ratings(call: Call, world: World, services: Services) -> RatingsFacts | None:
    """Ask the store for the rows."""
    try:
        first, last, name = _ratings_range(call.words)
    except Refused:
        return None
    store = services.store
    rows: tuple[Ranked, ...] = ()
    marked = []
    if name is None:
        rows = await store.ranking(first, last, min_experience=RANKED_EXPERIENCE)
    else:
        account = await store.account(name)
        if account is None:
            return RatingsFacts((), ())
        one = await store.rank(account.name, min_experience=RANKED_EXPERIENCE)
        marked += [one] if one else []
    own = await store.rank(call.user, min_experience=RANKED_EXPERIENCE)
    if own is not None and own not in marked:
        marked.append(own)
    return RatingsFacts(rows, tuple(marked))


def ratings(call: Call, world: World) -> Result:
    """Show the best players, a range of ranks, or one player; the asker always at the end, and his row with a star."""
    _, _, name = _ratings_range(call.words)
    facts = call.facts if isinstance(call.facts, RatingsFacts) else RatingsFacts((), ())
    if name is not None and not facts.marked:
        raise Refused(Refusal.NO_INFORMATION, name=name)
    lines = [lists.RATINGS_HEADER()]
    for row in facts.rows:
        lines.append(_rating_line(lists.RATINGS_OWN if row.name == call.user else lists.RATINGS_ROW, row))
    lines += [_rating_line(lists.RATINGS_OWN, row) for row in facts.marked]
    return call.reply(*lines)


def _rating_line(template: Callable[..., str], row: Ranked) -> str:
    fields = {"name": row.name, "rating": f"{row.rating:.2f}", "exp": row.experience}
    if row.rank is None:
        return lists.RATINGS_UNRANKED(**fields)
    return template(rank=row.rank, **fields)


def _ratings_range(words: list[str]) -> tuple[int, int, str | None]:
    """First and last rank, or a name.

    Raises:
        Refused: The arguments make no range.
    """
    if not words:
        return 1, 20, None
    if words[0].lower() != "from":
        if len(words) > 1:
            raise Refused(Refusal.RATINGS_TWO_NAMES, player1=words[0], player2=words[1])
        return 0, 0, words[0]
    first = number(words[1]) if len(words) > 1 else None
    if not first:
        raise Refused(Refusal.RATINGS_POSITIVE_FROM)
    last = number(words[3]) if len(words) > 3 and words[2].lower() == "to" else None
    if not last:
        raise Refused(Refusal.RATINGS_POSITIVE_TO)
    if last < first:
        raise Refused(Refusal.RATINGS_RANGE, a=first, b=last)
    if last - first >= RATINGS_LIMIT:
        raise Refused(Refusal.RATINGS_LIMIT)
    return first, last, None
