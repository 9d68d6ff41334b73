"""The sentence of each refusal."""

from collections.abc import Iterable, Mapping

from fibsd.backgammon.side import Side
from fibsd.protocol.messages import chat, clock, general, lists, news, own, play, points, seek, settings, terms
from fibsd.protocol.messages.template import Template
from fibsd.protocol.moves import format_point
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.errors import Refusal
from fibsd.world.terms import KNOWN

REFUSALS: Mapping[Refusal, tuple[Template, ...]] = {
    Refusal.UNKNOWN_COMMAND: (general.UNKNOWN_COMMAND,),
    Refusal.AMBIGUOUS_NAME: (general.AMBIGUOUS_NAME, general.NO_ONE_CALLED_SHORT),
    Refusal.NO_ONE_CALLED: (general.NO_ONE_CALLED,),
    Refusal.DONT_KNOW_USER: (general.DONT_KNOW_USER,),
    Refusal.NO_USER_CALLED: (general.NO_USER_CALLED,),
    Refusal.NO_INFORMATION: (general.NO_INFORMATION,),
    Refusal.CANT_FIND_PLAYER: (general.CANT_FIND_PLAYER,),
    Refusal.NAME_AFTER_LOGIN: (general.NAME_AFTER_LOGIN,),
    Refusal.NOT_PLAYING: (general.NOT_PLAYING,),
    Refusal.NOT_PLAYING_WATCHING: (general.NOT_PLAYING_WATCHING,),
    Refusal.WATCHED_NOT_PLAYING: (general.WATCHED_NOT_PLAYING,),
    Refusal.NO_ONE_TO_LEAVE: (general.NO_ONE_TO_LEAVE,),
    Refusal.GAME_OVER: (general.GAME_OVER,),
    Refusal.NO_OLD_GAME: (own.OWN_NO_OLD_GAME,),
    Refusal.INVITE_WHO: (play.INVITE_WHO,),
    Refusal.INVITE_SELF: (play.INVITE_SELF,),
    Refusal.ALREADY_PLAYING: (play.ALREADY_PLAYING,),
    Refusal.REFUSING_GAMES: (play.REFUSING_GAMES,),
    Refusal.ALREADY_PLAYING_OTHER: (play.ALREADY_PLAYING_OTHER,),
    Refusal.INVITE_SECOND: (play.INVITE_SECOND,),
    Refusal.INVITE_LENGTH: (play.INVITE_LENGTH,),
    Refusal.INVITE_EXPERIENCE: (play.INVITE_EXPERIENCE,),
    Refusal.NO_SAVED_MATCH: (play.NO_SAVED_MATCH,),
    Refusal.NO_NEW_GAMES: (play.NO_NEW_GAMES,),
    Refusal.TERM_UNKNOWN: (terms.TERM_UNKNOWN,),
    Refusal.TERM_TWICE: (terms.TERM_TWICE,),
    Refusal.TERM_CLASH: (terms.TERM_CLASH,),
    Refusal.TERM_NUMBER: (terms.TERM_NUMBER,),
    Refusal.TERM_UNLIMITED_ONLY: (terms.TERM_UNLIMITED_ONLY,),
    Refusal.TERM_LENGTH_ONLY: (terms.TERM_LENGTH_ONLY,),
    Refusal.TERM_OFF: (terms.TERM_OFF,),
    Refusal.TERM_NOT_TAKEN: (terms.TERM_NOT_TAKEN,),
    Refusal.TERM_STAKE_OFF: (terms.TERM_STAKE_OFF,),
    Refusal.SEEK_USAGE: (seek.SEEK_USAGE,),
    Refusal.SEEK_RATING: (seek.SEEK_RATING,),
    Refusal.SEEK_RANGE: (seek.SEEK_RANGE,),
    Refusal.SEEK_NONE: (seek.SEEK_NONE,),
    Refusal.SEEK_NOT_HIS: (seek.SEEK_NOT_HIS,),
    Refusal.SEEK_TOO_HIGH: (seek.SEEK_TOO_HIGH,),
    Refusal.SEEK_TOO_LOW: (seek.SEEK_TOO_LOW,),
    Refusal.REMATCH_NONE: (seek.REMATCH_NONE,),
    Refusal.REMATCH_GONE: (seek.REMATCH_GONE,),
    Refusal.POINTS_SHORT: (points.POINTS_SHORT,),
    Refusal.POINTS_OTHER: (points.POINTS_OTHER,),
    Refusal.JOIN_WHO: (play.JOIN_WHO,),
    Refusal.DIDNT_INVITE: (play.DIDNT_INVITE,),
    Refusal.JOIN_PLAYING_OTHER: (play.JOIN_PLAYING_OTHER,),
    Refusal.TWO_GAMES: (play.TWO_GAMES,),
    Refusal.SAVED_CORRUPT: (play.SAVED_CORRUPT,),
    Refusal.VOID_NOTHING: (own.OWN_VOID_NOTHING,),
    Refusal.VOID_TOO_LATE: (own.OWN_VOID_TOO_LATE,),
    Refusal.ROLL_NOT_TURN: (play.ROLL_NOT_TURN,),
    Refusal.ROLL_ALREADY: (play.ROLL_ALREADY,),
    Refusal.DOUBLE_UNANSWERED: (play.DOUBLE_UNANSWERED,),
    Refusal.RESIGN_UNANSWERED: (play.RESIGN_UNANSWERED,),
    Refusal.WANTED_TO_RESIGN: (play.WANTED_TO_RESIGN,),
    Refusal.MOVE_NOT_TURN: (play.MOVE_NOT_TURN,),
    Refusal.MOVE_BEFORE_ROLL: (play.MOVE_BEFORE_ROLL,),
    Refusal.MOVE_WORDS: (play.MOVE_WORDS,),
    Refusal.MOVE_TOO_MANY: (play.MOVE_TOO_MANY,),
    Refusal.MOVE_TOO_FEW: (play.MOVE_TOO_FEW,),
    Refusal.MOVE_HOME: (play.MOVE_HOME,),
    Refusal.MOVE_BAR_FIRST: (play.MOVE_BAR_FIRST,),
    Refusal.MOVE_BLOCKED: (play.MOVE_BLOCKED,),
    Refusal.MOVE_FROM: (play.MOVE_FROM,),
    Refusal.MOVE_DISTANCE: (play.MOVE_DISTANCE,),
    Refusal.MOVE_BEAROFF: (play.MOVE_BEAROFF,),
    Refusal.MOVE_INSIDE: (terms.MOVE_INSIDE,),
    Refusal.MOVE_ORDER: (terms.MOVE_ORDER,),
    Refusal.NOT_YOUR_TURN_OFF: (general.NOT_YOUR_TURN_OFF,),
    Refusal.WAIT_UNTIL_MOVED: (play.WAIT_UNTIL_MOVED,),
    Refusal.DOUBLE_BEFORE_ROLL: (play.DOUBLE_BEFORE_ROLL,),
    Refusal.DOUBLE_NOT_TURN: (play.DOUBLE_NOT_TURN,),
    Refusal.DOUBLE_RESIGNING: (play.DOUBLE_RESIGNING,),
    Refusal.DOUBLE_FIRST_MOVE: (play.DOUBLE_FIRST_MOVE,),
    Refusal.REDOUBLE_REFUSED: (play.REDOUBLE_REFUSED,),
    Refusal.DIDNT_DOUBLE: (general.DIDNT_DOUBLE,),
    Refusal.CANT_GIVE_UP: (general.CANT_GIVE_UP,),
    Refusal.RESIGN_TYPE: (general.RESIGN_TYPE,),
    Refusal.ALREADY_DID: (general.ALREADY_DID,),
    Refusal.NO_CLOCK: (clock.CLOCK_NONE,),
    Refusal.PIP_TOGGLE: (play.PIP_TOGGLE,),
    Refusal.PIP_OPPONENT: (play.PIP_OPPONENT,),
    Refusal.PIP_WATCHED: (play.PIP_WATCHED,),
    Refusal.WATCH_WHO: (news.WATCH_WHO,),
    Refusal.WATCH_SELF: (news.WATCH_SELF,),
    Refusal.WATCH_PLAYING: (news.WATCH_PLAYING,),
    Refusal.WATCH_BLINDED: (news.WATCH_BLINDED,),
    Refusal.NOT_WATCHING: (news.NOT_WATCHING,),
    Refusal.LOOK_WHO: (general.LOOK_WHO,),
    Refusal.LOOK_BLINDED: (general.LOOK_BLINDED,),
    Refusal.LOOK_NOT_PLAYING: (general.LOOK_NOT_PLAYING,),
    Refusal.SHOUT_SILENT: (chat.SHOUT_SILENT,),
    Refusal.SHOUT_DISABLED: (chat.SHOUT_DISABLED,),
    Refusal.SAY_NOTHING: (chat.SAY_NOTHING,),
    Refusal.SAY_OUTSIDE: (chat.SAY_OUTSIDE,),
    Refusal.TELL_WHOM: (chat.TELL_WHOM,),
    Refusal.TELL_WHAT: (chat.TELL_WHAT,),
    Refusal.WONT_LISTEN: (chat.WONT_LISTEN,),
    Refusal.CANT_TALK: (chat.CANT_TALK,),
    Refusal.NOT_WATCHING_OR_PLAYING: (chat.NOT_WATCHING_OR_PLAYING,),
    Refusal.MESSAGE_USAGE: (chat.MESSAGE_USAGE,),
    Refusal.MESSAGE_BOX_FULL: (own.OWN_BOX_FULL,),
    Refusal.GAG_SELF: (chat.GAG_SELF,),
    Refusal.BLIND_SELF: (chat.BLIND_SELF,),
    Refusal.NOT_AWAY: (chat.NOT_AWAY,),
    Refusal.TOGGLE_UNKNOWN: (settings.TOGGLE_UNKNOWN,),
    Refusal.SET_UNKNOWN: (settings.SET_UNKNOWN,),
    Refusal.SET_BOARDSTYLE_BAD: (settings.SET_BOARDSTYLE_BAD,),
    Refusal.SET_LINELENGTH_BAD: (settings.SET_LINELENGTH_BAD,),
    Refusal.SET_PAGELENGTH_BAD: (settings.SET_PAGELENGTH_BAD,),
    Refusal.SET_REDOUBLES_BAD: (settings.SET_REDOUBLES_BAD,),
    Refusal.SET_SORTWHO_BAD: (settings.SET_SORTWHO_BAD,),
    Refusal.SET_TIMEZONE_BAD: (settings.SET_TIMEZONE_BAD, settings.SET_TIMEZONE_LIST),
    Refusal.SET_CHARSET_BAD: (own.OWN_SET_CHARSET_BAD,),
    Refusal.SET_YES_NO_BAD: (own.OWN_SET_YES_NO_BAD,),
    Refusal.ADDRESS_NONE: (general.ADDRESS_NONE,),
    Refusal.ADDRESS_BAD: (general.ADDRESS_BAD,),
    Refusal.ADDRESS_LONG: (general.ADDRESS_LONG,),
    Refusal.PASSWORD_USAGE: (general.PASSWORD_USAGE1, general.PASSWORD_USAGE2),
    Refusal.PASSWORD_OLD_WRONG: (general.PASSWORD_OLD_WRONG,),
    Refusal.PASSWORD_TWICE: (general.PASSWORD_TWICE,),
    Refusal.PASSWORD_SHORT: (own.OWN_PASSWORD_SHORT,),
    Refusal.RECOVERY_USAGE: (own.OWN_RECOVERY_USAGE,),
    Refusal.RECOVERY_PASSWORD: (own.OWN_RECOVERY_PASSWORD,),
    Refusal.ERASE_PLAYING: (own.OWN_ERASE_PLAYING,),
    Refusal.MUTED: (own.OWN_MUTED,),
    Refusal.TOO_OFTEN: (own.OWN_TOO_OFTEN,),
    Refusal.NOT_READABLE: (own.OWN_NOT_READABLE,),
    Refusal.NOT_STORED: (own.OWN_NOT_STORED,),
    Refusal.ADMIN: (own.OWN_ADMIN,),
    Refusal.SHOW_WHAT: (general.SHOW_WHAT,),
    Refusal.SHOW_UNKNOWN: (general.SHOW_UNKNOWN,),
    Refusal.NO_HELP: (general.NO_HELP,),
    Refusal.WHOIS_ARGUMENT: (lists.WHOIS_ARGUMENT,),
    Refusal.RATINGS_POSITIVE_FROM: (lists.RATINGS_POSITIVE_FROM,),
    Refusal.RATINGS_POSITIVE_TO: (lists.RATINGS_POSITIVE_TO,),
    Refusal.RATINGS_RANGE: (lists.RATINGS_RANGE,),
    Refusal.RATINGS_LIMIT: (lists.RATINGS_LIMIT,),
    Refusal.RATINGS_TWO_NAMES: (lists.RATINGS_TWO_NAMES,),
}

NTH = ("first", "second", "third", "fourth")
_POINT_OF = {Refusal.MOVE_BLOCKED, Refusal.MOVE_FROM}


def declined(event: e.Declined, view: View) -> Iterable[str]:
    """The sentence, or the two sentences, of a refusal."""
    fields = dict(event.fields)
    if "nth" in fields:
        fields |= _move_fields(event.refusal, fields)
    if event.refusal.name.startswith("TERM_"):
        fields["known"] = ", ".join(KNOWN)
    if isinstance(names := fields.get("names"), tuple):
        fields["names"] = ", ".join(names)
    return [template(**fields) for template in REFUSALS[event.refusal]]


def _move_fields(refusal: Refusal, fields: dict[str, object]) -> dict[str, object]:
    """The nth move in words, and a point as the player counts it."""
    nth, number, side = fields["nth"], fields.get("number"), fields.get("side")
    made: dict[str, object] = {"nth": NTH[min(nth, 3)] if isinstance(nth, int) else nth, "n": number, "k": number}
    if refusal in _POINT_OF and isinstance(number, int) and isinstance(side, Side):
        point = format_point(number, side)
        made["point"] = "the bar" if point == "bar" else point
    return made
