"""Games that the server ends itself."""

from fibsd.world.changes import EntryAdded, MatchFinished
from fibsd.world.events import Awarded, AwardReason, GameWon, MatchWon, ScoreShown
from fibsd.world.results import award
from tests.support.worlds import READY, begin, result, world_of


def told(out) -> list[type]:
    return [type(event) for envelope in out.envelopes for event in envelope.events]


def test_the_loser_pays_the_most_that_he_can_still_lose():
    """At the start of a game everything can happen."""
    world = world_of("alice", "bob", settings=READY)
    table = begin(world, "alice", "bob")
    loser = table.side_of("alice")
    out = result()
    award(world, table, loser, AwardReason.TIME, out)
    assert table.match.score.of(loser.other) == 3
    assert told(out)[:3] == [Awarded, GameWon, ScoreShown]
    (entry,) = [change for change in out.changes if isinstance(change, EntryAdded)]
    assert entry.entry == f"{loser.name} F 3"


def test_an_award_can_end_the_match_and_is_rated_as_any_end():
    world = world_of("alice", "bob", settings=READY)
    table = begin(world, "alice", "bob", length=3)
    out = result()
    award(world, table, table.side_of("bob"), AwardReason.TIME, out)
    (finished,) = [change for change in out.changes if isinstance(change, MatchFinished)]
    assert finished.rating is not None
    assert finished.rating.winner.name == "alice"
    assert MatchWon in told(out)
    assert not world.tables
