"""The engine against simple players, in cubeless games for money.

Run `python -m tests.bots.arena --games 1000 --against random` (or `greedy`); it shows wins, points and times.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import attrs

from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View, legal_plays
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import BySide, Side
from fibsd.bots.policy import choose_play

Player = Callable[[View, Dice, Sequence[Play]], Play]


def random_player(rng: random.Random) -> Player:
    """Any play is as good as another."""
    return lambda view, dice, plays: rng.choice(plays)


def greedy_player(view: View, dice: Dice, plays: Sequence[Play]) -> Play:
    """The play after which it is farthest ahead in pips: it hits whatever it can."""

    def lead(play: Play) -> int:
        board = Board(points=view).after(Side.O, play)
        return board.pips(Side.X) - board.pips(Side.O)

    return max(plays, key=lead)


@attrs.define
class Clocked:
    """The engine, and how many seconds of the processor each of its decisions took."""

    times: list[float] = attrs.Factory(list)

    def __call__(self, view: View, dice: Dice, plays: Sequence[Play]) -> Play:
        """Choose, by the watch."""
        began = time.thread_time()
        play = choose_play(view, dice, plays)
        if len(plays) > 1:
            self.times.append(time.thread_time() - began)
        return play


def play_game(players: BySide[Player], rng: random.Random) -> tuple[Side, int]:
    """Who wins, and 1 to 3 points."""
    board, dice = START, Dice(1, 1)
    while dice.is_double:
        dice = Dice(rng.randint(1, 6), rng.randint(1, 6))
    side = Side.O if dice.first > dice.second else Side.X
    while True:
        view = board.seen_by(side)
        plays = legal_plays(view, dice)
        if plays:
            board = board.after(side, players.of(side)(view, dice, plays))
            if not board.checkers(side):
                return side, _size(board, side.other)
        side = side.other
        dice = Dice(rng.randint(1, 6), rng.randint(1, 6))


def _size(board: Board, loser: Side) -> int:
    if board.off(loser):
        return 1
    return 3 if max(board.seen_by(loser)[19:]) > 0 else 2


@attrs.define
class Tally:
    """What the engine has won and lost.

    Attributes:
        games: Games played.
        wins: Games that it won.
        points: Points that it is ahead.
    """

    games: int = 0
    wins: int = 0
    points: int = 0

    @property
    def share(self) -> float:
        """Games won, of all."""
        return self.wins / self.games


def contest(games: int, engine: Player, against: Player, rng: random.Random, tell: Callable[[Tally], None]) -> Tally:
    """Play games with colours changing."""
    tally = Tally()
    for nth in range(games):
        own = Side.X if nth % 2 else Side.O
        players: BySide[Player] = BySide.both(against).put(own, engine)
        winner, size = play_game(players, rng)
        tally.games += 1
        tally.wins += winner is own
        tally.points += size if winner is own else -size
        tell(tally)
    return tally


def main() -> None:
    """Read the arguments, play, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--against", choices=("random", "greedy"), default="greedy")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    against = greedy_player if options.against == "greedy" else random_player(random.Random(options.seed + 1))

    def tell(tally: Tally) -> None:
        if tally.games % 50 == 0 and sys.stderr.isatty():
            print(f"\r{tally.games} of {options.games}: {tally.share:.1%}", end="", file=sys.stderr, flush=True)

    engine = Clocked()
    began = time.perf_counter()
    tally = contest(options.games, engine, against, rng, tell)
    print(
        f"\n{tally.wins} of {tally.games} games won against {options.against} ({tally.share:.1%}),"
        f" {tally.points / tally.games:+.2f} points a game, {time.perf_counter() - began:.0f} s"
    )
    times = [1000 * one for one in engine.times]
    print(f"{len(times)} decisions: median {statistics.median(times):.2f} ms, longest {max(times):.2f} ms")


if __name__ == "__main__":
    main()
