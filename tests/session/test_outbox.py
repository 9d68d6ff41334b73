"""Output waits for what it tells of, and keeps its order."""

from fibsd.session.outbox import PIECE, Backlog, Chunk, Outbox


def outbox(limit: int = 100, backlog: int = 1000) -> Outbox:
    return Outbox(limit, Backlog(backlog))


def taken(box: Outbox, durable: int, *most: int) -> bytes:
    chunk = box.take(durable, *most)
    return b"" if chunk is None else chunk.data


def test_chunks_wait_for_their_job_and_hold_up_what_follows():
    box = outbox()
    for data, after in ((b"1", 0), (b"2", 7), (b"3", 0), (b"4", 8)):
        box.put(Chunk(data, after))
    assert taken(box, 6) == b"1"
    assert box.held
    assert taken(box, 6) == b""
    assert taken(box, 7) == b"23"
    assert taken(box, 9) == b"4"
    assert not box
    assert not box.held


def test_what_could_not_be_sent_comes_first_and_waits_no_more():
    box = outbox()
    box.put(Chunk(b"abc", 5, (1,)))
    box.put(Chunk(b"def"))
    assert box.take(5) == Chunk(b"abcdef", 0, (1,))
    box.give_back(b"bc", (1,))
    box.put(Chunk(b"ghi"))
    assert box.take(0, 2) == Chunk(b"bc", 0, (1,))
    assert taken(box, 0) == b"ghi"


def test_chunks_of_a_refused_job_are_dropped():
    box = outbox()
    for data, after in ((b"1", 3), (b"2", 4), (b"3", 0)):
        box.put(Chunk(data, after))
    box.drop(4)
    assert taken(box, 3) == b"13"


def test_bounds_are_counted_in_bytes_for_one_and_for_all():
    backlog = Backlog(15)
    one, other = Outbox(10, backlog), Outbox(10, backlog)
    one.put(Chunk(b"x" * 10))
    assert not one.overflowing
    other.put(Chunk(b"x" * 6))
    assert backlog.overflowing
    one.put(Chunk(b"x"))
    assert one.overflowing
    one.clear()
    assert (one.size, backlog.size) == (0, 6)
    other.take(0)
    assert backlog.size == 0
    other.give_back(b"xx", ())
    other.put(Chunk(b"y", 1))
    other.drop(1)
    assert (other.size, backlog.size) == (2, 2)


def test_slow_reader_is_served_in_pieces_and_the_rest_counts_as_waiting():
    box = outbox()
    for data in (b"12345", b"678", b"9", b"0"):
        box.put(Chunk(data))
    assert taken(box, 0, 4) == b"12345"
    assert taken(box, 0, 4) == b"6789"
    assert box.size == 1


def test_much_that_could_not_be_sent_is_cut_and_its_receipts_come_last():
    box = outbox()
    data = b"a" * PIECE + b"b" * 10
    box.give_back(data, (1, 2))
    assert box.size == len(data)
    pieces = [box.take(0, PIECE), box.take(0, PIECE)]
    assert [(len(chunk.data), chunk.receipts) for chunk in pieces if chunk] == [(PIECE, ()), (10, (1, 2))]


def test_what_goes_together_brings_all_its_receipts():
    box = outbox()
    box.put(Chunk(b"a", 0, (1,)))
    box.put(Chunk(b"b", 0, (2, 3)))
    assert box.take(0) == Chunk(b"ab", 0, (1, 2, 3))
