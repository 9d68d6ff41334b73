"""Invitations, and matches beginning, resumed, left and won."""

from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen
from fibsd.world.snapshot import Snapshot
from fibsd.world.terms import AddedTerms


@frozen(kw_only=True)
class InvitationSent:
    """To the inviter; `length` None is unlimited, `resume` is for a saved match.

    Attributes:
        saved: Lengths of saved matches between the two that the new one would pass over.
        away: The invitee's text while he is away.
    """

    name: str
    length: int | None
    resume: bool
    saved: tuple[int | None, ...] = ()
    away: str | None = None


@frozen(kw_only=True)
class InvitationGot:
    """To the invitee; fields as in `InvitationSent`."""

    inviter: str
    length: int | None
    resume: bool
    saved: tuple[int | None, ...] = ()


@frozen(kw_only=True)
class TermsOffered:
    """To the invitee: what is offered besides a length.

    Attributes:
        added: The terms that FIBS does not have.
        win: What he would add to his rating; None if the match is not rated.
        lose: What he would lose of it.
        fee_percent: How much of the stakes the house would keep.
    """

    added: AddedTerms
    win: float | None
    lose: float | None
    fee_percent: int = 0


@frozen
class TermsInForce:
    """To the players of a match that begins or goes on with added terms."""

    added: AddedTerms


@frozen(kw_only=True)
class MatchJoined:
    """A new match begins; only the players are told. `inviter` is who had sent the invitation."""

    names: BySide[str]
    inviter: Side
    length: int | None


@frozen(kw_only=True)
class MatchResumed:
    """To a player: a saved match goes on, or a running one goes on in his new session.

    Attributes:
        opponent: The other player.
        invited: Whether this player had sent the invitation.
        first: Whose points are told first.
        snapshot: How the match stands.
        turn: Who has to act, None in the pause between games.
    """

    opponent: str
    invited: bool
    first: Side
    snapshot: Snapshot
    turn: Side | None


@frozen
class ReportStart:
    """For the room: a match begins."""

    first: str
    second: str
    length: int | None


@frozen
class ReportResume:
    """For the room: a saved match goes on."""

    first: str
    second: str
    length: int | None


@frozen
class ReportLeft:
    """For the room and the watchers: a player left the game."""

    name: str
    opponent: str


@frozen
class ReportWon:
    """For the room: a match was won."""

    winner: str
    loser: str
    length: int
    points: tuple[int, int]


@frozen
class StakePaid:
    """To a player of a match that was won: so many play points go to the winner, who may be `you`."""

    winner: str
    points: int
    you: bool


@frozen
class StakeReturned:
    """To the players of a match that nobody won: each has his play points back."""

    points: int


@frozen
class SettlementNear:
    """To a player who logs in: a saved match of his will be settled at that Unix second."""

    opponent: str
    at: float


@frozen
class MatchSettled:
    """To a player on-line: how a saved match of his was settled, or that its settlement was reversed."""

    text: str
