"""The seeded shuffle is pinned for ever, is a permutation, and is even."""

import pytest

from solver.cards import BadInput, card_name, full_deck
from solver.shuffle import SEEDS, mix64, shuffled_deck

PINNED = {
    (0, 1, 13):
        "7C 6H 5D 2C 5S 4D TD 2D 6C 3D 4S TH 9H 7S 4C QH 4H QS AH JH 2H 9C AD 6S KC KD JC AC 8C KH AS 7D QD 6D JS "
        "3S KS 9S 9D 2S 5H QC TC 8D TS 3C 5C 3H 8S 8H JD 7H",
    (1, 1, 13):
        "9H 6S QC 2C 2S 4D 7H 3C 3D KS JS 9D KD KC 8H JD 7D 4S 4H TD TC 7C 3S TS JC AD AC 6H QH 6D 2H 4C 8S 7S 8D "
        "AH TH 6C 2D 5C QS 9C 8C 3H KH JH 5S 5D 5H AS QD 9S",
    (42, 1, 13):
        "8S 4C 9D 4H 6H QS TC 6D 2D 7C 2S 3D QC 7S KS 9C 3C 5D TS 9H AC JC 5H QH 7D 9S 7H TD TH 5C 8H JS 8D 2H KD "
        "AD 4S 6C 4D 3S 8C 2C AH JH 3H 5S QD JD 6S AS KH KC",
    (1_000_000, 1, 13):
        "QH 4C JD AC TS TD 3S 8S 7D 6H JC 8D 3H 2H 4H 4S 3C 7H 9C AH 9S 9H JS 5H KS 3D 4D 2S 7S AD KD 8C TC 2D 7C "
        "KH 5C TH 9D 6S 6D QC 8H 2C AS 6C KC 5D QS QD JH 5S",
    (2**64 - 1, 1, 13):
        "3S 9D QC TC 4S 7S 8C 3D 6S KD 9S AS JD KH 4C 9H JC 5D 6C 8H 5H 2S AC AH JH 5C 7D 2C QD 6D TS 2H 8D 7C TH "
        "3H 9C JS 2D 8S KS 7H 5S QH 4H 4D TD 3C QS KC AD 6H",
    (42, 2, 13):
        "3D 2S 5C 6C KS 4S TC 4C 3H 7C 3H 2D 9D TS 6D QD 9C 6S 6S AH 3D KD 4H 7C 4S 3C 8D 9S 6H 9H 7D 4H AC 9C TC "
        "3S QD 5C 8D 5H QH TH 2H QS 4C AD KC 8C KH 2S 6D 7H TH 5H JS 8S 9H JC 4D 7D TS QC KH 9S QH AS TD KC JH 7S "
        "QS AS 7H 6C 5S 3S 4D AD 5D 8C 9D QC 8S 2H JD 5D AH KD TD 3C 7S 6H 2C 5S 2D 8H JD AC 2C JC JH 8H JS KS",
    (7, 1, 3):
        "AD AC 3C 2C 2D AS AH 2S 3H 2H 3S 3D",
}

# Published outputs of SplitMix64 from state 0 (the reference program's first words, quoted by many re-implementations).
SPLITMIX64_FROM_0 = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@pytest.mark.parametrize("seed, decks, ranks", PINNED)
def test_pinned_deals_never_change(seed: int, decks: int, ranks: int) -> None:
    assert " ".join(map(card_name, shuffled_deck(seed, decks, ranks))) == PINNED[seed, decks, ranks]


def test_mix64_is_the_published_function() -> None:
    gamma = 0x9E3779B97F4A7C15
    assert [mix64(count * gamma % 2**64) for count in (1, 2, 3)] == SPLITMIX64_FROM_0


@pytest.mark.parametrize("decks, ranks", [(1, 13), (2, 13), (4, 13), (1, 2), (3, 5)])
def test_every_deal_holds_the_whole_deck(decks: int, ranks: int) -> None:
    for seed in range(50):
        assert sorted(shuffled_deck(seed, decks, ranks)) == full_deck(decks, ranks)


@pytest.mark.parametrize("seed", [-1, SEEDS, 10**30])
def test_numbers_out_of_range_are_bad_input(seed: int) -> None:
    with pytest.raises(BadInput, match=f"^deal number {seed} is not one of 0 to 18446744073709551615$"):
        shuffled_deck(seed, 1, 13)


def chi_square_of_places(deals: list[list[int]]) -> float:
    """Chi-square of the table card x place, standardised: about a standard normal variable for an even shuffle."""
    size = len(deals[0])
    counts = [[0] * size for _ in range(size)]
    for cards in deals:
        for place, card in enumerate(cards):
            counts[place][card] += 1
    expected = len(deals) / size
    chi_square = sum((count - expected) ** 2 / expected for row in counts for count in row) * (size - 1) / size
    freedom = (size - 1) ** 2
    return (chi_square - freedom) / (2 * freedom) ** 0.5


def test_every_card_is_equally_likely_in_every_place() -> None:
    assert abs(chi_square_of_places([shuffled_deck(seed, 1, 13) for seed in range(8000)])) < 3.5


def test_neighbours_in_the_deal_are_equally_likely() -> None:
    """Ordered pairs of cards at two neighbouring places of a small deck: a fault that single places do not show."""
    deals = 60_000
    counts: dict[tuple[int, int], int] = {}
    for seed in range(10**9, 10**9 + deals):
        cards = shuffled_deck(seed, 1, 5)
        pair = (cards[9], cards[10])
        counts[pair] = counts.get(pair, 0) + 1
    expected = deals / (20 * 19)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = 20 * 19 - 1
    assert len(counts) == 20 * 19
    assert abs(chi_square - freedom) / (2 * freedom) ** 0.5 < 3.5


def test_the_measure_of_evenness_notices_a_crooked_shuffle() -> None:
    """The classical mistake, swapping every card with any card of the whole deck, is found out."""
    crooked = []
    for seed in range(8000):
        cards = full_deck(1, 13)
        for place in range(52):
            other = mix64(52 * seed + place) % 52
            cards[place], cards[other] = cards[other], cards[place]
        crooked.append(cards)
    assert chi_square_of_places(crooked) > 10
