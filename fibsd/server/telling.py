"""What each session is sent of what has happened, and when: behind whatever must be stored first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import attrs

from fibsd.protocol.messages import own
from fibsd.protocol.pager import paged
from fibsd.protocol.viewer import View
from fibsd.protocol.views import in_parts, render_all
from fibsd.server.commit import Commits
from fibsd.server.readers import Reader, Readers
from fibsd.server.spreading import AT_ONCE, Said, Spreading
from fibsd.session.outbox import Backlog, Chunk
from fibsd.session.output import Output
from fibsd.session.session import Session
from fibsd.world.account import Toggle
from fibsd.world.audience import Audience, Envelope, Everybody, Result, ToSession
from fibsd.world.events import Event
from fibsd.world.ids import SessionId
from fibsd.world.lobby import Presence

_NOTHING = Result()
_NO_CHUNK = Chunk(b"")


@attrs.define(eq=False, kw_only=True)
class Teller:
    """Writes what is told once for each kind of reader, and sends it as soon as it may be.

    Attributes:
        sessions: All connections by number.
        readers: Knows who reads what.
        commits: Knows what is stored.
        backlog: What waits in all outboxes together.
        spreading: Tells everybody what is said to more than can be told at once.
    """

    sessions: dict[SessionId, Session]
    readers: Readers
    commits: Commits
    backlog: Backlog
    spreading: Spreading = attrs.field(init=False)
    # Outputs to which something may be sent, and those whose first piece waits for a job: nobody looks at them sooner.
    _touched: dict[Output, None] = attrs.Factory(dict)
    _held: dict[Output, None] = attrs.Factory(dict)

    def __attrs_post_init__(self) -> None:
        self.spreading = Spreading(self._spread, self.flush, self.commits.wait)

    def tell(self, result: Result, number: int, typist: Session | None) -> None:
        """Queue what a result tells, for everybody who is concerned at this moment.

        Args:
            result: What has happened.
            number: The job that all of it waits for; 0 for none.
            typist: Who has brought it about.
        """
        pieces: dict[Output, Chunk] = {}
        for audience, events, after in self._in_a_row(result.envelopes, number):
            if isinstance(audience, Everybody):
                self._tell_everybody(pieces, audience, events, after, typist)
                continue
            readers = self.readers.of(audience)
            self._add(pieces, readers, events, after, {}, for_one=type(audience) is ToSession)
        self._queue(pieces, typist, result)
        if result.hides and typist is not None and typist.output in pieces:
            typist.hide()

    def _tell_everybody(
        self,
        pieces: dict[Output, Chunk],
        audience: Everybody,
        events: Sequence[Event],
        after: int,
        typist: Session | None,
    ) -> None:
        """Tell those who can be told at once, the typist among them; the others will be told soon."""
        # Nobody is looked at who is told later: of thousands, that would take too long.
        users = deque(self.readers.world.users.values())
        first = [] if self.spreading.busy else [users.popleft() for _ in range(min(AT_ONCE, len(users)))]
        written: dict[int, Chunk] = {}
        if users:
            later = audience
            himself = None if typist is None else self.readers.presence(typist)
            if himself is not None and himself not in first:
                first.append(himself)
                later = attrs.evolve(audience, besides=audience.besides | {himself.name})
            self.spreading.add(Said(later, events, after, users, written))
        self._add(pieces, self.readers.outside_all(first, audience), events, after, written, for_all=True)

    def _spread(self, said: Said, users: Sequence[Presence]) -> None:
        """Tell some users what is said to everybody."""
        pieces: dict[Output, Chunk] = {}
        readers = self.readers.outside_all(users, said.audience)
        self._add(pieces, readers, said.events, said.after, said.written, for_all=True)
        self._queue(pieces, None, _NOTHING)

    def _add(
        self,
        pieces: dict[Output, Chunk],
        readers: Sequence[Reader],
        events: Sequence[Event],
        after: int,
        written: dict[int, Chunk],
        *,
        for_one: bool = False,
        for_all: bool = False,
    ) -> None:
        """Add what readers are told to the pieces that are to be queued, or send it past the queue if it is for all.

        What is written for a kind of reader is kept in `written`, by the number of his view.
        """
        # Views are interned: the same one is the same object, and most readers have that of the one before.
        seen: View | None = None
        piece = _NO_CHUNK
        for reader in readers:
            output, view = reader.output, reader.view
            if view is not seen:
                seen = view
                made = written.get(reader.number)
                if made is None:
                    made = self._written(events, view, after) if for_one else Chunk(render_all(events, view), after)
                    written[reader.number] = made
                piece = made
            if not piece.data:
                continue
            before = pieces.get(output)
            if before is not None:
                pieces[output] = self._joined(before, piece)
            elif not (for_all and output.send(piece.data, after)):
                pieces[output] = piece

    @staticmethod
    def _written(events: Sequence[Event], view: View, after: int) -> Chunk:
        """What one session is sent; long lists go only to whoever has asked for them."""
        first, *rest = in_parts(events, view)
        more = (render_all(part, view) for part in rest) if rest else None
        return Chunk(render_all(first, view), after, (), more)

    @staticmethod
    def _joined(before: Chunk, piece: Chunk) -> Chunk:
        after = max(before.after, piece.after)
        if before.more is None:
            return Chunk(before.data + piece.data, after, (), piece.more)
        return Chunk(before.data, after, (), chain(before.more, (piece.data,), piece.more or ()))

    def _in_a_row(self, envelopes: Sequence[Envelope], number: int) -> Iterator[tuple[Audience, Sequence[Event], int]]:
        """What is said to the same audience without a break, and the job that it waits for.

        Most results speak several times in a row to the same table: its people are looked up and served once.
        """
        audience: Audience | None = None
        events: list[Event] = []
        after = number
        for envelope in envelopes:
            # Nearly always it is the same object: a turn asks this twice.
            if envelope.audience is not audience and audience is not None and envelope.audience != audience:
                yield audience, events, after
                events, after = [], number
            audience = envelope.audience
            events += envelope.events
            if not number and envelope.shows:
                after = max(after, self.commits.newest(envelope.shows))
        if audience is not None:
            yield audience, events, after

    def queue(self, output: Output, data: bytes) -> None:
        """Take for somebody news of what is stored, which cannot be sent at once."""
        self._queue({output: Chunk(data)}, None, _NOTHING)

    def _queue(self, pieces: Mapping[Output, Chunk], typist: Session | None, result: Result) -> None:
        durable, backlog = self.commits.durable, self.backlog
        for output, piece in pieces.items():
            if output.prompt or result.receipts:
                piece = self._complete(output.session, piece, typist, result)
            if piece.after > durable and not output.size:
                self._held[output] = None
            else:
                self._touched[output] = None
            output.put(piece)
            if output.size > output.limit or backlog.size > backlog.limit:
                self._make_room(output)

    def _complete(self, session: Session, piece: Chunk, typist: Session | None, result: Result) -> Chunk:
        """A piece with what belongs to it for this session alone: prompts, and receipts of messages."""
        data, more = piece.data, piece.more
        if session.output.prompt:
            behind = b""
            last_words = session.id in result.closes
            if session is not typist:
                data = b"\r\n" + data
                behind = b"" if last_words else self.prompt(session)
            elif not last_words and not result.asks:
                if length := self._page_length(session):
                    # To tell how many lines are left all of them are needed.
                    data, session.pages = paged(data + b"".join(more or ()), length)
                    more = None
                behind = self.prompt(session)
            if more is None:
                data += behind
            elif behind:
                more = chain(more, (behind,))
        receipts = tuple([number for name, number in result.receipts if name == session.user])
        return Chunk(data, piece.after, receipts, more)

    def _page_length(self, session: Session) -> int:
        presence = self.readers.presence(session)
        return 0 if presence is None else presence.settings.pagelength

    def prompt(self, session: Session) -> bytes:
        """The prompt, as a line of its own for those who read lines (`toggle telnet`)."""
        if session.pages is not None:
            return own.OWN_MORE(n=len(session.pages.rest)).encode()
        presence = self.readers.presence(session)
        extra = presence is not None and not presence.on(Toggle.TELNET)
        return (session.output.prompt + ("\r\n" if extra else "")).encode()

    # --- too much ----------------------------------------------------------------------------------------------

    def _make_room(self, output: Output) -> None:
        """Too much waits for a session, or for all together: whoever does not read has to go."""
        if output.overflowing:
            # Nothing of it may have been offered to him yet, if one packet asked for all that.
            output.flush()
        if output.overflowing:
            output.session.cut_off()
        while self.backlog.overflowing:
            fullest = max(self.sessions.values(), key=lambda one: one.output.size)
            if fullest.ending is not None:
                # What is left belongs to sessions that end: it goes within seconds.
                break
            fullest.cut_off()

    # --- sending -----------------------------------------------------------------------------------------------

    def touch(self, output: Output) -> None:
        """Something was put into an outbox."""
        self._touched[output] = None

    def flush(self) -> None:
        """Send what was queued, as far as it is stored."""
        while self._touched:
            touched, self._touched = self._touched, {}
            for output in touched:
                output.flush()
                if output.size:
                    self._held[output] = None

    def release(self) -> None:
        """More is stored than before: the next flush looks at all who wait for something."""
        held, self._held = self._held, {}
        self._touched |= held

    def drop(self, number: int) -> None:
        """Tell nothing of a job that was refused."""
        for session in self.sessions.values():
            session.output.drop(number)
        self.spreading.drop(number)

    def forget(self, output: Output) -> None:
        """Look no more after a session that has ended."""
        self._held.pop(output, None)
