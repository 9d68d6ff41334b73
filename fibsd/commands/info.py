"""Commands that tell about the server: version, time, the message of the day, statistics."""

from collections.abc import Mapping

from fibsd.commands.call import Call, Services
from fibsd.commands.settings import check_timezone
from fibsd.protocol.clock import asctime, local_date
from fibsd.protocol.help import find_topic, topic_list
from fibsd.protocol.messages import general, lists, own
from fibsd.storage.store import Counts
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import HelpPage, Motd
from fibsd.world.lobby import SessionKind
from fibsd.world.world import World


def show_time(call: Call, world: World) -> Result:
    """Tell the time, in the own zone or in another one."""
    words = call.words
    zone = words[0] if words else world.users[call.user].settings.timezone
    if words:
        check_timezone(zone)
    return call.reply(lists.TIME(local=local_date(call.now, zone), date=asctime(call.now)))


def version(call: Call, world: World) -> Result:
    """Tell the version of the server."""
    return call.reply(general.VERSION(text=f"fibsd {world.server.version}"))


def motd(call: Call, world: World) -> Result:
    """Show the message of the day."""
    if not world.motd and world.users[call.user].connection.kind is not SessionKind.CLIP:
        # Programs wait for an answer to every command (reference 0.2); a CLIP session gets the frame.
        return call.reply(own.OWN_NO_MOTD())
    return call.say(Motd(world.motd))


def clear(call: Call, world: World) -> Result:
    """Clear the terminal."""
    return call.reply(general.CLEAR_SCREEN())


def help_page(call: Call, world: World) -> Result:
    """Show a page of the help, or the list of topics."""
    if not call.words:
        return call.reply(*topic_list())
    topic = find_topic(call.words, world.server.help)
    if topic is None:
        raise Refused(Refusal.NO_HELP, topic=call.args)
    return call.say(HelpPage(world.server.help[topic]))


def about(call: Call, world: World) -> Result:
    """Tell what this server is and who runs it."""
    server = world.server
    return call.reply(
        own.OWN_ABOUT_1(version=server.version),
        own.OWN_ABOUT_2(),
        own.OWN_ABOUT_3(operator=server.operator),
        own.OWN_ABOUT_4(date=asctime(server.started)),
        own.OWN_ABOUT_5(),
    )


def formula(call: Call, world: World) -> Result:
    """Tell how ratings are calculated."""
    return call.reply(*(template() for template in FORMULA))


FORMULA = (
    own.OWN_FORMULA_1,
    own.OWN_FORMULA_2,
    own.OWN_FORMULA_3,
    own.OWN_FORMULA_4,
    own.OWN_FORMULA_5,
    own.OWN_FORMULA_6,
    own.OWN_FORMULA_7,
)


def countries(call: Call, world: World) -> Result:
    """List the codes of countries."""
    return call.reply(*world.server.countries)


def panic(call: Call, world: World) -> Result:
    """Keep calm."""
    return call.reply(own.OWN_PANIC())


# --- statistics ------------------------------------------------------------------------------------------------


async def find_rolls(call: Call, world: World, services: Services) -> tuple[tuple[int, int, int], ...]:
    """All rolls that the store has counted."""
    return await services.store.rolls()


def dicetest(call: Call, world: World) -> Result:
    """Tell how often each roll has been made since the server exists."""
    counts: dict[tuple[int, int], int] = {}
    facts = call.facts if isinstance(call.facts, tuple) else ()
    for first, second, count in facts:
        counts[first, second] = counts.get((first, second), 0) + count
    for dice, count in world.rolls.items():
        counts[dice.first, dice.second] = counts.get((dice.first, dice.second), 0) + count
    total = sum(counts.values())
    lines = [lists.DICETEST_N(n=total), *_spread(counts, total)]
    for first in range(1, 7):
        row = " ".join(str(counts.get((first, second), 0)) for second in range(1, 7))
        lines.append(lists.DICETEST_DOUBLE(d1=first, n=row))
    lines += [lists.DICETEST_DIE(d1=face, n=_shown(counts, face)) for face in range(1, 7)]
    return call.reply(*lines)


def _shown(counts: Mapping[tuple[int, int], int], face: int) -> int:
    """How often a die has shown this face."""
    return sum(count * ((first == face) + (second == face)) for (first, second), count in counts.items())


def _spread(counts: Mapping[tuple[int, int], int], total: int) -> list[str]:
    """Chi-square of the 36 rolls (35 degrees of freedom) and of the six faces (5)."""
    if total == 0:
        return [lists.DICETEST_S(text="0.00"), lists.DICETEST_T(text="0.00")]
    rolls = [counts.get((a, b), 0) for a in range(1, 7) for b in range(1, 7)]
    faces = [_shown(counts, face) for face in range(1, 7)]
    return [
        lists.DICETEST_S(text=f"{_chi_square(rolls):.2f} (36 rolls; 49.80 is passed once in 20 times)"),
        lists.DICETEST_T(text=f"{_chi_square(faces):.2f} (6 faces; 11.07 is passed once in 20 times)"),
    ]


def _chi_square(observed: list[int]) -> float:
    expected = sum(observed) / len(observed)
    return sum((count - expected) ** 2 / expected for count in observed)


def average(call: Call, world: World) -> Result:
    """Tell how many users were on-line in each hour of the last day."""
    hours: dict[int, list[int]] = {}
    for at, users in [*world.samples, (call.now, len(world.users))]:
        hours.setdefault(int(at) // 3600, []).append(users)
    rows = [
        lists.AVERAGE_ROW(
            start=f"{hour % 24:02d}:00",
            end=f"{(hour + 1) % 24:02d}:00",
            a=f"{sum(counts) / len(counts):.0f}",
            b=min(counts),
            n=max(counts),
        )
        for hour, counts in sorted(hours.items())
    ]
    return call.reply(lists.AVERAGE_HEADER(), *rows)


async def find_counts(call: Call, world: World, services: Services) -> tuple[Counts, int]:
    """Figures about the store, and the memory in use."""
    return await services.store.counts(), services.memory_bytes()


def stat(call: Call, world: World) -> Result:
    """Tell figures about the server, in the shapes that clients know."""
    if not isinstance(call.facts, tuple):
        raise TypeError("stat needs the store's counts")
    counts, memory_bytes = call.facts
    # A small number and a blank at the head of a line would be a numbered message to a CLIP client.
    width = 3 if world.users[call.user].connection.kind is SessionKind.CLIP else 1
    accounts, saved = f"{counts.accounts:0{width}d}", f"{counts.saved_matches:0{width}d}"
    return call.reply(
        lists.STAT_BYTES(n=memory_bytes, text="of memory in use"),
        lists.STAT_ACCOUNTS(n=accounts, text="in use"),
        lists.STAT_USERS(n=accounts),
        lists.STAT_RATINGS(n=accounts, text=": none."),
        lists.STAT_GAMES(n=saved, m=len(world.tables), text=": not needed."),
    )
