"""Commands that list and describe users: who, rawwho, whois, where, last."""

from collections.abc import Callable, Mapping

from fibsd.commands.call import Call, Services
from fibsd.commands.show import terms_rows
from fibsd.protocol.clock import short_date
from fibsd.protocol.messages import lists, own
from fibsd.protocol.words import first_word
from fibsd.world.account import Account, SortWho, Toggle
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Declined, Text, UserList, Who
from fibsd.world.lobby import Presence, SessionKind
from fibsd.world.world import World

# --- who -------------------------------------------------------------------------------------------------------

_ORDERS: Mapping[SortWho, Callable[[Presence], tuple[float, str]]] = {
    SortWho.LOGIN: lambda user: (user.number, ""),
    SortWho.NAME: lambda user: (0.0, user.name.lower()),
    SortWho.RATING: lambda user: (user.account.rating, user.name.lower()),
    SortWho.RRATING: lambda user: (-user.account.rating, user.name.lower()),
}
_FILTERS: Mapping[str, Callable[[Presence], bool]] = {
    "ready": lambda user: user.on(Toggle.READY) and user.table is None,
    "away": lambda user: user.away is not None,
    "playing": lambda user: user.table is not None,
}
_OWN_FILTERS: Mapping[str, Callable[[Presence], bool]] = {
    "bots": lambda user: user.account.is_bot,
    "humans": lambda user: not user.account.is_bot,
}
"""Filters of ours: a user of such a name comes first."""


def who(call: Call, world: World) -> Result:
    """List users on-line."""
    return _who(call, world, raw=False)


def rawwho(call: Call, world: World) -> Result:
    """List users on-line for programs."""
    return _who(call, world, raw=True)


def _who(call: Call, world: World, *, raw: bool) -> Result:
    me, words = world.users[call.user], call.words
    if words and words[0].lower() == "count":
        return _count(call, world, me)
    unknown = None
    chosen: list[Presence] = []
    if not words:
        chosen = list(world.users.values())
    elif len(words) > 1 and words[0].lower() == "from":
        part = words[1].lower()
        chosen = [user for user in world.users.values() if part in user.connection.host.lower()]
    elif words[0].lower() in _FILTERS:
        chosen = list(filter(_FILTERS[words[0].lower()], world.users.values()))
    elif words[0].lower() in _OWN_FILTERS and world.exact(words[0]) is None:
        chosen = list(filter(_OWN_FILTERS[words[0].lower()], world.users.values()))
    else:
        try:
            chosen = [world.find(words[0])]
        except Refused as refused:
            if refused.refusal is Refusal.AMBIGUOUS_NAME:
                return _ambiguous(call, me, refused, raw)
            unknown = words[0]
    chosen.sort(key=_ORDERS[me.settings.sortwho])
    rows = tuple(world.row(user, call.now) for user in chosen)
    event = Who(rows=rows, raw=raw, timezone=me.settings.timezone, now=call.now, unknown=unknown)
    out = call.result()
    out.tell(call.me, event, shows=tuple(user.name for user in chosen))
    return out


def _ambiguous(call: Call, me: Presence, refused: Refused, raw: bool) -> Result:
    """The names to choose from; whoever waits for the end of a list gets it none the less."""
    out = call.say(Declined(refused.refusal, refused.fields))
    if raw or me.connection.kind is SessionKind.CLIP:
        out.tell(call.me, Who(rows=(), raw=raw, timezone=me.settings.timezone, now=call.now))
    return out


def _count(call: Call, world: World, me: Presence) -> Result:
    out = call.reply(lists.WHO_COUNT(n=len(world.users)))
    if me.connection.kind is SessionKind.CLIP:
        # Some clients wait for the `6` after every `who`.
        out.tell(call.me, UserList())
    return out


# --- whois, where, last ----------------------------------------------------------------------------------------


async def find_account(call: Call, world: World, services: Services) -> Account | None:
    """The account of a user who is not on-line."""
    name = first_word(call.args)
    return await services.store.account(name) if name and world.exact(name) is None else None


def _online_or_stored(call: Call, world: World, name: str, refusal: Refusal) -> tuple[Account, Presence | None]:
    """A user by name, on-line or not; exact names first, then a unique prefix of somebody on-line.

    Raises:
        Refused: With the given refusal, if nobody has that name.
    """
    online = world.exact(name)
    if online is None and isinstance(call.facts, Account):
        return call.facts, None
    online = online or world.find(name, refusal)
    return online.account, online


def whois(call: Call, world: World) -> Result:
    """Tell about a user, on-line or not."""
    words = call.words
    if not words:
        raise Refused(Refusal.WHOIS_ARGUMENT)
    account, online = _online_or_stored(call, world, words[0], Refusal.NO_INFORMATION)
    out = call.result()
    lines = _whois_lines(call, world, account, online)
    out.tell(call.me, Text(tuple(lines)), shows=(account.name,))
    return out


def _whois_lines(call: Call, world: World, account: Account, online: Presence | None) -> list[str]:
    me = world.users[call.user]
    zone = me.settings.timezone
    lines = [lists.WHOIS_NAME(name=account.name)]
    if account.last_login is None:
        lines.append(lists.WHOIS_NEVER())
    else:
        date = short_date(account.last_login, zone)
        lines.append(lists.WHOIS_LAST_LOGIN(date=date, host=account.last_host or "unknown"))
    if online is None:
        if account.last_logout is not None:
            lines.append(lists.WHOIS_LAST_LOGOUT(date=short_date(account.last_logout, zone)))
        lines.append(lists.WHOIS_OFFLINE())
    else:
        lines += _online_lines(world, online, call.now)
    lines.append(lists.WHOIS_RATING(rating=f"{account.rating:.2f}", exp=account.experience))
    email = account.settings.email
    lines.append(lists.WHOIS_NO_EMAIL() if email is None else lists.WHOIS_EMAIL(email=email))
    if online is not None and online.table is not None and me.extras:
        lines += terms_rows(world.tables[online.table])
    if account.is_bot and me.extras:
        lines.append(own.OWN_WHOIS_BOT(name=account.name))
    return lines


def _online_lines(world: World, user: Presence, now: float) -> list[str]:
    idle = user.idle_s(now)
    if idle < 60:
        lines = [lists.WHOIS_STILL_SECONDS(n=idle)]
    else:
        lines = [lists.WHOIS_STILL_MINUTES(idle=f"{idle // 60}:{idle % 60:02d}")]
    opponent = world.opponent_of(user)
    if opponent is not None:
        lines.append(lists.WHOIS_PLAYING(name=user.name, opponent=opponent))
    elif user.watching is not None:
        text = lists.WHOIS_READY_WATCHING if user.on(Toggle.READY) else lists.WHOIS_NOT_READY_WATCHING
        lines.append(text(name=user.name, watched=user.watching))
    else:
        text = lists.WHOIS_READY if user.on(Toggle.READY) else lists.WHOIS_NOT_READY
        lines.append(text(name=user.name))
    if user.away is not None:
        lines.append(lists.WHOIS_AWAY(name=user.name, text=user.away))
    return lines


def where(call: Call, world: World) -> Result:
    """Tell from where a user is, or was, logged in."""
    words = call.words
    if not words:
        raise Refused(Refusal.WHOIS_ARGUMENT)
    account, online = _online_or_stored(call, world, words[0], Refusal.NO_INFORMATION)
    host = online.connection.host if online is not None else account.last_host or "unknown"
    return call.reply(lists.LAST_ROW(name=account.name, host=host))


def last(call: Call, world: World) -> Result:
    """Tell the last logins of all users on-line, or of one user."""
    words = call.words
    if words:
        # Names are not completed here (reference 3.1).
        online = world.exact(words[0])
        if online is None and not isinstance(call.facts, Account):
            raise Refused(Refusal.NO_INFORMATION, name=words[0])
        return where(call, world)
    users = sorted(world.users.values(), key=lambda user: user.number, reverse=True)
    return call.reply(*(lists.LAST_ROW(name=user.name, host=user.connection.host) for user in users))
