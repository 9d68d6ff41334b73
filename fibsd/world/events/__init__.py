"""What can happen, as frozen values.

An event carries all that any view of it needs; a view looks nothing up. Who sees it, and in which role, is decided
by the audience it is sent to (`fibsd.world.audience`).
"""

from fibsd.world.events.answers import Alert, Asked, Attention, ClosedByAdmin, Declined, HelpPage, Motd, RoomLine, Text
from fibsd.world.events.ghosts import (
    ConnectionLost,
    GhostPlays,
    GhostReport,
    GhostWon,
    PlayerBack,
    ReturnAwaited,
)
from fibsd.world.events.kinds import Arrival, AwardReason, Farewell, Forced, NoticeKind, Speech
from fibsd.world.events.matches import (
    InvitationGot,
    InvitationSent,
    MatchJoined,
    MatchResumed,
    MatchSettled,
    ReportLeft,
    ReportResume,
    ReportStart,
    ReportWon,
    SettlementNear,
    StakePaid,
    StakeReturned,
    TermsInForce,
    TermsOffered,
)
from fibsd.world.events.room import (
    Arrived,
    Awaited,
    AwaitedBy,
    BannedFromWatching,
    Departed,
    MessagesWaiting,
    NowWatching,
    SaidGoodbye,
    Sheet,
    StoppedWatching,
    TimedOut,
    ToggleFlipped,
    UserList,
    UsersChanged,
    WatcherCame,
    WatcherWent,
    Welcomed,
    Who,
    WhoCard,
    WhoRow,
)
from fibsd.world.events.table import (
    AskedToAnswer,
    AskedToJoin,
    AskedToMove,
    AskedToRoll,
    Awarded,
    BoardShown,
    CannotMove,
    CubeRaised,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    GameStarted,
    GameWon,
    MatchWon,
    Moved,
    MoveList,
    Notice,
    OpeningRolled,
    OpeningWon,
    OpponentGone,
    OpponentLeft,
    PipCounts,
    PlaysOn,
    RatingShown,
    ResignAccepted,
    ResignOffered,
    ResignRejected,
    Rolled,
    ScoreShown,
    TimeLeftShown,
    TimeShort,
    WaitsForJoin,
    WatchedGone,
    YouLeft,
    YourGameSaved,
)
from fibsd.world.events.talk import MessageGot, MessageSent, Spoke, Told, YouSpoke, YouTold

Event = (
    Text
    | RoomLine
    | Motd
    | Asked
    | Alert
    | Attention
    | ClosedByAdmin
    | Declined
    | HelpPage
    | Welcomed
    | Arrived
    | Awaited
    | AwaitedBy
    | Departed
    | SaidGoodbye
    | TimedOut
    | UserList
    | UsersChanged
    | MessagesWaiting
    | InvitationSent
    | InvitationGot
    | TermsOffered
    | TermsInForce
    | StakePaid
    | StakeReturned
    | SettlementNear
    | MatchSettled
    | MatchJoined
    | MatchResumed
    | ReportStart
    | ReportResume
    | ReportLeft
    | ReportWon
    | GameStarted
    | OpeningRolled
    | CubeRaised
    | OpeningWon
    | AskedToRoll
    | AskedToMove
    | AskedToAnswer
    | Rolled
    | CannotMove
    | Moved
    | PlaysOn
    | Doubled
    | DoubleTaken
    | DoubleDropped
    | ResignOffered
    | ResignAccepted
    | ResignRejected
    | GameWon
    | Awarded
    | MoveList
    | WaitsForJoin
    | AskedToJoin
    | ScoreShown
    | TimeShort
    | TimeLeftShown
    | RatingShown
    | MatchWon
    | YouLeft
    | YourGameSaved
    | OpponentLeft
    | OpponentGone
    | WatchedGone
    | BoardShown
    | PipCounts
    | Notice
    | NowWatching
    | StoppedWatching
    | BannedFromWatching
    | WatcherCame
    | WatcherWent
    | Told
    | YouTold
    | Spoke
    | YouSpoke
    | MessageSent
    | MessageGot
    | Who
    | ToggleFlipped
    | ConnectionLost
    | GhostPlays
    | GhostWon
    | ReturnAwaited
    | PlayerBack
    | GhostReport
)
"""All of them; each has its renderer."""

__all__ = [
    "Alert",
    "Arrival",
    "Arrived",
    "Asked",
    "AskedToAnswer",
    "AskedToJoin",
    "AskedToMove",
    "AskedToRoll",
    "Attention",
    "Awaited",
    "AwaitedBy",
    "AwardReason",
    "Awarded",
    "BannedFromWatching",
    "BoardShown",
    "CannotMove",
    "ClosedByAdmin",
    "ConnectionLost",
    "CubeRaised",
    "Declined",
    "Departed",
    "DoubleDropped",
    "DoubleTaken",
    "Doubled",
    "Event",
    "Farewell",
    "Forced",
    "GameStarted",
    "GameWon",
    "GhostPlays",
    "GhostReport",
    "GhostWon",
    "HelpPage",
    "InvitationGot",
    "InvitationSent",
    "MatchJoined",
    "MatchResumed",
    "MatchSettled",
    "MatchWon",
    "MessageGot",
    "MessageSent",
    "MessagesWaiting",
    "Motd",
    "MoveList",
    "Moved",
    "Notice",
    "NoticeKind",
    "NowWatching",
    "OpeningRolled",
    "OpeningWon",
    "OpponentGone",
    "OpponentLeft",
    "PipCounts",
    "PlayerBack",
    "PlaysOn",
    "RatingShown",
    "ReportLeft",
    "ReportResume",
    "ReportStart",
    "ReportWon",
    "ResignAccepted",
    "ResignOffered",
    "ResignRejected",
    "ReturnAwaited",
    "Rolled",
    "RoomLine",
    "SaidGoodbye",
    "ScoreShown",
    "SettlementNear",
    "Sheet",
    "Speech",
    "Spoke",
    "StakePaid",
    "StakeReturned",
    "StoppedWatching",
    "TermsInForce",
    "TermsOffered",
    "Text",
    "TimeLeftShown",
    "TimeShort",
    "TimedOut",
    "ToggleFlipped",
    "Told",
    "UserList",
    "UsersChanged",
    "WaitsForJoin",
    "WatchedGone",
    "WatcherCame",
    "WatcherWent",
    "Welcomed",
    "Who",
    "WhoCard",
    "WhoRow",
    "YouLeft",
    "YouSpoke",
    "YouTold",
    "YourGameSaved",
]
