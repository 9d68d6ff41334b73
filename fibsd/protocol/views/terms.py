"""What is told of terms beyond FIBS: to those who want it, and to the others only what they must know."""

from collections.abc import Iterable, Mapping

from fibsd.protocol.messages import chat, clip, terms
from fibsd.protocol.messages import points as messages
from fibsd.protocol.messages.template import Template, points
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.results import SERVER_NAME
from fibsd.world.terms import AddedTerms

Lines = Iterable[str]

_VARIANTS: Mapping[str, Template] = {
    "nackgammon": terms.TERM_NACKGAMMON,
    "hypergammon": terms.TERM_HYPERGAMMON,
    "trictrac": terms.TERM_TRICTRAC,
}


def from_server(text: str, view: View) -> str:
    """News from the server itself, in the form that this kind of session knows."""
    if view.clip:
        return chat.CLIP_SAYS(sender=SERVER_NAME, text=text)
    return clip.TEL_SAYS(sender=SERVER_NAME, text=text)


def terms_offered(event: e.TermsOffered, view: View) -> Lines:
    """To the invitee: one line for each added term, and what is at stake."""
    if view.extras:
        yield from described(event.added)
        if event.fee_percent:
            yield messages.POINTS_FEE(percent=event.fee_percent)
        if event.win is None or event.lose is None:
            yield terms.TERM_UNRATED()
        else:
            yield terms.TERM_RATED(win=f"{event.win:.2f}", lose=f"{event.lose:.2f}")


def terms_in_force(event: e.TermsInForce, view: View) -> Lines:
    """To the players: on what terms the match is played."""
    words = event.added.words
    yield terms.TERM_WORDS(words=words) if view.extras else from_server(terms.TERM_TOLD(words=words), view)


_AWARDS: Mapping[e.AwardReason, Template] = {
    e.AwardReason.TIME: terms.AWARD_TIME,
    e.AwardReason.ABANDONED: terms.AWARD_ABANDONED,
}


def awarded(event: e.Awarded, view: View) -> Lines:
    """To players and watchers: why the server ends the game; FIBS's own line of a game that was won follows."""
    names = event.names
    text = _AWARDS[event.why](
        loser=names.of(event.loser), winner=names.of(event.loser.other), points=points(event.points)
    )
    yield f"** {text}" if view.extras else from_server(text, view)


def described(added: AddedTerms) -> Lines:
    """One line in plain words for each term."""
    if added.variant.name in _VARIANTS:
        yield _VARIANTS[added.variant.name]()
    if added.clock is not None:
        form = terms.TERM_CLOCK if added.clock.bonus_s else terms.TERM_CLOCK_PLAIN
        yield form(bank=added.clock.bank_s, bonus=added.clock.bonus_s)
    if added.ghost:
        yield terms.TERM_GHOST()
    if added.nocube:
        yield terms.TERM_NOCUBE()
    if added.jacoby:
        yield terms.TERM_JACOBY()
    if added.stake:
        yield terms.TERM_STAKE(n=added.stake)
