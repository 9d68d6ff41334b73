"""Why a play or another action is against the rules. The words for the user stand elsewhere."""

import enum


class Fault(enum.Enum):
    """What is wrong with a play."""

    TOO_MANY = "more moves than can be made"
    TOO_FEW = "fewer moves than can be made"
    DIRECTION = "a checker moves away from home or stays where it is"
    BAR_FIRST = "a checker on the bar has to enter first"
    NO_CHECKER = "no own checker stands there"
    BLOCKED = "the opponent holds the point"
    DISTANCE = "no die that may be used shows this number"
    BEAR_OFF = "this checker may not be borne off"
    INSIDE = "no checker may be moved inside the home board"
    ORDER = "another number of the roll has to be played first"


class IllegalPlay(Exception):
    """A play that the rules do not allow. Points are in the mover's numbering.

    Attributes:
        fault: What is wrong.
        nth: The move at fault, counted from 0; -1 when the number of moves is wrong.
        number: How many moves must be made (TOO_MANY, TOO_FEW), the blocked point (BLOCKED), the distance
            (DISTANCE, INSIDE), the number that has to be played (ORDER), else the point that the checker should
            leave (25 is the bar).
    """

    def __init__(self, fault: Fault, nth: int, number: int) -> None:
        super().__init__(fault, nth, number)
        self.fault = fault
        self.nth = nth
        self.number = number


class Reason(enum.Enum):
    """Why an action is refused."""

    NOT_YOUR_TURN = "the other side is on turn"
    ALREADY_ROLLED = "the dice have been rolled"
    NOT_ROLLED = "the dice have not been rolled yet"
    OPENING = "nobody has won the opening roll yet"
    DOUBLE_PENDING = "your own double waits for its answer"
    DOUBLED = "you must answer a double first"
    OWN_RESIGNATION = "your own resignation waits for its answer"
    RESIGNATION = "you must answer the other side's resignation first"
    NO_CUBE = "the cube is not available to you"
    NOT_OFFERED = "there is nothing to accept, reject or withdraw"
    NO_REDOUBLE = "the cube may not be turned at once"
    GAME_OVER = "the game, or the match, is over"
    ALREADY_RESIGNED = "you have resigned already"


class IllegalAction(Exception):
    """An action that the rules do not allow now; nothing has changed."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
