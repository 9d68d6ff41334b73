"""Added terms: what is typed, what goes together, what is stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.variants import BACKGAMMON, HYPERGAMMON, NACKGAMMON, TRICTRAC
from fibsd.world.changes import MatchTerms
from fibsd.world.clock import BLITZ, STANDARD, ClockTerms
from fibsd.world.errors import Refusal, Refused
from fibsd.world.terms import KNOWN, NO_TERMS, AddedTerms, is_term, parse_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", NO_TERMS),
        ("blitz", AddedTerms(clock=BLITZ)),
        ("Standard GHOST", AddedTerms(clock=STANDARD, ghost=True)),
        ("ghost clock 30 0 nocube", AddedTerms(clock=ClockTerms(bank_s=30, bonus_s=0), ghost=True, nocube=True)),
        ("nackgammon", AddedTerms(variant=NACKGAMMON)),
        ("stake 7 trictrac", AddedTerms(variant=TRICTRAC, stake=7)),
    ],
)
def test_words_come_in_any_order_and_letter_case(text: str, terms: AddedTerms) -> None:
    assert parse_terms(text.split(), unlimited=False) == terms


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("fast", Refusal.TERM_UNKNOWN),
        ("backgammon", Refusal.TERM_UNKNOWN),
        ("30", Refusal.TERM_UNKNOWN),
        ("ghost ghost", Refusal.TERM_TWICE),
        ("blitz blitz", Refusal.TERM_TWICE),
        ("blitz clock 30 10", Refusal.TERM_CLASH),
        ("nackgammon trictrac", Refusal.TERM_CLASH),
        ("trictrac nocube", Refusal.TERM_CLASH),
        ("clock", Refusal.TERM_NUMBER),
        ("clock 9 0", Refusal.TERM_NUMBER),
        ("clock 3601 0", Refusal.TERM_NUMBER),
        ("clock 30 601", Refusal.TERM_NUMBER),
        ("clock 30 ghost", Refusal.TERM_NUMBER),
        ("stake 0", Refusal.TERM_NUMBER),
        ("stake -1", Refusal.TERM_NUMBER),
        ("stake \u0663", Refusal.TERM_NUMBER),
        ("stake 99999999999999999999", Refusal.TERM_NUMBER),
        ("jacoby", Refusal.TERM_UNLIMITED_ONLY),
    ],
)
def test_what_does_not_fit_is_refused(text: str, refusal: Refusal) -> None:
    with pytest.raises(Refused) as caught:
        parse_terms(text.split(), unlimited=False)
    assert caught.value.refusal is refusal


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("stake 5", Refusal.TERM_LENGTH_ONLY),
        ("nocube jacoby", Refusal.TERM_CLASH),
        ("jacoby trictrac", Refusal.TERM_CLASH),
    ],
)
def test_unlimited_matches_have_clashes_of_their_own(text: str, refusal: Refusal) -> None:
    with pytest.raises(Refused) as caught:
        parse_terms(text.split(), unlimited=True)
    assert caught.value.refusal is refusal
    assert parse_terms(["jacoby"], unlimited=True).jacoby


clocks = st.none() | st.builds(ClockTerms, bank_s=st.integers(10, 3600), bonus_s=st.integers(0, 600))


@given(
    st.sampled_from([BACKGAMMON, NACKGAMMON, HYPERGAMMON, TRICTRAC]),
    clocks,
    st.booleans(),
    st.sampled_from(["", "nocube", "jacoby"]),
    st.integers(0, 1_000_000),
)
def test_words_stand_for_the_terms(variant, clock, ghost, cube, stake):
    unlimited = cube == "jacoby"
    terms = AddedTerms(
        variant=variant,
        clock=clock,
        ghost=ghost,
        nocube=cube == "nocube" and variant.cube,
        jacoby=unlimited and variant.cube,
        stake=0 if unlimited else stake,
    )
    assert parse_terms(terms.words.split(), unlimited=unlimited) == terms
    assert bool(terms) == bool(terms.words)


def test_only_backgammon_to_a_length_is_rated():
    assert MatchTerms(length=1).rated
    assert MatchTerms(length=7, added=AddedTerms(clock=BLITZ, ghost=True, nocube=True, stake=3)).rated
    assert not MatchTerms(length=None).rated
    assert not any(
        MatchTerms(length=7, added=AddedTerms(variant=variant)).rated for variant in (NACKGAMMON, HYPERGAMMON, TRICTRAC)
    )


def test_every_known_term_is_understood():
    for known in KNOWN:
        word = known.split()[0]
        assert is_term(word.upper())
    assert not is_term("please")
