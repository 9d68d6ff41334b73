"""The on-line help: nothing lacks a page, every page keeps the form, and what the pages say is so."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import attrs
import pytest

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalPlay
from fibsd.backgammon.game import Phase
from fibsd.backgammon.match import Match, new_match
from fibsd.backgammon.movegen import check_play, playable
from fibsd.backgammon.side import BySide, Side
from fibsd.commands import settings
from fibsd.commands.options import OPTIONS
from fibsd.commands.registry import COMMANDS, SHORT_FORMS, find_command
from fibsd.protocol import messages
from fibsd.protocol.boards import drawn_board
from fibsd.protocol.help import ALIASES, TOPICS, find_topic, load_pages, topic_list
from fibsd.protocol.messages import chat, lists, play
from fibsd.protocol.messages.template import Template
from fibsd.protocol.moves import looks_like_move, parse_moves
from fibsd.protocol.views.room import redoubles_text
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.snapshot import Snapshot
from tests.support.oracle import csv_rows

PAGES = load_pages()
HEADINGS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLE", "SEE ALSO", "DEFAULT", "VALUES")
VARIABLES = (*settings._VARIABLES, *OPTIONS)
WIDTH = 76
PROMPT = "> "


def _section(topic: str, heading: str) -> list[str]:
    """The lines of a section without their indent; none if the page has no such section."""
    lines: list[str] = []
    inside = False
    for line in PAGES[topic]:
        if line in HEADINGS:
            inside = line == heading
        elif inside:
            lines.append(line[4:])
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _all_lines() -> Iterator[tuple[str, str]]:
    for topic, lines in PAGES.items():
        for line in lines:
            yield topic, line


# --- nothing lacks a page ---


@pytest.mark.parametrize("word", [*TOPICS, *COMMANDS])
def test_every_topic_and_every_command_has_a_page(word: str) -> None:
    """Aliases count."""
    assert find_topic([word], PAGES) in PAGES


@pytest.mark.parametrize("toggle", Toggle)
def test_every_switch_has_a_page(toggle: Toggle) -> None:
    """Found in two words and as one."""
    page = f"toggle-{toggle.value}"
    assert page in PAGES
    assert find_topic(["toggle", toggle.value], PAGES) == page
    assert find_topic([page], PAGES) == page


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_variable_has_a_page(variable: str) -> None:
    """With its default and its values."""
    page = find_topic(["set", variable], PAGES)
    assert page is not None
    assert page == find_topic([variable], PAGES)
    assert _section(page, "DEFAULT")
    assert _section(page, "VALUES")


def test_every_page_can_be_found() -> None:
    """By its own name."""
    for page in PAGES:
        assert find_topic([page], PAGES) == page
        assert find_topic([page.upper(), "and", "more"] if page not in ("set", "toggle") else [page], PAGES) == page


def test_aliases_lead_to_pages() -> None:
    """And each short form of a command to the command's page."""
    assert set(ALIASES.values()) <= set(PAGES)
    for short, name in SHORT_FORMS.items():
        assert ALIASES[short] == name


# --- which page is meant ---


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("who", "who"),
        ("WHO", "who"),
        ("who ready", "who"),
        ("!!", "!!"),
        ("repeat", "!!"),
        ("exit", "bye"),
        ("log", "bye"),
        ("autoroll", "toggle-double"),
        ("b", "board"),
        ("boa", None),
        ("beg", "beginner"),
        ("auto", "autologin"),
        ("autom", "toggle-automove"),
        ("greedy", "toggle-greedy"),
        ("gree", "toggle-greedy"),
        ("toggle-gr", "toggle-greedy"),
        ("crawford", "crawford"),
        ("toggle", "toggle"),
        ("toggle crawford", "toggle-crawford"),
        ("tog cra", "toggle-crawford"),
        ("toggle r", "toggle-ready"),
        ("toggle autoroll", "toggle-double"),
        ("toggle auto", None),
        ("toggle xyzzy", None),
        ("set", "set"),
        ("set timezone", "timezones"),
        ("set time", "timezones"),
        ("set redoubles", "redoubles"),
        ("set xyzzy", None),
        ("timezone", "timezones"),
        ("redouble", "redouble"),
        ("red", "redouble"),
        ("redoubles", "redoubles"),
        ("re", None),
        ("tel", "tell"),
        ("char", "charset"),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_finding_a_page(words: str, topic: str | None) -> None:
    """Exact names, aliases, two words, and beginnings that only one topic has."""
    assert find_topic(words.split(), PAGES) == topic


def test_the_list_of_topics_is_that_of_fibs() -> None:
    """Column by column, gaps too."""
    rows = [row["example"] for row in csv_rows("lines.csv") if row["id"].startswith("help_topics_")]
    assert len(rows) == 16
    assert list(topic_list()) == rows
    assert " ".join(rows).split() == list(TOPICS)


# --- form ---


@pytest.mark.parametrize("topic", PAGES)
def test_form_of_a_page(topic: str) -> None:
    """Headings in order, each section indented, parted by one empty line, narrow, plain ASCII."""
    lines = PAGES[topic]
    assert lines[0] == "NAME"
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings == sorted(set(headings), key=HEADINGS.index)
    assert set(headings) >= {"NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"}
    for before, line in zip(("", *lines), lines, strict=False):
        assert len(line) <= WIDTH
        assert line.isascii()
        assert line == "" or line.isprintable()
        assert line == line.rstrip(" ")
        assert line == "" or line in HEADINGS or line.startswith("    ")
        assert line or before, "two empty lines"
        assert line not in HEADINGS or before == ""
        assert line or before not in HEADINGS, "an empty line below a heading"
    assert lines[-1]
    name = _section(topic, "NAME")
    assert len(name) == 1
    assert name[0].startswith(f"{topic.replace('toggle-', 'toggle ')} - ")


def test_no_line_looks_like_a_numbered_message() -> None:
    """Neither `3`, `4`, `6` alone nor a number and a blank: clients would take it for one."""
    for _, line in _all_lines():
        assert not re.match(r"\d+( |$)", line, re.ASCII)


@pytest.mark.parametrize("topic", PAGES)
def test_see_also_names_pages(topic: str) -> None:
    """Other pages, each once, in the words in which one asks for them."""
    names = " ".join(_section(topic, "SEE ALSO")).split(", ")
    pages = [name.replace("toggle ", "toggle-") for name in names]
    assert set(pages) <= set(PAGES)
    assert topic not in pages
    assert len(set(pages)) == len(pages)


# --- what is said is so ---


@pytest.mark.parametrize("toggle", Toggle)
def test_defaults_of_switches(toggle: Toggle) -> None:
    """As a new account has them; no other page has a default but those of variables."""
    assert _section(f"toggle-{toggle.value}", "DEFAULT") == ["YES" if toggle in DEFAULT_TOGGLES else "NO"]
    assert not _section(f"toggle-{toggle.value}", "VALUES")


def test_defaults_of_variables() -> None:
    """As a new account has them; boardstyle has two defaults, by the kind of session."""
    new = Settings()
    defaults = {
        "linelength": str(new.linelength),
        "pagelength": str(new.pagelength),
        "redoubles": redoubles_text(new.redoubles),
        "sortwho": new.sortwho.value,
        "timezones": new.timezone,
        "charset": new.charset.value,
        "playout": "yes" if new.playout else "no",
    }
    assert {page: " ".join(_section(page, "DEFAULT")) for page in defaults} == defaults
    with_default = {page for page in PAGES if _section(page, "DEFAULT")}
    assert with_default == {*defaults, "boardstyle", "bot", "extras", *(f"toggle-{toggle.value}" for toggle in Toggle)}


def test_typed_lines_are_understood() -> None:
    """Every line behind a prompt begins with a command or is a move."""
    typed = [(topic, line.strip().removeprefix(PROMPT)) for topic, line in _all_lines() if line.strip()[:2] == PROMPT]
    assert len(typed) > 90
    for topic, line in typed:
        word = line.split()[0]
        assert word == "!!" or looks_like_move(word) or find_command(word) is not None, (topic, line)


@pytest.mark.parametrize("topic", PAGES)
def test_an_example_shows_its_command(topic: str) -> None:
    """If it is one; pages about nothing that can be typed need none."""
    example = _section(topic, "EXAMPLE")
    if topic in COMMANDS and topic not in ("shutdown", "accept", "reject"):
        assert any(line.startswith(PROMPT) for line in example)


def _patterns() -> Iterator[re.Pattern[str]]:
    """One for each sentence of the catalogue that is more than fields; a question may have its answer behind it."""
    for module in pkgutil.iter_modules(messages.__path__):
        for value in vars(importlib.import_module(f"{messages.__name__}.{module.name}")).values():
            if isinstance(value, Template):
                words = re.split(r"\{[^}]*\}", value.text.strip("\a").rstrip(" "))
                if len(re.sub(r"[\W\d_]", "", "".join(words))) > 2:
                    stars = r"(?:\*\* )?" if value.section == "own" else ""
                    answer = "(?: .*)?" if value.text.endswith(": ") else ""
                    yield re.compile(stars + r"\s*\S*.*?".join(map(re.escape, words)) + answer, re.ASCII)


PATTERNS = tuple(_patterns())
WHO = {"rating": "1500.00", "exp": 0, "login": "13:00"}
OTHER_ANSWERS = {
    ("average", lists.AVERAGE_ROW(start="13:00", end="14:00", a="5.2", b=3, n=8)),
    ("average", lists.AVERAGE_ROW(start="14:00", end="15:00", a="7.5", b=6, n=9)),
    ("away", chat.AWAY_LIST_ROW(name="alice", text="Back in ten minutes")),
    ("bye", "                      Come back soon!"),
    ("dicetest", lists.DICETEST_N(n=36012)),
    ("dicetest", lists.DICETEST_S(text="31.40 (36 rolls; 49.80 is passed once in 20 times)")),
    ("dicetest", lists.DICETEST_T(text="4.12 (6 faces; 11.07 is passed once in 20 times)")),
    ("oldmoves", play.OM_ROLL(side="O", d1=3, d2=1, moves="8-5 6-5")),
    ("oldmoves", play.OM_ROLL(side="X", d1=6, d2=4, moves="1-7 12-16")),
    ("oldmoves", play.OM_ROLL(side="O", d1=5, d2=2, moves="13-8 13-11")),
    ("ratings", lists.RATINGS_ROW(rank=1, name="carol", rating="1950.11", exp=12345)),
    ("ratings", lists.RATINGS_ROW(rank=2, name="dave", rating="1890.00", exp=500)),
    ("ratings", lists.RATINGS_OWN(rank=50, name="alice", rating="1500.00", exp=64)),
    ("rules", "alice, who is O, begins with this roll:"),
    ("rules", "bob, who is X, is on the bar:"),
    ("rules", "alice bears off:"),
    ("show", lists.GAMES_SAVED_READY(opponent="dave", n=5, a=2, b=3)),
    ("timezones", "  Asia/Tokyo"),
    ("wave", "                      Come back soon!"),
    ("who", lists.WHO_ROW(**WHO, no=1, status="P", name="alice", idle="0:00", host="192.0.2.x")),
    ("who", lists.WHO_ROW(**WHO, no=2, status="P", name="bob", idle="0:13", host="198.51.100.x")),
    ("who", lists.WHO_ROW(**WHO, no=3, status="RW", name="carol", idle="1:10", host="203.0.113.x")),
}
"""Lines of tables, made here with their columns, and the few lines that are no sentences."""


@pytest.mark.parametrize("topic", PAGES)
def test_answers_in_examples_are_what_the_server_says(topic: str) -> None:
    """Each line that nobody types is a line of a board, of a table, or a sentence of the catalogue."""
    example = _section(topic, "EXAMPLE")
    boards = {number for start in _board_starts(example) for number in range(start, start + BOARD_LINES)}
    for number, line in enumerate(example):
        typed = line.startswith((PROMPT, "login: ")) or (topic == "rules" and VERDICT.fullmatch(line))
        if line and not typed and number not in boards and (topic, line) not in OTHER_ANSWERS:
            assert any(pattern.fullmatch(line) for pattern in PATTERNS), line


@pytest.mark.parametrize(
    ("topic", "row"),
    [
        ("beginner", "    " + lists.WHO_ROW(**WHO, no=2, status="R", name="bob", idle="0:13", host="198.51.100.x")),
        ("rawwho", lists.RAWWHO_ROW(**WHO, no=2, status="R--", name="bob", idle="0:07", host="198.51.100.x")),
        ("show", lists.GAMES_ROW(player1="alice", player2="bob", n=3, a=0, b=0)),
    ],
)
def test_columns_of_other_tables(topic: str, row: str) -> None:
    """As the server aligns them."""
    assert "    " + row in PAGES[topic]


def test_the_table_of_commands() -> None:
    """Every command is in it, with a short form that means it and cannot be shorter."""
    rows = [re.fullmatch(r"  (\S+) {2,}(\S+) {2,}\S.*", line) for line in _section("commands", "DESCRIPTION")]
    short = {row[1]: row[2] for row in rows if row}
    assert short.pop("!!") == "!!"
    assert set(short) == set(COMMANDS)
    for name, form in short.items():
        meant = find_command(form)
        assert meant is not None
        assert meant.name == name
        shorter = [find_command(form[:length]) for length in range(1, len(form))]
        assert not any(command is not None and command.name == name for command in shorter)
    text = "\n".join(_section("commands", "DESCRIPTION"))
    for form, name in SHORT_FORMS.items():
        assert re.search(rf"\b{form} {name}\b", text)
    for command in COMMANDS.values():
        assert not command.in_full or f"'{command.name}'" in text


def test_the_tables_of_switches_and_variables() -> None:
    """In the order in which `toggle` and `set` list them."""
    switches = [line.split()[0] for line in _section("toggle", "DESCRIPTION") if line.startswith("    ")]
    assert switches == [toggle.value for toggle in Toggle]
    variables = [line.split()[0] for line in _section("set", "DESCRIPTION") if line.startswith("    ")]
    assert variables == list(VARIABLES)


# --- drawn boards ---

BOARD_LINES = 17
TOP_NUMBERS = {
    "13 14 15 16 17 18       19 20 21 22 23 24": Side.O,
    "1  2  3  4  5  6        7  8  9 10 11 12": Side.X,
}
TOP_BORDERS = ("+13-14-15-16-17-18-------19-20-21-22-23-24-+", "+-1--2--3--4--5--6--------7--8--9-10-11-12-+")
COLUMNS = (*range(4, 22, 3), *range(28, 46, 3))
BAR_COLUMN = 23
VERDICT = re.compile(r" +(\S+(?: \S+)*) {2,}(legal|not legal)(?:: .*)?", re.ASCII)
INFO = re.compile(
    r"   BAR: O-(?P<bar_o>\d+) X-(?P<bar_x>\d+)   OFF: O-(?P<off_o>\d+) X-(?P<off_x>\d+)"
    r"   Cube: (?P<cube>\d+)(?: \(owned by (?P<owner>\w+)\))?"
    r"(?:  (?:(?P<roller>\w+) rolled (?P<first>\d) (?P<second>\d)\.|turn: (?P<turn>\w+)))?",
    re.ASCII,
)
PLAYER = re.compile(r".*\+ ([OX]): (\w+) - score: (\d+)", re.ASCII)


@attrs.frozen(kw_only=True)
class Drawn:
    """A board found in a page, read back.

    Attributes:
        lines: As the server would send them.
        style: 1 or 2.
        side: Player 1's side.
        snapshot: What they show.
    """

    lines: list[str]
    style: Literal[1, 2]
    side: Side
    snapshot: Snapshot


def _board_starts(lines: Sequence[str]) -> list[int]:
    """The first lines of boards."""
    return [
        number
        for number, line in enumerate(lines)
        if line.strip() in TOP_NUMBERS or line.strip().startswith(TOP_BORDERS)
    ]


def _read(lines: Sequence[str]) -> Drawn:
    """Read a board that begins with the first line; what is behind it is ignored."""
    first = lines[0].strip()
    style: Literal[1, 2] = 2 if first in TOP_NUMBERS else 1
    border = next(number for number, line in enumerate(lines) if line.strip().startswith("+"))
    indent = lines[border].index("+") - 3
    end = next(number for number, line in enumerate(lines) if line[indent:].startswith("   BAR:")) + 1
    own = [line[indent:] for line in lines[:end]]
    above, below = own[border], own[border + 12]
    side = Side.O if below.split("+")[2].strip().startswith("O:") else Side.X
    players = {}
    for line in (above, below):
        row = PLAYER.fullmatch(line)
        assert row is not None, line
        players[row[1]] = (row[2], int(row[3]))
    info = INFO.fullmatch(own[-1])
    assert info is not None, own[-1]
    names = BySide(o=players["O"][0], x=players["X"][0])
    points = _points(own[border + 1 : border + 12], side)
    points[25], points[0] = int(info["bar_o"]), -int(info["bar_x"])
    match = _match(own[border + 6], info, names, Board(points=tuple(points)))
    match = attrs.evolve(match, score=BySide(o=players["O"][1], x=players["X"][1]))
    board = match.game.board
    assert (board.off(Side.O), board.off(Side.X)) == (int(info["off_o"]), int(info["off_x"]))
    return Drawn(lines=own, style=style, side=side, snapshot=Snapshot(names=names, match=match))


def _points(rows: Sequence[str], side: Side) -> list[int]:
    """The points of a board's eleven rows; bars are left out."""
    points = [0] * 26
    top = range(13, 25) if side is Side.O else range(1, 13)
    bottom = range(12, 0, -1) if side is Side.O else range(24, 12, -1)
    for order, half in ((top, rows[:5]), (bottom, rows[:5:-1])):
        for point, column in zip(order, COLUMNS, strict=True):
            cells = [row[column : column + 3].strip() for row in half]
            sign = {"O": 1, "X": -1, "": 0}[cells[0]]
            count = int(cells[-1]) if cells[-1].isdigit() else sum(cell != "" for cell in cells)
            points[point] = sign * count
    return points


def _match(middle: str, info: re.Match[str], names: BySide[str], board: Board) -> Match:
    """The match of a board's middle row and last line; who rolled is not known yet if it says `You`."""
    length = re.fullmatch(r".*\|v? {4}(?:(\d+)-point|unlimited) match", middle)
    assert length is not None, middle
    match = new_match(int(length[1]) if length[1] else None, crawford=True)
    sides = {names.o: Side.O, names.x: Side.X}
    own_side = {"You": None, **sides}
    dice = Dice(int(info["first"]), int(info["second"])) if info["first"] else None
    turn = own_side.get(info["roller"] or info["turn"] or "")
    return attrs.evolve(
        match,
        game=attrs.evolve(
            match.game,
            board=board,
            turn=turn,
            dice=dice,
            phase=Phase.MOVE if dice else Phase.ROLL,
            cube=Cube(value=int(info["cube"]), owner=sides.get(info["owner"] or "")),
        ),
    )


def _drawn() -> list[tuple[str, Drawn]]:
    found = []
    for topic, lines in PAGES.items():
        found += [(topic, _read(lines[start:])) for start in _board_starts(lines)]
    return found


def test_boards_are_drawn_as_the_server_draws_them() -> None:
    """Read back and drawn again, every character is the same."""
    boards = _drawn()
    assert {topic for topic, _ in boards} >= {"rules", "beginner", "board", "boardstyle", "move"}
    for topic, drawn in boards:
        own = "You rolled" in drawn.lines[-1]
        snapshot = drawn.snapshot
        if own:
            game = attrs.evolve(snapshot.match.game, turn=drawn.side)
            snapshot = attrs.evolve(snapshot, match=attrs.evolve(snapshot.match, game=game))
        assert drawn_board(snapshot, drawn.side, drawn.style, own) == drawn.lines, topic


def test_plays_of_the_rules_are_as_legal_as_the_page_says() -> None:
    """Each play is tried in the position drawn above it, with the dice that stand below the board."""
    example = _section("rules", "EXAMPLE")
    starts = _board_starts(example)
    assert 2 <= len(starts) <= 3
    verdicts: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(example)], strict=True):
        drawn = _read(example[start:])
        game = drawn.snapshot.match.game
        assert game.dice is not None
        view = game.board.seen_by(drawn.side)
        assert max(view) <= 15
        assert sum(count for count in view if count > 0) <= 15
        plays = [row for line in example[start + BOARD_LINES : end] if (row := VERDICT.fullmatch(line))]
        assert {row[2] for row in plays} == {"legal", "not legal"}
        for row in plays:
            verdicts.append(row[2])
            assert _legal(view, game.dice, row[1], drawn.side) is (row[2] == "legal"), row[0]
    assert len(verdicts) > 10


def _legal(view: tuple[int, ...], dice: Dice, text: str, side: Side) -> bool:
    try:
        check_play(view, dice, parse_moves(text, side), playable(view, dice))
    except IllegalPlay:
        return False
    return True
