"""What talking looks like: numbered in CLIP sessions, in words elsewhere (reference 2.3, 8)."""

from collections.abc import Iterable, Mapping

from fibsd.protocol.messages import chat, clip, play, session
from fibsd.protocol.messages.template import Template, plural
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.account import Toggle

Lines = Iterable[str]

_SPOKE: Mapping[e.Speech, tuple[Template, Template]] = {
    e.Speech.SHOUT: (chat.CLIP_SHOUTS, clip.TEL_SHOUTS),
    e.Speech.KIBITZ: (chat.CLIP_KIBITZES, clip.TEL_KIBITZES),
    e.Speech.WHISPER: (chat.CLIP_WHISPERS, clip.TEL_WHISPERS),
}
_YOU_SPOKE: Mapping[e.Speech, tuple[Template, Template]] = {
    e.Speech.SHOUT: (chat.CLIP_YOU_SHOUT, clip.TEL_YOU_SHOUT),
    e.Speech.KIBITZ: (chat.CLIP_YOU_KIBITZ, clip.TEL_YOU_KIBITZ),
    e.Speech.WHISPER: (chat.CLIP_YOU_WHISPER, clip.TEL_YOU_WHISPER),
}


def told(event: e.Told, view: View) -> Lines:
    """To the one who is told."""
    text = chat.CLIP_SAYS if view.clip else clip.TEL_SAYS
    yield view.bell() + text(sender=event.sender, text=event.text)


def you_told(event: e.YouTold, view: View) -> Lines:
    """To the one who told."""
    yield (chat.CLIP_YOU_SAY if view.clip else clip.TEL_YOU_TELL)(name=event.name, text=event.text)
    if event.away is not None:
        yield play.IS_AWAY(name=event.name, text=event.away)


def spoke(event: e.Spoke, view: View) -> Lines:
    """To those who hear a shout, kibitz or whisper."""
    if event.kind is e.Speech.SHOUT and view.on(Toggle.SILENT):
        return
    in_clip, in_words = _SPOKE[event.kind]
    yield view.bell() + (in_clip if view.clip else in_words)(sender=event.sender, text=event.text)


def you_spoke(event: e.YouSpoke, view: View) -> Lines:
    """To the one who spoke."""
    in_clip, in_words = _YOU_SPOKE[event.kind]
    yield (in_clip if view.clip else in_words)(text=event.text)
    if event.heard_by is not None:
        yield chat.HEARD_YOU(users=plural(event.heard_by, "user"))


def message_sent(event: e.MessageSent, view: View) -> Lines:
    """To the sender."""
    if view.clip:
        yield (chat.CLIP_SAVED if event.saved else chat.CLIP_DELIVERED)(name=event.name)
    else:
        yield (clip.TEL_SAVED if event.saved else clip.TEL_DELIVERED)(text=event.text)


def message_got(event: e.MessageGot, view: View) -> Lines:
    """To a receiver who is on-line."""
    message = event.message
    if view.clip:
        yield chat.CLIP_MESSAGE(sender=message.sender, time=int(message.at), text=message.text)
    else:
        yield view.bell() + chat.TEL_MESSAGE(sender=message.sender, text=message.text)


def messages_waiting(event: e.MessagesWaiting, view: View) -> Lines:
    """At login: a heading in text sessions, and one line for each."""
    if not view.clip:
        yield session.MESSAGES_FOR_YOU()
    for message in event.messages:
        yield from message_got(e.MessageGot(message), view)
