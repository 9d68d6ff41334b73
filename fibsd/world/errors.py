"""What the world refuses, by name; the sentences are the protocol's business."""

import enum
from typing import Any


class Refusal(enum.Enum):
    """Why a command was refused. Each member has its sentence in `fibsd.protocol.views.refusals`."""

    # commands and names
    UNKNOWN_COMMAND = enum.auto()
    AMBIGUOUS_NAME = enum.auto()
    NO_ONE_CALLED = enum.auto()
    DONT_KNOW_USER = enum.auto()
    NO_USER_CALLED = enum.auto()
    NO_INFORMATION = enum.auto()
    CANT_FIND_PLAYER = enum.auto()
    NAME_AFTER_LOGIN = enum.auto()
    # games in general
    NOT_PLAYING = enum.auto()
    NOT_PLAYING_WATCHING = enum.auto()
    WATCHED_NOT_PLAYING = enum.auto()
    NO_ONE_TO_LEAVE = enum.auto()
    GAME_OVER = enum.auto()
    NO_OLD_GAME = enum.auto()
    # invitations
    INVITE_WHO = enum.auto()
    INVITE_SELF = enum.auto()
    ALREADY_PLAYING = enum.auto()
    REFUSING_GAMES = enum.auto()
    ALREADY_PLAYING_OTHER = enum.auto()
    INVITE_SECOND = enum.auto()
    INVITE_LENGTH = enum.auto()
    INVITE_EXPERIENCE = enum.auto()
    NO_SAVED_MATCH = enum.auto()
    NO_NEW_GAMES = enum.auto()
    TERM_UNKNOWN = enum.auto()
    TERM_TWICE = enum.auto()
    TERM_CLASH = enum.auto()
    TERM_NUMBER = enum.auto()
    TERM_UNLIMITED_ONLY = enum.auto()
    TERM_LENGTH_ONLY = enum.auto()
    TERM_OFF = enum.auto()
    TERM_NOT_TAKEN = enum.auto()
    TERM_STAKE_OFF = enum.auto()
    SEEK_USAGE = enum.auto()
    SEEK_RATING = enum.auto()
    SEEK_RANGE = enum.auto()
    SEEK_NONE = enum.auto()
    SEEK_NOT_HIS = enum.auto()
    SEEK_TOO_HIGH = enum.auto()
    SEEK_TOO_LOW = enum.auto()
    REMATCH_NONE = enum.auto()
    REMATCH_GONE = enum.auto()
    JOIN_WHO = enum.auto()
    DIDNT_INVITE = enum.auto()
    JOIN_PLAYING_OTHER = enum.auto()
    TWO_GAMES = enum.auto()
    SAVED_CORRUPT = enum.auto()
    VOID_NOTHING = enum.auto()
    VOID_TOO_LATE = enum.auto()
    # rolling and moving
    ROLL_NOT_TURN = enum.auto()
    ROLL_ALREADY = enum.auto()
    DOUBLE_UNANSWERED = enum.auto()
    RESIGN_UNANSWERED = enum.auto()
    WANTED_TO_RESIGN = enum.auto()
    MOVE_NOT_TURN = enum.auto()
    MOVE_BEFORE_ROLL = enum.auto()
    MOVE_WORDS = enum.auto()
    MOVE_TOO_MANY = enum.auto()
    MOVE_TOO_FEW = enum.auto()
    MOVE_HOME = enum.auto()
    MOVE_BAR_FIRST = enum.auto()
    MOVE_BLOCKED = enum.auto()
    MOVE_FROM = enum.auto()
    MOVE_DISTANCE = enum.auto()
    MOVE_BEAROFF = enum.auto()
    NOT_YOUR_TURN_OFF = enum.auto()
    # cube and resignation
    WAIT_UNTIL_MOVED = enum.auto()
    DOUBLE_BEFORE_ROLL = enum.auto()
    DOUBLE_NOT_TURN = enum.auto()
    DOUBLE_RESIGNING = enum.auto()
    DOUBLE_FIRST_MOVE = enum.auto()
    REDOUBLE_REFUSED = enum.auto()
    DIDNT_DOUBLE = enum.auto()
    CANT_GIVE_UP = enum.auto()
    RESIGN_TYPE = enum.auto()
    ALREADY_DID = enum.auto()
    # clocks
    NO_CLOCK = enum.auto()
    # pip counts
    PIP_TOGGLE = enum.auto()
    PIP_OPPONENT = enum.auto()
    PIP_WATCHED = enum.auto()
    # watching and looking
    WATCH_WHO = enum.auto()
    WATCH_SELF = enum.auto()
    WATCH_PLAYING = enum.auto()
    WATCH_BLINDED = enum.auto()
    NOT_WATCHING = enum.auto()
    LOOK_WHO = enum.auto()
    LOOK_BLINDED = enum.auto()
    LOOK_NOT_PLAYING = enum.auto()
    # talking
    SHOUT_SILENT = enum.auto()
    SHOUT_DISABLED = enum.auto()
    SAY_NOTHING = enum.auto()
    SAY_OUTSIDE = enum.auto()
    TELL_WHOM = enum.auto()
    TELL_WHAT = enum.auto()
    WONT_LISTEN = enum.auto()
    CANT_TALK = enum.auto()
    NOT_WATCHING_OR_PLAYING = enum.auto()
    MESSAGE_USAGE = enum.auto()
    MESSAGE_BOX_FULL = enum.auto()
    GAG_SELF = enum.auto()
    BLIND_SELF = enum.auto()
    NOT_AWAY = enum.auto()
    # settings and accounts
    TOGGLE_UNKNOWN = enum.auto()
    SET_UNKNOWN = enum.auto()
    SET_BOARDSTYLE_BAD = enum.auto()
    SET_LINELENGTH_BAD = enum.auto()
    SET_PAGELENGTH_BAD = enum.auto()
    SET_REDOUBLES_BAD = enum.auto()
    SET_SORTWHO_BAD = enum.auto()
    SET_TIMEZONE_BAD = enum.auto()
    SET_CHARSET_BAD = enum.auto()
    SET_YES_NO_BAD = enum.auto()
    ADDRESS_NONE = enum.auto()
    ADDRESS_BAD = enum.auto()
    ADDRESS_LONG = enum.auto()
    PASSWORD_USAGE = enum.auto()
    PASSWORD_OLD_WRONG = enum.auto()
    PASSWORD_TWICE = enum.auto()
    PASSWORD_SHORT = enum.auto()
    RECOVERY_USAGE = enum.auto()
    RECOVERY_PASSWORD = enum.auto()
    ERASE_PLAYING = enum.auto()
    MUTED = enum.auto()
    TOO_OFTEN = enum.auto()
    ADMIN = enum.auto()
    # lists
    SHOW_WHAT = enum.auto()
    SHOW_UNKNOWN = enum.auto()
    NO_HELP = enum.auto()
    WHOIS_ARGUMENT = enum.auto()
    RATINGS_POSITIVE_FROM = enum.auto()
    RATINGS_POSITIVE_TO = enum.auto()
    RATINGS_RANGE = enum.auto()
    RATINGS_LIMIT = enum.auto()
    RATINGS_TWO_NAMES = enum.auto()


class Refused(Exception):
    """The user may not do that now; nothing was changed.

    Attributes:
        refusal: Why.
        fields: What the sentence needs: names, numbers, and for the `nth` move an index from 0.
    """

    def __init__(self, refusal: Refusal, **fields: Any) -> None:  # noqa: ANN401 - printable values of any type
        super().__init__(refusal.name)
        self.refusal = refusal
        self.fields = fields
