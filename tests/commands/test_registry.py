"""What a word means: names, short forms, unique beginnings."""

import pytest

from fibsd.commands.registry import COMMANDS, SHORT_FORMS, find_command

# Reference 3.1, 3.3, 14.
SHORTENED = {
    **{"b": "board", "i": "invite", "k": "kibitz", "m": "move", "r": "roll", "s": "say", "t": "tell", "w": "who"},
    **{"wh": "whisper", "to": "toggle", "tog": "toggle", "ver": "version", "tel": "tell", "res": "resign"},
    **{"resi": "resign", "rej": "reject", "j": "join", "inv": "invite", "acc": "accept", "dou": "double"},
    **{"kib": "kibitz", "whi": "whisper", "Join": "join", "WHO": "who", "unw": "unwatch", "oldm": "oldmoves"},
    **{"pi": "pip", "rat": "ratings", "raww": "rawwho", "lea": "leave", "bea": "beaver", "wav": "wave"},
}
UNKNOWN = ("re", "a", "d", "l", "o", "old", "e", "sh", "wa", "exit2", "xyzzy", "boardstyle", "sortwho", "crawford", "")
OURS = ("tellx", "void", "admin", "recovery", "giveup", "playout", "seek", "unseek", "seeks", "rematch")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_found_by_its_name_in_any_case(name: str) -> None:
    assert find_command(name) is COMMANDS[name]
    assert find_command(name.upper()) is COMMANDS[name]


@pytest.mark.parametrize(("word", "name"), SHORTENED.items())
def test_shortened_words(word: str, name: str) -> None:
    assert find_command(word) is COMMANDS[name]


@pytest.mark.parametrize("word", UNKNOWN)
def test_words_of_several_commands_or_of_none(word: str) -> None:
    assert find_command(word) is None


@pytest.mark.parametrize("name", OURS)
def test_our_own_commands_take_no_beginning_from_those_of_fibs(name: str) -> None:
    assert find_command(name) is COMMANDS[name]
    for end in range(1, len(name)):
        found = find_command(name[:end])
        assert found is None or found.name not in OURS or found.name == name[:end]


def test_commands_of_the_reference_are_all_there() -> None:
    wanted = (
        "about accept address average away back beaver blind board bye adios ciao end exit logout quit tschoe clear "
        "cls countries date dicetest double erase formula gag help man invite join kibitz last leave look message "
        "motd move name off oldboard oldmoves otter raccoon panic password pip ratings rawboard rawwho redouble "
        "reject resign roll save say set shout show shutdown stat tell tellx time toggle unwatch version waitfor "
        "watch wave where whisper who whois"
    )
    assert [word for word in wanted.split() if word not in COMMANDS] == []
    assert set(SHORT_FORMS.values()) <= set(COMMANDS)


def test_talk_and_passwords_are_not_repeated() -> None:
    silent = {name for name, command in COMMANDS.items() if not command.repeatable}
    assert silent >= {"shout", "tell", "tellx", "say", "kibitz", "whisper", "password", "recovery"}
