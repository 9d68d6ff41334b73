"""What the log tells of matches: each line has the match's number, so that all about it can be found together."""

from collections.abc import Iterable

import structlog

from fibsd.world.changes import (
    Change,
    EntryAdded,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
    MatchStarted,
    MatchVoided,
)

log = structlog.get_logger()


def note(changes: Iterable[Change]) -> None:
    """Log the beginnings and ends of matches among these changes."""
    for change in changes:
        if isinstance(change, EntryAdded):
            # Every turn has some, and there is nothing to tell of them.
            continue
        match change:
            case MatchStarted():
                log.info(
                    "match started",
                    match=change.id,
                    players=[change.names.o, change.names.x],
                    length=change.terms.length,
                )
            case MatchAdjourned():
                log.info("match saved", match=change.id, left_by=change.left_by)
            case MatchFinished():
                winner = None if change.winner is None else change.names.of(change.winner)
                log.info("match finished", match=change.id, players=[change.names.o, change.names.x], winner=winner)
            case MatchVoided():
                log.info("match voided", match=change.id)
            case MatchReversed():
                log.info("settlement reversed", match=change.id, players=[change.names.o, change.names.x])
            case _:
                pass
