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


def test_list_that_is_written_by_parts_is_written_as_it_is_taken():
    """One part beyond the one that is sent, which counts as waiting; receipts come with the last."""
    box = outbox()
    written = []

    def parts():
        for part in (b"22", b"333", b"4"):
            written.append(part)
            yield part

    box.put(Chunk(b"0"))
    box.put(Chunk(b"1", 5, (9,), parts()))
    box.put(Chunk(b"5", 0, (8,)))
    assert taken(box, 4) == b"0"
    assert taken(box, 4) == b""
    assert written == []
    sent = []
    while chunk := box.take(5):
        sent.append((chunk.data, chunk.receipts, chunk.more is not None, tuple(written), box.size))
    assert sent == [
        (b"1", (), True, (b"22",), 3),
        (b"22", (), True, (b"22", b"333"), 4),
        (b"333", (), True, (b"22", b"333", b"4"), 2),
        (b"4", (9,), False, (b"22", b"333", b"4"), 1),
        (b"5", (8,), False, (b"22", b"333", b"4"), 0),
    ]
    assert box.backlog.size == 0


def test_what_could_not_be_sent_of_a_part_comes_before_the_next():
    box = outbox()
    box.put(Chunk(b"abc", 0, (), iter((b"d", b"e"))))
    first = box.take(0)
    assert first is not None
    box.give_back(first.data[1:], first.receipts)
    assert b"".join(taken(box, 0) for _ in range(3)) == b"bcde"
    assert not box


def test_it_is_known_whether_a_list_is_not_written_to_its_end():
    """Whether its last part is taken, or nothing of it is to be sent any more."""
    box = outbox()
    box.put(Chunk(b"0"))
    assert box.unwritten is None
    box.put(Chunk(b"1", 0, (), iter((b"2",))))
    box.put(Chunk(b"3", 0, (), iter(())))
    unwritten = box.unwritten
    assert unwritten is not None
    for expected in (b"01", b"2"):
        assert taken(box, 0) == expected
        assert not unwritten.is_set()
    assert taken(box, 0) == b"3"
    assert unwritten.is_set()
    assert box.unwritten is None


def test_a_list_that_is_forgotten_is_not_waited_for():
    for forget in (Outbox.clear, lambda box: box.drop(5)):
        box = outbox()
        box.put(Chunk(b"1", 5, (), iter((b"2",))))
        unwritten = box.unwritten
        assert unwritten is not None
        box.drop(4)
        assert not unwritten.is_set()
        forget(box)
        assert unwritten.is_set()
        assert box.unwritten is None
