"""From an address to the sessions behind it, each with the view of its user."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from weakref import WeakKeyDictionary, ref

import attrs

from fibsd.backgammon.side import Side
from fibsd.protocol.viewer import View
from fibsd.session.output import Output
from fibsd.session.session import Session
from fibsd.values import frozen
from fibsd.world.account import Charset, Toggle
from fibsd.world.audience import AtTable, Everybody, ToSession, ToUser, Watchers
from fibsd.world.ids import SessionId
from fibsd.world.lobby import Presence, SessionKind
from fibsd.world.world import World


@frozen
class Reader:
    """Somebody who is told something.

    Attributes:
        output: Where it goes.
        view: How he reads it.
        playing: Whether that is the view of a player.
        side: At whose side he plays or watches, if at any.
        toggles: Those of the match by which a player reads; the same object as long as they are the same.
        number: Of the view: the same for all who read alike, and of no other view ever. Its place in memory would be
            another's when nobody reads by it any more.
    """

    output: Output
    view: View
    playing: bool = False
    side: Side | None = None
    toggles: object = None
    number: int = 0


@attrs.define(eq=False, kw_only=True)
class Readers:
    """Knows who reads what.

    Attributes:
        world: Who is on-line, and at which table.
        sessions: All connections by number.
    """

    world: World
    sessions: dict[SessionId, Session]
    # Only those by which somebody reads: a user may go through all widths and switches in turn.
    _views: WeakKeyDictionary[View, tuple[ref[View], int]] = attrs.Factory(WeakKeyDictionary)
    _numbers: Iterator[int] = attrs.Factory(partial(count, 1))

    def presence(self, session: Session) -> Presence | None:
        """The user logged in on a session, if he still is."""
        presence = self.world.users.get(session.user) if session.user is not None else None
        return presence if presence is not None and presence.connection.id == session.id else None

    def of(self, audience: AtTable | Watchers | ToSession | ToUser) -> list[Reader]:
        """All readers at an address, at this moment; for everybody see `outside_all`."""
        readers: list[Reader] = []
        users = self.world.users
        match audience:
            case AtTable() | Watchers():
                plays, players = type(audience) is AtTable, audience.players
                for side, name in ((Side.O, players.o), (Side.X, players.x)):
                    player = users.get(name)
                    if player is not None:
                        if plays:
                            self._add(readers, player, True, side)
                        if player.watchers:
                            self._add_all(readers, [users[watcher] for watcher in player.watchers], side)
            case ToSession():
                session = self.sessions.get(audience.id)
                if session is not None:
                    presence = self.presence(session)
                    if presence is None:
                        readers.append(Reader(session.output, View(kind=session.kind or SessionKind.TELNET)))
                    else:
                        self._add(readers, presence, *self._seat_of(presence))
            case ToUser():
                presence = users.get(audience.name)
                if presence is not None:
                    self._add(readers, presence, *self._seat_of(presence))
        return readers

    def outside_all(self, users: Iterable[Presence], audience: Everybody) -> list[Reader]:
        """Those of some users who are meant, as readers who have nothing to do with what happens."""
        besides, speaker = audience.besides, audience.speaker
        meant = [user for user in users if user.neighbours is not None and user.name not in besides]
        if speaker is not None:
            meant = [user for user in meant if user.hears(speaker)]
        readers: list[Reader] = []
        self._add_all(readers, meant, None)
        return readers

    def _add(self, readers: list[Reader], presence: Presence, playing: bool, side: Side | None) -> None:
        reader = self._reader(presence, playing, side)
        if reader is not None:
            readers.append(reader)

    def _add_all(self, readers: list[Reader], users: Iterable[Presence], side: Side | None) -> None:
        """Many who do not play; nothing but what is kept of them is looked at, if that will do."""
        for presence in users:
            reader = presence.reader
            if reader is not None and reader.side is side and not reader.playing:
                readers.append(reader)
            else:
                self._add(readers, presence, False, side)

    def _seat_of(self, presence: Presence) -> tuple[bool, Side | None]:
        if presence.table is None:
            return False, None
        return True, self.world.tables[presence.table].side_of(presence.name)

    def outside(self, presence: Presence) -> Reader | None:
        """A user as a reader who has nothing to do with what happens; None if he has gone, or his connection has."""
        if presence.neighbours is None:
            return None
        return self._reader(presence, False, None)

    def _reader(self, presence: Presence, playing: bool, side: Side | None) -> Reader | None:
        """A user in a role, made anew only when what his view depends on has changed; None if his connection has ended.

        That he or his settings have changed shows in that nothing is kept any more.
        """
        toggles = None
        if playing and side is not None and presence.table is not None:
            toggles = self.world.tables[presence.table].toggles.of(side)
        kept: Reader | None = presence.reader
        if kept is not None and kept.playing is playing and kept.side is side and kept.toggles is toggles:
            return kept
        session = self.sessions.get(presence.connection.id)
        if session is None:
            return None
        settings = presence.account.settings
        view = View(
            kind=presence.connection.kind,
            boardstyle=presence.boardstyle,
            toggles=self.world.toggles_of(presence) if playing else settings.toggles,
            utf8=settings.charset is Charset.UTF8,
            width=settings.linelength if self._wraps(presence) else 0,
            alerts=presence.connection.alerts,
            playing=playing,
            side=side,
            extras=presence.extras,
        )
        # The same object for all who read alike, as long as there is anybody.
        kept_view, number = self._views.setdefault(view, (ref(view), next(self._numbers)))
        view = kept_view() or view
        presence.reader = reader = Reader(session.output, view, playing, side, toggles, number)
        return reader

    @staticmethod
    def _wraps(presence: Presence) -> bool:
        """Only people want wrapped lines; programs would not understand them."""
        return presence.connection.kind is SessionKind.TELNET and presence.on(Toggle.WRAP)
