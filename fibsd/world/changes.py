"""What must be stored: the world's side of persistence, as values.

A command's changes are one job: they are stored together or not at all. *Durable* changes are committed before
anybody is told what they record; the others may follow behind.
"""

from typing import ClassVar

from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import BACKGAMMON
from fibsd.rating import RatingChange
from fibsd.values import frozen
from fibsd.world.account import Account, Settings
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import PointsMoved, PointsOpened
from fibsd.world.terms import NO_TERMS, AddedTerms


@frozen(kw_only=True)
class MatchTerms:
    """What two players agreed on at `join`; nothing that they toggle later changes it.

    Attributes:
        length: Points, or None for an unlimited match.
        crawford: Whether the Crawford rule is in force.
        redoubles: Immediate redoubles allowed (unlimited matches only).
        autodoubles: Automatic doubles allowed in one game (unlimited matches only).
        added: What FIBS does not have.
    """

    length: int | None
    crawford: bool = True
    redoubles: int = 0
    autodoubles: int = 0
    added: AddedTerms = NO_TERMS

    @property
    def rated(self) -> bool:
        """Whether a match on these terms is one that FIBS would rate: backgammon, with a length."""
        return self.length is not None and self.added.variant is BACKGAMMON


@frozen(kw_only=True)
class MatchRow:
    """A match as the store gives it back.

    Attributes:
        id: Its number.
        names: Who had which colour in the first game.
        terms: What was agreed.
        started: Unix seconds.
        entries: Every entry of its journal, oldest first (see `fibsd.world.record`).
        left_by: Who left it on when it was saved last, or None.
        finished: Unix seconds, or None while it can still be played.
        touched: Unix seconds of the newest entry, or of a later reversal of its settlement.
        settled: How many entries had been made when it was settled without being played on; None if it was not.
    """

    id: MatchId
    names: BySide[UserName]
    terms: MatchTerms
    started: float
    entries: tuple[str, ...] = ()
    left_by: UserName | None = None
    finished: float | None = None
    touched: float = 0.0
    settled: int | None = None


@frozen(kw_only=True)
class Message:
    """A text left for a user who is off-line."""

    id: int
    to: UserName
    sender: UserName
    at: float
    text: str


@frozen(kw_only=True)
class AccountCreated:
    """A registration."""

    durable: ClassVar[bool] = True
    account: Account


@frozen(kw_only=True)
class PasswordChanged:
    """A new password, or the same one hashed with new parameters."""

    durable: ClassVar[bool] = True
    name: UserName
    password_hash: str


@frozen(kw_only=True)
class RecoveryChanged:
    """A new recovery code instead of the old one; None: there is none any more."""

    durable: ClassVar[bool] = True
    name: UserName
    recovery_hash: str | None


@frozen(kw_only=True)
class PasswordRecovered:
    """A new password in exchange for the recovery code, which is used up.

    It is refused if the account's code is not the one of `recovery_hash` any more: a code works once.
    """

    durable: ClassVar[bool] = True
    name: UserName
    recovery_hash: str
    password_hash: str


@frozen(kw_only=True)
class SettingsChanged:
    """Any change of `Settings`."""

    durable: ClassVar[bool] = False
    name: UserName
    settings: Settings


@frozen(kw_only=True)
class LoggedIn:
    """A login: time in Unix seconds, and the host as others see it."""

    durable: ClassVar[bool] = False
    name: UserName
    at: float
    host: str


@frozen(kw_only=True)
class LoggedOut:
    """The end of a user's session, in Unix seconds."""

    durable: ClassVar[bool] = False
    name: UserName
    at: float


@frozen(kw_only=True)
class MatchStarted:
    """A new match; its journal is empty."""

    durable: ClassVar[bool] = True
    id: MatchId
    names: BySide[UserName]
    terms: MatchTerms
    at: float


@frozen
class EntryAdded:
    """One more entry of a match's journal; `seq` counts from 0 without gaps."""

    durable: ClassVar[bool] = True
    id: MatchId
    seq: int
    entry: str
    at: float


@frozen(kw_only=True)
class MatchAdjourned:
    """A running match was saved; `left_by` is who ended it of his own will, or None."""

    durable: ClassVar[bool] = True
    id: MatchId
    left_by: UserName | None
    at: float


@frozen(kw_only=True)
class MatchFinished:
    """A match was won, or (unlimited) ended for good.

    With a `rating` both accounts' rating and experience are set to its values in the same transaction, two rows of
    the rating history are added, and each message in `notices` (how the match ended, for a player who may not live
    to see it) is left. `settled` is None for a match that was played to its end, else see `MatchRow`: such an end
    can be reversed.
    """

    durable: ClassVar[bool] = True
    id: MatchId
    names: BySide[UserName]
    winner: Side | None
    score: BySide[int]
    rating: RatingChange | None
    notices: tuple[Message, ...]
    at: float
    settled: int | None = None


@frozen(kw_only=True)
class Booked:
    """What the settlement of a match did to a player's rating and experience, which has to be taken back.

    Attributes:
        name: The player.
        before: His rating before the match.
        after: His rating after it.
        experience: By how much his experience has grown.
    """

    name: UserName
    before: float
    after: float
    experience: int

    def undone(self, rating: float) -> float:
        """The rating that is left of this one when exactly what was booked is taken back; never below 0."""
        return self.before if rating == self.after else max(0.0, rating - (self.after - self.before))


@frozen(kw_only=True)
class MatchReversed:
    """A match that was settled can be played on as it was before: its end, and the entries made then, go.

    The rows of the rating history go too, and ratings and experience are changed by as much as they say.
    """

    durable: ClassVar[bool] = True
    id: MatchId
    names: BySide[UserName]
    settled: int
    ratings: tuple[Booked, ...]
    at: float


@frozen(kw_only=True)
class MatchVoided:
    """A match leaves no trace: its row and its journal go."""

    durable: ClassVar[bool] = True
    id: MatchId


@frozen(kw_only=True)
class MessageLeft:
    """A message for a user who is off-line."""

    durable: ClassVar[bool] = True
    message: Message


@frozen(kw_only=True)
class MessagesDelivered:
    """Messages that were delivered and go from the store; unknown numbers are no fault."""

    durable: ClassVar[bool] = False
    ids: tuple[int, ...]


@frozen(kw_only=True)
class RollsCounted:
    """Rolls made since the last such change: pairs of (first die, second die) and how often (FIBS: dicetest)."""

    durable: ClassVar[bool] = False
    counts: tuple[tuple[int, int, int], ...]


@frozen(kw_only=True)
class RightsChanged:
    """Words such as `admin` or `moderator` that an account has from now on."""

    durable: ClassVar[bool] = True
    name: UserName
    rights: frozenset[str]


@frozen(kw_only=True)
class MutedUntil:
    """Until when (Unix seconds) a user may not shout, kibitz or whisper; None: he may."""

    durable: ClassVar[bool] = True
    name: UserName
    until: float | None


@frozen(kw_only=True)
class AccountRenamed:
    """A new name for an account, in everything that is stored: matches, ratings, messages, bans of others too."""

    durable: ClassVar[bool] = True
    name: UserName
    new_name: UserName


@frozen(kw_only=True)
class AccountErased:
    """An account goes for ever; its name is free again.

    Its messages, in and out, go with it. Finished matches and the rating history stay, under a name that leads to
    nobody (`erased_<number>`). It must have no match that can still be played. Its play points go back to the bank;
    `at` (Unix seconds) is for that row of the ledger.
    """

    durable: ClassVar[bool] = True
    name: UserName
    at: float = 0.0


@frozen(kw_only=True)
class Ban:
    """Somebody who may not log in, or addresses from where nobody may.

    Attributes:
        id: Its number.
        name: An account, or None.
        network: An address or a range such as `192.0.2.0/24`, or None. Exactly one of the two is given.
        until: Unix seconds, or None for ever.
        reason: For those who ask.
        by: Who set it.
        at: Unix seconds.
    """

    id: int
    name: UserName | None
    network: str | None
    until: float | None
    reason: str
    by: str
    at: float


@frozen(kw_only=True)
class BanSet:
    """A new ban."""

    durable: ClassVar[bool] = True
    ban: Ban


@frozen(kw_only=True)
class BanLifted:
    """A ban ends; an unknown number is no fault."""

    durable: ClassVar[bool] = True
    id: int


@frozen(kw_only=True)
class Audit:
    """One act of an administrator: when, who, what (`ban`), about whom or what, and details."""

    at: float
    by: str
    act: str
    subject: str
    details: str = ""


@frozen(kw_only=True)
class Audited:
    """An act of an administrator is written down, in the same job as what it changes."""

    # What is told does not wait for it: an operator may have to tell everybody that the disk hangs.
    durable: ClassVar[bool] = False
    audit: Audit


@frozen(kw_only=True)
class TextSet:
    """A text that the operator edits while the server runs, by its key (`motd`); empty removes it."""

    durable: ClassVar[bool] = True
    key: str
    text: str


Change = (
    AccountCreated
    | PasswordChanged
    | RecoveryChanged
    | PasswordRecovered
    | SettingsChanged
    | LoggedIn
    | LoggedOut
    | MatchStarted
    | EntryAdded
    | MatchAdjourned
    | MatchFinished
    | MatchVoided
    | MatchReversed
    | PointsOpened
    | PointsMoved
    | MessageLeft
    | MessagesDelivered
    | RollsCounted
    | RightsChanged
    | MutedUntil
    | AccountRenamed
    | AccountErased
    | BanSet
    | BanLifted
    | Audited
    | TextSet
)
