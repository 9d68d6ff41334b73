"""What a bot answers to each line. Pure: the time is an argument, and nothing is sent from here."""

import itertools
from collections.abc import Iterator

import attrs

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View
from fibsd.backgammon.play import Play
from fibsd.backgammon.variants import BACKGAMMON, Variant
from fibsd.bots import reading
from fibsd.bots.cube import Score, answers_resignation, size_to_resign, takes, wants_double
from fibsd.bots.policy import ranked_plays
from fibsd.bots.reading import FIBS_TERMS, Seen, Terms, move_words

NUDGE_S = 20.0
"""So long nothing is said while it is the bot's turn, before it asks where things stand."""
ALIVE_S = 600.0
"""So often it says something, lest it be logged out for being idle."""
SEEKS_S, AGAIN_S = 30.0, 10.0
"""So often it asks who seeks an opponent, and how soon again when somebody does."""
PATIENCE_S = 20.0
"""So long an open invitation is left to people before a bot takes it."""
TELL_S = 5.0
"""So often it answers the same person."""
ATTEMPTS = 60
"""So many plays are tried, if the server refuses them, before the bot gives up."""
PEOPLE = 1000
"""So many people are remembered at most for what was told them."""
HELP = "I am a program: I play any match that I am invited to. Type 'invite {name} 3' for one to 3 points."
WANTED = {"autoboard": True, "moreboards": True, "ready": True, "double": True}
QUIETER = {"notify": False, "report": False, "silent": True}
"""Toggles as the bot needs them, and those that spare it lines."""
UNWANTED = "stake"
"""A term whose open invitations bots leave to people; whoever invites them on it gets his match."""
_SIZES = {1: "normal", 2: "gammon", 3: "backgammon"}


@attrs.define
class Mind:
    """The player's memory of one connection.

    Attributes:
        name: Of its account.
        seen: The last board, None while nothing is played.
        answered: What was done about that board, so that it is done once.
        in_match: Whether a match is being played, between its games too.
    """

    name: str
    seen: Seen | None = None
    answered: bool = False
    in_match: bool = False
    _logged_in: bool = False
    _in_motd: bool = False
    _settled: bool = False
    _switches: reading.OwnInfo | None = None
    _terms: Terms = FIBS_TERMS
    _plays: Iterator[Play] | None = None
    _resigned: int = 0
    _offered: bool = False
    _took: bool = False
    _nudged: bool = False
    _no_double: bool = False
    _heard_at: float = 0.0
    _said_at: float = 0.0
    _told_at: dict[str, float] = attrs.Factory(dict)
    _ask_at: float | None = None
    _sought: dict[reading.Sought, float] = attrs.Factory(dict)
    _known: dict[reading.Sought, float] = attrs.Factory(dict)
    _tried: set[reading.Sought] = attrs.Factory(set)
    _joins: bool = False

    # --- what comes in -----------------------------------------------------------------------------------------

    def hear(self, line: str, now: float) -> list[str]:
        """What to send after a line, now being any clock in seconds."""
        self._heard_at = now
        if not self._logged_in and line in ("3", "4"):
            self._in_motd = line == "3"
        if self._in_motd:
            return []
        meaning = reading.read(line)
        answers = [] if meaning is None else self._react(meaning, now)
        return self._said(answers or self._look_round(now), now)

    def wait(self, now: float) -> list[str]:
        """What to send when nothing has come for a while; to be asked every few seconds."""
        seen = self.seen
        if seen is not None and seen.own_turn and not self._offered and now - self._heard_at >= NUDGE_S:
            self._heard_at = now
            self.answered, self._took, self._nudged = False, False, True
            # The answer is a board; if nothing is played, a line that says so.
            return self._said(["board"], now)
        if now - self._said_at >= ALIVE_S:
            return self._said([f"who {self.name}"], now)
        return self._said(self._look_round(now), now)

    def _said(self, lines: list[str], now: float) -> list[str]:
        if lines:
            self._said_at = now
        return lines

    def _react(self, meaning: reading.Meaning, now: float) -> list[str]:
        match meaning:
            case Seen():
                return self._look(meaning)
            case reading.OwnInfo():
                self._switches = meaning
            case reading.UserListEnd():
                first, self._logged_in = not self._logged_in, True
                return self._set_up() if first else []
            case reading.Version():
                self._settled, self._ask_at = True, now + SEEKS_S
            case reading.Told(sender, text):
                return self._reply(sender, text, now)
            case reading.Invited(name):
                return [f"join {name}"]
            case reading.Sought():
                return self._consider(meaning, now)
            case reading.Seated() | reading.MatchBegins() | reading.MatchEnds():
                self._forget()
                self.in_match = not isinstance(meaning, reading.MatchEnds)
                if not isinstance(meaning, reading.MatchBegins):
                    self._terms = FIBS_TERMS
            case Terms():
                self._terms = meaning
            case reading.AskedForNextGame():
                self._forget()
                return ["join"]
            case reading.Refused("Unknown command: 'seeks'"):
                # A server without open invitations.
                self._ask_at = None
            case reading.Refused():
                # Until then it may be a setting that this server does not have.
                return self._refused() if self._settled else []
            case _:
                return self._decide(meaning)
        return []

    def _set_up(self) -> list[str]:
        """Settings, and after them something whose answer tells that they were dealt with."""
        given = {} if self._switches is None else self._switches.switches
        wanted = WANTED | QUIETER
        flips = [f"toggle {word}" for word, on in wanted.items() if given.get(word, on) is not on]
        back = ["back"] if given.get("away") else []
        return ["set boardstyle 3", "set extras yes", "set bot yes", *back, *flips, "version"]

    def _reply(self, sender: str, text: str, now: float) -> list[str]:
        """A line of help, seldom enough that two programs do not talk to each other for ever."""
        if sender in (self.name, "fibsd") or text.startswith(HELP[:16]):
            return []
        if now - self._told_at.get(sender, -TELL_S) < TELL_S:
            return []
        if len(self._told_at) >= PEOPLE:
            self._told_at.clear()
        self._told_at[sender] = now
        return [f"tell {sender} {HELP.format(name=self.name)}"]

    # --- open invitations --------------------------------------------------------------------------------------

    def _look_round(self, now: float) -> list[str]:
        """Ask who seeks an opponent, when nothing else is to be done and it is time."""
        if self._ask_at is None or self.in_match or now < self._ask_at:
            return []
        # What is not listed again is gone.
        self._known, self._sought, self._joins = self._sought, {}, False
        self._tried &= self._known.keys()
        self._ask_at = now + SEEKS_S
        return ["seeks"]

    def _consider(self, sought: reading.Sought, now: float) -> list[str]:
        """Take the first one that people have left for long enough; they are listed in the order of their coming."""
        if self.in_match or sought.name == self.name:
            return []
        self._sought[sought] = self._known.get(sought, now)
        if self._joins or sought in self._tried or UNWANTED in sought.words:
            return []
        if now - self._sought[sought] < PATIENCE_S:
            self._ask_at = now + AGAIN_S
            return []
        # If it does not fit, the server says so, and the next time comes the next one.
        self._tried.add(sought)
        self._joins, self._ask_at = True, now + AGAIN_S
        return [f"join {sought.name}"]

    # --- the game ----------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        """Another game, or none."""
        self.seen, self.answered, self._plays = None, False, None
        self._resigned, self._offered = 0, False
        self._took, self._nudged, self._no_double = False, False, False

    def _look(self, seen: Seen) -> list[str]:
        if seen != self.seen:
            self.seen, self.answered, self._plays = seen, False, None
        nudged, self._nudged = self._nudged, False
        if not seen.doubled:
            self._took = False
        if not seen.own_turn:
            return []
        if seen.doubled:
            return self._decide(reading.AskedToTake())
        if seen.dice is not None:
            return self._decide(reading.AskedToMove())
        # Who is on turn without dice is asked for a roll, unless the question was lost.
        return self._decide(reading.AskedToRoll()) if nudged else []

    def _decide(self, meaning: reading.Meaning) -> list[str]:
        """Answer a question about the board that was seen last."""
        seen = self.seen
        if seen is None:
            # A match that was taken over in another board style.
            return ["board"]
        match meaning:
            case reading.AskedToRoll():
                return ["double" if self._doubles(seen) else "roll"]
            case reading.AskedToMove():
                return self._move(seen)
            case reading.AskedToTake() if not self._took:
                self._took = True
                return ["accept" if takes(seen.board, seen.side, seen.cube, self._score(seen)) else "reject"]
            case reading.AskedToAccept(points):
                return ["accept" if self._content(seen, points) else "reject"]
            case reading.ResignationRefused() if self._offered:
                return self._give_up(seen)
        return []

    def _doubles(self, seen: Seen) -> bool:
        without = self._terms.nocube or seen.crawford or seen.length == 1
        barred = self._no_double or without or not seen.may_turn
        return not barred and wants_double(seen.board, seen.side, seen.cube, self._score(seen))

    def _content(self, seen: Seen, points: int) -> bool:
        """Whether to take what the other side offers to lose."""
        # More is of no use, or cannot be had: by the Jacoby rule the game is a single one.
        enough = seen.away is not None and points >= seen.away.of(seen.side)
        if enough or (self._terms.jacoby and seen.cube.owner is None):
            return True
        size = min(3, max(1, points // seen.cube.value))
        on_turn = seen.side if seen.turn is None else seen.turn
        return answers_resignation(seen.board, seen.side, size, on_turn, self._terms.variant)

    def _score(self, seen: Seen) -> Score:
        terms = self._terms
        return Score(away=seen.away, crawford_over=seen.crawford_over, jacoby=terms.jacoby, variant=terms.variant)

    def _move(self, seen: Seen) -> list[str]:
        if self.answered or seen.dice is None or not seen.can_move:
            return []
        self.answered = True
        self._plays = attempts(seen.board.seen_by(seen.side), seen.dice, seen.can_move, self._terms.variant)
        return self._next_play(seen)

    def _next_play(self, seen: Seen) -> list[str]:
        """The best play that was not refused yet; after the last one the bot does not hold up the other player."""
        play = None if self._plays is None else next(self._plays, None)
        return self._give_up(seen) if play is None else [f"move {move_words(play, seen.side)}"]

    def _refused(self) -> list[str]:
        """The last thing was refused: try another."""
        seen = self.seen
        if seen is None or not seen.own_turn or self._offered:
            return []
        if self._plays is not None:
            return self._next_play(seen)
        if seen.dice is None and not seen.doubled and not self._no_double:
            self._no_double = True
            return ["roll"]
        return []

    def _give_up(self, seen: Seen) -> list[str]:
        """Resign for what is likely, then for more; at last leave, which saves the match."""
        self._plays, self._offered = None, True
        least = size_to_resign(seen.board, seen.side, seen.side, self._terms.variant)
        self._resigned = max(least, self._resigned + 1)
        return ["leave"] if self._resigned > 3 else [f"resign {_SIZES[self._resigned]}"]


def attempts(view: View, dice: Dice, can_move: int, variant: Variant = BACKGAMMON) -> Iterator[Play]:
    """Plays to try, best first, at most `ATTEMPTS`.

    First those of the rules that were told. Where others hold, other orders and shorter plays may be what is asked.

    Args:
        view: The position as the mover sees it.
        dice: The roll.
        can_move: How many checkers must be moved, by the server's word.
        variant: What is played.
    """
    plays = ranked_plays(view, variant.rules.legal_plays(view, dice), variant)
    fitting = (play for play in plays if len(play) == can_move)
    turned = (play[::-1] for play in plays if len(play) == can_move > 1 and not dice.is_double)
    shorter = ((move,) for play in plays for move in play if can_move == 1 < len(play))
    begun = (play[:can_move] for play in plays if len(play) > can_move > 1)
    others = (play for play in plays if len(play) < can_move)
    return itertools.islice(dict.fromkeys(itertools.chain(fitting, turned, shorter, begun, others)), ATTEMPTS)
