"""What a bot says to what it hears, without any server."""

import pytest

from fibsd.bots.mind import AGAIN_S, ALIVE_S, ATTEMPTS, NUDGE_S, PATIENCE_S, SEEKS_S, TELL_S, Mind
from tests.bots.test_reading import OPENING

OWN = "2 bob 1 1 0 0 0 0 1 1 0 0 1 0 0 1500.00 0 0 0 0 1 UTC"
THEIRS = OPENING.replace(":1:3:1:0:0:1:", ":-1:0:0:3:1:1:").replace(":2:0:0:0", ":0:0:0:0")
WAITING = OPENING.replace(":1:3:1:0:0:1:", ":1:0:0:0:0:1:").replace(":2:0:0:0", ":0:0:0:0")
DOUBLED = OPENING.replace(":1:3:1:0:0:1:1:1:0:", ":1:0:0:0:0:1:0:0:1:").replace(":2:0:0:0", ":0:0:0:0")
ROLL = "It's your turn. Please roll or double"


def settled() -> Mind:
    """A bot that is logged in and in a match."""
    mind = Mind("bob")
    for line in (OWN, "3", "4", "6", "** Version 1", "Starting a new game with ann."):
        mind.hear(line, 0.0)
    return mind


def test_after_the_login_it_sets_what_it_needs() -> None:
    mind = Mind("bob")
    heard = [mind.hear(line, 0.0) for line in ("bob 1593792267 192.0.2.x", OWN, "3")]
    assert heard == [[], [], []]
    assert mind.hear("Type 'join eve' to accept.", 0.0) == [], "the message of the day says nothing"
    assert mind.hear("4", 0.0) == []
    assert mind.hear("6", 0.0) == ["set boardstyle 3", "set extras yes", "set bot yes", "toggle ready", "version"]
    assert mind.hear("6", 0.0) == []


def test_it_comes_back_from_away_and_spares_itself_lines() -> None:
    mind = Mind("bob")
    mind.hear("2 bob 1 0 0 0 1 0 1 1 0 0 0 0 1 1500.00 0 1 0 1 0 UTC", 0.0)
    said = mind.hear("6", 0.0)
    assert said[3:-1] == [
        *("back", "toggle autoboard", "toggle moreboards", "toggle notify", "toggle report", "toggle silent")
    ]


@pytest.mark.parametrize("answer", ["** Unknown command: 'set bot'", "** Invalid argument. Type 'help set'.", "Done."])
def test_any_answer_to_its_settings_will_do(answer: str) -> None:
    mind = Mind("bob")
    mind.hear("6", 0.0)
    mind.hear("You are now playing with ann. Your running match was loaded.", 0.0)
    assert mind.hear(OPENING, 0.0) == ["move 8-5 6-5"]
    assert mind.hear(answer, 0.0) == []


def test_it_joins() -> None:
    assert settled().hear("Type 'join eve' to accept.", 0.0) == ["join eve"]
    assert settled().hear("Type 'join' if you want to play the next game, type 'leave' if you don't.", 0.0) == ["join"]


def test_it_moves_once_for_a_board() -> None:
    mind = settled()
    assert mind.hear(OPENING, 0.0) == ["move 8-5 6-5"]
    assert mind.hear("It's your turn to move.", 0.0) == []
    assert mind.hear(OPENING, 0.0) == []
    assert mind.hear(THEIRS, 0.0) == []
    assert mind.hear(OPENING, 0.0) == ["move 8-5 6-5"]


def test_it_does_not_double_at_the_start_nor_where_it_may_not() -> None:
    mind = settled()
    mind.hear(WAITING, 0.0)
    assert mind.hear(ROLL, 0.0) == ["roll"]


def bearing_off(*, score: str = "0:0", owner: str = "1:1") -> str:
    """O has two checkers on its one point, X twelve on the last one."""
    points = ["0"] * 26
    points[1], points[2], points[24] = "1", "2", "-12"
    return f"board:You:bob:3:{score}:{':'.join(points)}:1:0:0:0:0:1:{owner}:0:1:-1:0:25:12:3:0:0:0:0:0:0"


def test_it_doubles_when_it_pays() -> None:
    mind = settled()
    mind.hear(bearing_off(), 0.0)
    assert mind.hear(ROLL, 0.0) == ["double"]
    assert mind.hear("** It's not your turn to double.", 0.0) == ["roll"]
    assert mind.hear("** Something else.", 0.0) == []


@pytest.mark.parametrize("board", [bearing_off(score="2:0"), bearing_off(score="0:2"), bearing_off(owner="0:1")])
def test_it_does_not_ask_for_a_cube_that_it_may_not_turn(board: str) -> None:
    """The Crawford game, either way, and a cube that the other one owns."""
    mind = settled()
    mind.hear(board, 0.0)
    assert mind.hear(ROLL, 0.0) == ["roll"]


def test_it_answers_a_double_once() -> None:
    mind = settled()
    assert mind.hear(DOUBLED, 0.0) == ["accept"]
    assert mind.hear("ann doubles. Type 'accept' or 'reject'.", 0.0) == []
    other = settled()
    other.hear(THEIRS, 0.0)
    assert other.hear("ann doubles. Type 'accept' or 'reject'.", 0.0) == ["accept"]
    assert other.hear(DOUBLED, 0.0) == []


def test_it_answers_resignations() -> None:
    mind = settled()
    mind.hear(THEIRS, 0.0)
    assert mind.hear("ann wants to resign. You will win 1 point. Type 'accept' or 'reject'.", 0.0) == ["accept"]


# --- added terms -----------------------------------------------------------------------------------------------


def seated(terms: str) -> Mind:
    """A bot at the beginning of a match on these terms."""
    mind = settled()
    for line in ("** Player ann has joined you for a 3 point match.", terms, "Starting a new game with ann."):
        assert mind.hear(line, 0.0) == []
    return mind


def test_in_trictrac_it_plays_the_lower_number_first() -> None:
    (move,) = seated("** Terms: trictrac.").hear(OPENING, 0.0)
    source, target = map(int, move.split()[1].split("-"))
    assert source - target == 1


def test_terms_hold_for_one_match() -> None:
    mind = seated("** Terms: trictrac.")
    mind.hear("Starting a new game with ann.", 0.0)
    assert mind.hear(OPENING, 0.0) != ["move 8-5 6-5"], "the next game of the match"
    mind.hear("ann voided your match. It leaves no trace.", 0.0)
    assert not mind.in_match
    mind.hear("ann has joined you. Your running match was loaded.", 0.0)
    assert mind.hear(OPENING, 0.0) == ["move 8-5 6-5"]


def test_a_match_that_is_resumed_has_its_terms() -> None:
    mind = settled()
    mind.hear("ann has joined you. Your running match was loaded.", 0.0)
    mind.hear("** Terms: trictrac.", 0.0)
    assert mind.hear(OPENING, 0.0) != ["move 8-5 6-5"]


def test_where_there_is_no_cube_it_asks_for_none() -> None:
    mind = seated("** Terms: blitz nocube.")
    mind.hear(bearing_off(), 0.0)
    assert mind.hear(ROLL, 0.0) == ["roll"]


@pytest.mark.parametrize(("terms", "answer"), [("** Terms: blitz.", "reject"), ("** Terms: blitz jacoby.", "accept")])
def test_by_the_jacoby_rule_a_single_game_is_all_that_it_asks_for(terms: str, answer: str) -> None:
    """X has all fifteen checkers on O's first point, far from a single one off, and resigns a single game."""
    points = ["0"] * 26
    points[1], points[2] = "-15", "2"
    mind = seated(terms)
    mind.hear(f"board:You:bob:9999:0:0:{':'.join(points)}:1:0:0:0:0:1:1:1:0:1:-1:0:25:13:0:0:0:0:0:0:0", 0.0)
    assert mind.hear("ann wants to resign. You will win 1 point. Type 'accept' or 'reject'.", 0.0) == [answer]


def test_it_asks_for_no_more_than_the_match_needs() -> None:
    points = ["0"] * 26
    points[1], points[2] = "-15", "2"
    mind = seated("** Terms: blitz.")
    mind.hear(f"board:You:bob:3:2:0:{':'.join(points)}:1:0:0:0:0:1:1:1:0:1:-1:0:25:13:0:0:0:0:0:0:0", 0.0)
    assert mind.hear("ann wants to resign. You will win 1 point. Type 'accept' or 'reject'.", 0.0) == ["accept"]


@pytest.mark.parametrize(
    "news",
    [
        "** You have 10 seconds left.",
        "** ann lets the server play on once no contact is left.",
        "** Ghost: ann is back.",
        "** bob wins the stakes: 20 play points.",
    ],
)
def test_news_are_no_refusal(news: str) -> None:
    mind = settled()
    assert mind.hear(OPENING, 0.0) == ["move 8-5 6-5"]
    assert mind.hear(news, 0.0) == []


# --- what may go wrong -----------------------------------------------------------------------------------------


def test_a_refused_move_is_followed_by_another_until_it_gives_up() -> None:
    mind = settled()
    said = [*mind.hear(OPENING, 0.0)]
    while said[-1].startswith("move"):
        said += mind.hear("** You can't move there by the rules of this house.", 0.0)
    assert len(said) == len(set(said)) <= ATTEMPTS + 1
    assert said[-1] == "resign normal"
    assert mind.hear("** Something else.", 0.0) == []
    assert [mind.hear("ann rejects. The game continues.", 0.0) for _ in range(3)] == [
        ["resign gammon"],
        ["resign backgammon"],
        ["leave"],
    ]


def test_where_fewer_checkers_may_be_moved_it_tries_shorter_plays() -> None:
    mind = settled()
    one = OPENING.replace(":2:0:0:0", ":1:0:0:0")
    (move,) = mind.hear(one, 0.0)
    assert len(move.split()) == 2


def test_a_refusal_out_of_turn_changes_nothing() -> None:
    mind = settled()
    mind.hear(OPENING, 0.0)
    mind.hear(THEIRS, 0.0)
    assert mind.hear("** You can't play two games at once", 0.0) == []


def test_a_silent_server_is_asked_where_things_stand() -> None:
    mind = settled()
    mind.hear(WAITING, 0.0)
    assert mind.wait(NUDGE_S - 1) == []
    assert mind.wait(NUDGE_S) == ["board"]
    assert mind.wait(NUDGE_S + 5) == []
    assert mind.hear(WAITING, NUDGE_S + 6) == ["roll"]
    mind.hear(OPENING, NUDGE_S + 7)
    assert mind.wait(2 * NUDGE_S + 8) == ["board"]
    assert mind.hear(OPENING, 2 * NUDGE_S + 9) == ["move 8-5 6-5"], "perhaps it never arrived"
    mind.hear("** You're not playing.", 2 * NUDGE_S + 10)
    assert mind.wait(3 * NUDGE_S + 20) == ["seeks"], "nothing is played any more"


def test_the_other_one_may_think_as_long_as_he_likes() -> None:
    mind = settled()
    mind.hear(THEIRS, 0.0)
    assert mind.wait(5 * NUDGE_S) == []


# --- open invitations ------------------------------------------------------------------------------------------

HEADER = "** name              rating   exp  waiting      length, terms, limits"


def row(name: str, words: str = "1") -> str:
    return f"** {name:<15}  1500.00     0  since 16:04  {words}"


def idle() -> Mind:
    """A bot that has just been logged in, and plays nothing."""
    mind = Mind("bob")
    for line in (OWN, "6", "** Version 1"):
        mind.hear(line, 0.0)
    return mind


def listed(mind: Mind, now: float, *rows: str) -> list[str]:
    """It asks, and hears that these seek an opponent; what it says to that."""
    assert mind.wait(now) == ["seeks"]
    return [said for line in (HEADER, *rows) for said in mind.hear(line, now)]


def test_it_asks_who_seeks_an_opponent_now_and_then() -> None:
    mind = idle()
    assert mind.wait(SEEKS_S - 1) == []
    assert listed(mind, SEEKS_S) == []
    assert mind.hear("** Nobody seeks an opponent. Type 'seek 1' to be the first.", SEEKS_S) == []
    assert mind.wait(2 * SEEKS_S - 1) == []
    assert mind.hear("7 eve eve logs in.", 2 * SEEKS_S) == ["seeks"], "on a busy server it is never silent"


def test_it_leaves_an_open_invitation_to_people_for_a_while_and_takes_the_oldest() -> None:
    mind = idle()
    assert listed(mind, 30.0, row("ann")) == []
    assert mind.wait(30.0 + AGAIN_S - 1) == []
    assert listed(mind, 40.0, row("ann"), row("eve")) == []
    assert 30.0 + PATIENCE_S == 50.0
    assert listed(mind, 50.0, row("ann"), row("eve")) == ["join ann"]


def test_one_that_was_gone_meanwhile_is_a_new_one() -> None:
    mind = idle()
    assert listed(mind, 30.0, row("ann")) == []
    assert listed(mind, 40.0, row("eve")) == []
    assert listed(mind, 50.0, row("ann"), row("eve")) == []
    assert listed(mind, 60.0, row("ann"), row("eve")) == ["join eve"]


def test_what_it_cannot_join_it_leaves_alone() -> None:
    mind = idle()
    rows = (row("bob", "5"), row("kim", "3 stake 10"), row("ann", "5 max 1400"), row("eve", "unlimited jacoby"))
    assert listed(mind, 30.0, *rows) == []
    assert listed(mind, 50.0, *rows) == ["join ann"]
    assert mind.hear("** ann seeks a rating of at most 1400.00. Yours is 1500.00.", 50.0) == []
    assert listed(mind, 60.0, *rows) == ["join eve"]


def test_in_a_match_it_asks_nobody() -> None:
    mind = idle()
    mind.hear("Starting a new game with ann.", 0.0)
    assert mind.wait(SEEKS_S) == []
    assert mind.hear(row("eve"), SEEKS_S) == []


def test_a_server_without_open_invitations_is_not_asked_again() -> None:
    mind = idle()
    assert mind.wait(SEEKS_S) == ["seeks"]
    assert mind.hear("** Unknown command: 'seeks'", SEEKS_S) == []
    assert mind.wait(5 * SEEKS_S) == []


# --- the rest of the time --------------------------------------------------------------------------------------


def test_it_says_something_before_it_is_logged_out() -> None:
    assert settled().wait(ALIVE_S) == ["who bob"]
    assert ALIVE_S < 3600


def test_a_question_without_a_board_is_answered_by_asking_for_one() -> None:
    """As after taking over a match whose board was drawn in another style."""
    assert settled().hear(ROLL, 0.0) == ["board"]


# --- talk ------------------------------------------------------------------------------------------------------


def test_it_tells_people_what_it_is_but_not_all_the_time() -> None:
    mind = settled()
    (said,) = mind.hear("12 ann hello", 10.0)
    assert said.startswith("tell ann I am a program")
    assert mind.hear("12 ann are you there?", 10.0 + TELL_S - 1) == []
    assert len(mind.hear("12 eve hello", 11.0)) == 1
    assert len(mind.hear("12 ann hello", 10.0 + TELL_S)) == 1


def test_two_bots_do_not_talk_to_each_other() -> None:
    one, other = settled(), Mind("ann")
    (said,) = one.hear("12 ann hello", 0.0)
    assert other.hear(said.replace("tell ann", "12 bob"), 0.0) == []
    assert one.hear("12 bob hello", 0.0) == []
    assert one.hear("12 fibsd The offer to resign was withdrawn.", 0.0) == []
    assert one.hear("13 ann hello", 0.0) == []


def test_it_forgets_whom_it_told() -> None:
    mind = settled()
    for nth in range(3000):
        mind.hear(f"12 {chr(65 + nth % 26)}{chr(97 + nth // 26 % 26)}{'x' * (nth // 676)} hello", 0.0)
    assert len(mind._told_at) <= 1000
