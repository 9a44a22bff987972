"""Every way to say which deal is meant, one at a time and in files of many."""

import json
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from solver.cards import BadInput, card_name
from solver.dealing import lay_out
from solver.formats import write_document, write_line, write_solvitaire
from solver.numbered import numbered_order
from solver.rulesets import rules
from solver.shuffle import shuffled_deck
from solver.sources import deal, named_deal, read_deals

RULES = rules()
START = lay_out(shuffled_deck(42, 1, 13), RULES)
LINE = write_line(START, RULES)
DOCUMENT = write_document(START, RULES)
PYSOLFC = lay_out(numbered_order("pysolfc", "11982", RULES), RULES)
SOLVITAIRE = lay_out(numbered_order("solvitaire", "7", RULES), RULES)

SAME_DEALS = [
    42, "42", " 42\n", "seed:42", "SEED: 42  # the answer", "answer: 42", "answer: seed:42", LINE, f"x: {LINE} # y",
    f"# a comment\n\n{LINE}\n", DOCUMENT, json.dumps(DOCUMENT), json.dumps(DOCUMENT, indent=2), f"\ufeff{LINE}",
    {"deal": DOCUMENT}, {"deal": LINE, "variant": "canfield", "solution": None}, {"deal": 42}, {"deal": "42"},
    json.dumps({"deal": LINE}), json.dumps(write_solvitaire(START, RULES), indent=1), {"deal": {"deal": LINE}},
]


@pytest.mark.parametrize("source", SAME_DEALS)
def test_every_way_to_say_deal_42(source: int | str | dict) -> None:
    assert deal(source, RULES) == START


@pytest.mark.parametrize("source", [
    "pysolfc:11982", "PySolFC: 11982", "pysolfc:#11982", "pysolfc:ms11982", "a:pysolfc:11,982",
])
def test_deals_of_pysolfc(source: str) -> None:
    assert deal(source, RULES) == PYSOLFC


def test_deals_of_solvitaire() -> None:
    assert deal("solvitaire:7", RULES) == SOLVITAIRE


def test_seeds_deal_every_rule_set() -> None:
    double = rules("pysolfc", decks=2, piles=5)
    assert deal(7, double) == lay_out(shuffled_deck(7, 2, 13), double)


@pytest.mark.parametrize("source, name", [
    (42, "seed:42"), ("42", "seed:42"), ("x: 42", "x"), ("pysolfc:#11982", "pysolfc:11982"), (LINE, ""),
    (f"one more: {LINE}", "one more"), ({"deal": "42"}, "seed:42"), ({"deal": "x: 42", "name": "y"}, "y"),
    (DOCUMENT, ""),
])
def test_names(source: int | str | dict, name: str) -> None:
    assert named_deal(source, RULES)[0] == name


FILE = f"""\
# Six deals and every way to write one.
{LINE}
second: {LINE}   # named

42
pysolfc:11982
{json.dumps(DOCUMENT)}
{json.dumps({"deal": LINE, "name": "sixth"})}
{json.dumps(write_solvitaire(START, RULES), indent=2)}
solvitaire:7
"""


def test_a_file_of_all_kinds() -> None:
    deals = list(read_deals(FILE, RULES))
    assert [name for name, _ in deals] == ["line 2", "second", "seed:42", "pysolfc:11982", "line 7", "sixth", "line 9",
                                           "solvitaire:7"]
    assert [position for _, position in deals] == [START] * 3 + [PYSOLFC] + [START] * 3 + [SOLVITAIRE]
    assert list(read_deals(FILE.splitlines(keepends=True), RULES)) == deals


def test_lines_are_read_as_they_are_asked_for() -> None:
    def endless() -> Iterator[str]:
        yield from map(str, count())

    assert [name for name, _ in islice(read_deals(endless(), RULES), 3)] == ["seed:0", "seed:1", "seed:2"]


def test_the_hundred_deals_are_solvitaires() -> None:
    text = (Path(__file__).parent / "data" / "deals-100.txt").read_text()
    solvitaire = rules("solvitaire")
    deals = dict(read_deals(text, solvitaire))
    assert list(deals) == [str(number) for number in range(1, 101)]
    for number, position in deals.items():
        assert position == deal(f"solvitaire:{number}", solvitaire)


def test_every_hundred_deals_has_verdicts() -> None:
    text = (Path(__file__).parent / "data" / "verdicts-100.tsv").read_text()
    heading, *rows = [line.split("\t") for line in text.splitlines()]
    assert heading == ["deal", "solvitaire", "solvitaire-strict", "canfield", "second-life"]
    assert [row[0] for row in rows] == [str(number) for number in range(1, 101)]
    assert {verdict for row in rows for verdict in row[1:]} == {"winnable", "unwinnable", "unknown"}


def twice(place: int) -> str:
    words = LINE.split()
    words[place - 1] = words[0]
    return " ".join(words)


NO_OBJECT = "a position in JSON is an object with the fields foundations, tableau, reserve, waste, stock, base, pass"
BAD_CARD = "unknown card '9X': a card is a rank (A 2..9 T J Q K) and a suit (C D H S)"


@pytest.mark.parametrize("line, message", [
    (twice(30), "card 30, 8S, is there once too often"),
    ("name: 9X", BAD_CARD),
    ("pysolfc:0", "PySolFC has no deal 0: numbers start at 1, and ms numbers end at 8589934591"),
    ("pysolfc:", "PySolFC number '' is not a whole number: ''"),
    ("solvitaire:x", "Solvitaire number is not a whole number: 'x'"),
    ("seed:x", "deal number is not a whole number: 'x'"),
    ("-1", "deal number is not a whole number: '-1'"),
    (str(2**64), "deal number 18446744073709551616 is not one of 0 to 18446744073709551615"),
    ("9" * 5000, f"deal number is not a whole number: {'9' * 40!r}"),
    ('{"tableau": 5}', "a position needs a tableau, a list of piles"),
    ('["9X"]', NO_OBJECT),
    ('{"deal": null}', NO_OBJECT),
    ('{"deal": true}', NO_OBJECT),
    ('{"deal": ""}', "no deal given"),
    ('{"deal": "9X"}', BAD_CARD),
    ('{"deal": "1\\n2"}', "2 deals where one is wanted"),
    ('{"foundations": [], oops}', "not JSON: Expecting property name enclosed in double quotes (column 21)"),
    ("[" * 100_000, "JSON nested too deeply"),
])
def test_bad_lines_are_named(line: str, message: str) -> None:
    deals = read_deals(f"# header\n42\n{line}\n42\n", RULES)
    assert next(deals)[0] == "seed:42"
    with pytest.raises(BadInput) as caught:
        next(deals)
    assert str(caught.value) == f"line 3: {message}"
    with pytest.raises(BadInput) as caught:
        deal(line, RULES)
    assert str(caught.value).removeprefix("line 1: ") == message


def test_bad_json_over_several_lines_names_its_line() -> None:
    text = json.dumps(DOCUMENT, indent=2).replace('"reserve"', "reserve")
    bad_line = text.splitlines().index('  reserve: [') + 1
    with pytest.raises(BadInput, match=f"^line {bad_line + 1}: not JSON: Expecting property name"):
        list(read_deals(f"42\n{text}\n", RULES))


def test_unfinished_json_is_bad_input() -> None:
    text = json.dumps(DOCUMENT, indent=2)[:-2]
    with pytest.raises(BadInput, match=f"^line {len(text.splitlines())}: not JSON: Expecting ',' delimiter"):
        deal(text, RULES)


@pytest.mark.parametrize("source, message", [
    ("", "no deal given"), ("# nothing\n\n", "no deal given"), ("1\n2\n3", "3 deals where one is wanted"),
])
def test_one_deal_is_wanted(source: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        deal(source, RULES)
    assert str(caught.value) == message


@pytest.mark.parametrize("source", [3.5, True, None, [1]])
def test_other_things_are_no_deals(source: object) -> None:
    with pytest.raises(BadInput):
        deal(source, RULES)  # type: ignore[arg-type]


def test_lines_are_shared_between_rule_sets_of_one_layout() -> None:
    assert deal(LINE, rules("rainbow")) == START
    assert [card_name(pile[0]) for pile in START.tableau] == ["KS", "9C", "3C", "5D"]
