"""Bytes cut into chunks, as reads from a socket may cut them."""

from __future__ import annotations

from hypothesis import strategies as st


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """The bytes cut at these places, each taken modulo the length."""
    at = sorted({place % (len(data) + 1) for place in places})
    starts, ends = [0, *at], [*at, len(data)]
    return [data[start:end] for start, end in zip(starts, ends, strict=True)]


@st.composite
def chunked(draw: st.DrawFn, pieces: st.SearchStrategy[bytes]) -> list[bytes]:
    """A stream of pieces and random bytes, cut anywhere."""
    data = b"".join(draw(st.lists(pieces | st.binary(max_size=6), max_size=30)))
    return cut(data, draw(st.lists(st.integers(0, 400), max_size=20)))
