"""Long lines and long answers."""

from hypothesis import example, given
from hypothesis import strategies as st

from fibsd.protocol.pager import paged
from fibsd.protocol.wrap import INDENT, LEAST_WIDTH, wrapped

words = st.lists(st.text(st.characters(codec="ascii", exclude_categories=["C", "Z"]), min_size=1), max_size=20)


def test_a_long_line_is_cut_at_a_blank_and_goes_on_indented():
    assert wrapped("one two three four five six", 20) == ["one two three four", "  five six"]


def test_a_short_line_stays():
    assert wrapped("one two", 20) == ["one two"]


def test_a_word_longer_than_the_line_stays_whole():
    assert wrapped("a" * 30 + " b", 20) == ["a" * 30, "  b"]


@example(["0", "0" * 19], 20)
@given(words, st.integers(LEAST_WIDTH, 80))
def test_wrapping_loses_nothing_and_keeps_the_width(parts, width):
    line = " ".join(parts)
    pieces = wrapped(line, width)
    assert [word for piece in pieces for word in piece.split()] == line.split()
    for piece in pieces:
        assert len(piece) <= width or " " not in piece.strip()


@given(words, st.integers(0, LEAST_WIDTH - 1))
def test_no_width_means_no_wrapping(parts, width):
    assert wrapped(" ".join(parts), width) == [" ".join(parts)]


def test_continued_lines_are_indented():
    assert all(piece.startswith(INDENT) for piece in wrapped("word " * 30, 25)[1:])


def test_a_long_answer_comes_in_pages():
    data = b"".join(b"%d\r\n" % number for number in range(5))
    page, rest = paged(data, 2)
    assert page == b"0\r\n1\r\n"
    page, rest = rest.turn()
    assert page == b"2\r\n3\r\n"
    page, rest = rest.turn()
    assert page == b"4\r\n"
    assert rest is None


def test_a_short_answer_has_one_page():
    assert paged(b"a\r\nb\r\n", 2) == (b"a\r\nb\r\n", None)
    assert paged(b"a\r\nb\r\n", 0) == (b"a\r\nb\r\n", None)


@given(st.lists(st.binary(max_size=5).filter(lambda part: b"\r\n" not in part), max_size=9), st.integers(1, 4))
def test_pages_lose_nothing(parts, length):
    data = b"".join(part + b"\r\n" for part in parts)
    page, rest = paged(data, length)
    pages = [page]
    while rest is not None:
        page, rest = rest.turn()
        pages.append(page)
    assert b"".join(pages) == data
    assert all(page.count(b"\r\n") <= length for page in pages)
