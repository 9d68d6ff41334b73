"""Ways in which things can happen."""

import enum


class Farewell(enum.Enum):
    """How a user's session ended."""

    LOGOUT = "logout"
    DROP = "drop"
    TIMEOUT = "timeout"
    NETWORK_ERROR = "network error"
    CLOSED_OLD = "closed old connection"
    ADMIN = "closed by an administrator"


class Arrival(enum.Enum):
    """How a user's session began."""

    LOGIN = "logs in"
    AGAIN = "logs in again"
    REGISTERED = "just registered"


class Forced(enum.Enum):
    """Why the server moved in a player's place."""

    ONLY_MOVE = "automove"
    BEAR_OFF = "greedy"
    PLAYOUT = "playout"


class NoticeKind(enum.Enum):
    """Matters that FIBS has no line for."""

    RESIGNATION_WITHDRAWN = "a resignation was withdrawn when the match was interrupted"
    VOIDED = "a match was voided by the other player"
    YOU_VOIDED = "a match was voided by oneself"
    DECLINED = "an invitation was declined by the other user"
    YOU_DECLINED = "an invitation was declined by oneself"
    CORRUPT = "a saved match cannot be read"


class AwardReason(enum.Enum):
    """Why the server itself ends a game."""

    TIME = "the loser's time is up"
    ABANDONED = "the loser has not come back to a saved match"


class Speech(enum.Enum):
    """Ways of talking that go to several users."""

    SHOUT = "shout"
    KIBITZ = "kibitz"
    WHISPER = "whisper"
