"""From an address to the sessions behind it, each with the view of its user."""

import attrs

from fibsd.backgammon.side import Side
from fibsd.protocol.viewer import View
from fibsd.session.session import Session
from fibsd.world.account import Charset, Toggle
from fibsd.world.audience import AtTable, Audience, Everybody, ToSession, ToUser, Watchers
from fibsd.world.ids import SessionId
from fibsd.world.lobby import Presence, SessionKind
from fibsd.world.world import World

Reader = tuple[Session, View]


@attrs.define(eq=False, kw_only=True)
class Readers:
    """Knows who reads what.

    Attributes:
        world: Who is on-line, and at which table.
        sessions: All connections by number.
    """

    world: World
    sessions: dict[SessionId, Session]
    _views: dict[View, View] = attrs.Factory(dict)

    def presence(self, session: Session) -> Presence | None:
        """The user logged in on a session, if he still is."""
        presence = self.world.users.get(session.user) if session.user is not None else None
        return presence if presence is not None and presence.connection.id == session.id else None

    def of(self, audience: Audience) -> list[Reader]:
        """All readers at an address, at this moment."""
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
                        for watcher in player.watchers:
                            self._add(readers, users[watcher], False, side)
            case ToSession():
                session = self.sessions.get(audience.id)
                if session is not None:
                    readers.append((session, self._view_of_session(session)))
            case ToUser():
                presence = users.get(audience.name)
                if presence is not None:
                    self._add(readers, presence, *self._seat_of(presence))
            case Everybody():
                for presence in users.values():
                    if presence.name not in audience.besides:
                        self._add(readers, presence, False, None)
        return readers

    def _add(self, readers: list[Reader], presence: Presence, playing: bool, side: Side | None) -> None:
        session = self.sessions.get(presence.connection.id)
        if session is not None:
            readers.append((session, self._view(session, presence, playing, side)))

    def _seat_of(self, presence: Presence) -> tuple[bool, Side | None]:
        if presence.table is None:
            return False, None
        return True, self.world.tables[presence.table].side_of(presence.name)

    def _view_of_session(self, session: Session) -> View:
        presence = self.presence(session)
        if presence is None:
            return View(kind=session.kind or SessionKind.TELNET)
        return self._view(session, presence, *self._seat_of(presence))

    def outside_view(self, presence: Presence) -> View:
        """The view of a user who has nothing to do with what happens."""
        session = self.sessions.get(presence.connection.id)
        if session is None:
            return View(kind=presence.connection.kind)
        return self._view(session, presence, False, None)

    def _view(self, session: Session, presence: Presence, playing: bool, side: Side | None) -> View:
        """The view of a user in a role; made anew only when what it depends on has changed."""
        settings = presence.account.settings
        seat = None
        if playing and side is not None and presence.table is not None:
            seat = self.world.tables[presence.table].toggles.of(side)
        cached = session.view
        if (
            cached is not None
            and cached[0] is settings
            and cached[1] is seat
            and cached[2] is playing
            and cached[3] is side
        ):
            return cached[4]
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
        view = self._views.setdefault(view, view)
        session.view = (settings, seat, playing, side, view)
        return view

    @staticmethod
    def _wraps(presence: Presence) -> bool:
        """Only people want wrapped lines; programs would not understand them."""
        return presence.connection.kind is SessionKind.TELNET and presence.on(Toggle.WRAP)
