"""Real hashes and codes."""

import re

from fibsd.config import Auth
from fibsd.protocol.words import code_letters
from fibsd.server.passwords import ArgonPasswords

CHEAP = ArgonPasswords(Auth(time_cost=1, memory_kib=8))
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def test_recovery_code_has_120_bits_in_letters_that_look_like_no_others() -> None:
    """Six groups of four out of 32; each code is another one."""
    codes = [CHEAP.new_code() for _ in range(200)]
    assert all(re.fullmatch(rf"[{LETTERS}]{{4}}(-[{LETTERS}]{{4}}){{5}}", code) for code in codes)
    assert len(set(codes)) == len(codes)
    # 4800 letters: that one of 32 is missing has a chance of 10 to the -64.
    assert {letter for code in codes for letter in code} == {*LETTERS, "-"}


async def test_code_fits_its_hash_in_whatever_form_it_was_written_down() -> None:
    """But no other code does."""
    code = CHEAP.new_code()
    hashed = await CHEAP.hash(code_letters(code))
    assert hashed.startswith("$argon2id$")
    for written in (code, code.lower(), code.replace("-", ""), code.lower().replace("-", "", 2)):
        assert await CHEAP.verify(hashed, code_letters(written))
    for wrong in (code[:-1], code + "2", "", CHEAP.new_code()):
        assert not await CHEAP.verify(hashed, code_letters(wrong))
