"""From a kernel's winning path to moves of the plain game: forced moves put back in, turns counted, fills named.

The moves are carried out on the plain game as they are translated, without its checks, which take most of the time;
solution.replay makes them all.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from solver.bits import U, uncompiled
from solver.cards import SUIT_NAMES
from solver.cardsets import ON_HIGHER, STOCK, TO_SPACE
from solver.game import TABLEAU, Move, carry_out
from solver.moves import (FOUNDATION, RESERVE, WASTE, apply_move, move_code, move_count, move_source,
                          move_stock_index, move_target)
from solver.packed import CLASSES, FIRST_PILE, FIRST_STOCK, FREE_FILL, RANKS, Game, card_code, code_card
from solver.position import Position
from solver.prunings import settle
from solver.rulesets import Rules
from solver.setsearch import step_state, write_moves

_FIELDS = [uncompiled(field) for field in (move_code, move_count, move_source, move_target, move_stock_index)]


class Winding(Exception):
    """A path of the set game that piles cannot follow, for a run would have to lie on itself."""


def decode(path: np.ndarray, game: Game, root: np.ndarray, position: Position, rules: Rules,
           set_game: bool) -> list[Move]:
    """The reference game's moves for a kernel path from ``root``, which packs ``position``.

    path[0] stands for the root itself; set_game tells whose path it is. Raises Winding where a path of the set game
    has no counterpart.
    """
    solution: list[Move] = []
    translate = set_moves if set_game else pile_moves
    classes = bool(game.spec[CLASSES])
    for word, stock in _all_words(path, game, root, set_game):
        for move in translate(word, stock, position, rules, classes):
            position = play(position, rules, move)
            solution.append(move)
    return solution


def count_moves(path: np.ndarray, game: Game, root: np.ndarray, position: Position, set_game: bool) -> int:
    """How many moves :func:`decode` makes of a path, in a tenth of its time. Raises Winding where it does."""
    if not set_game:
        return sum(1 for _ in _all_words(path, game, root, set_game))
    log = np.empty(256, np.uint64)
    words = np.empty(len(log) * (len(path) + 1), np.uint64)
    count = int(write_moves(root.copy(), path, game, log, words))
    if not game.spec[CLASSES]:
        return count  # each stands for one move
    codes, _, sources, targets, _ = (field(words[:count]).tolist() for field in _FIELDS)
    return count + sum(_follow(zip(codes, sources, targets), game, position))


def _follow(moves: Iterable[tuple[int, int, int]], game: Game, position: Position) -> Iterator[int]:
    """Play moves of the set game (code, source, target) on piles of codes; 1 for each cover that makes way, see
    :func:`set_moves`."""
    ranks, carries = int(game.spec[RANKS]), game.carries.tolist()
    piles = [[card_code(card, position.base, ranks) for card in pile] for pile in position.tableau]
    home = {code: pile for pile in piles for code in pile}
    reserve = game.reserve.tolist()

    def free_host(code: int) -> list[int]:
        for pile in piles:
            if pile and carries[pile[-1]] >> code & 1 and home.get(code) is not pile:
                return pile
        raise Winding

    def lay(unit: list[int], host: list[int]) -> None:
        host.extend(unit)
        home.update(dict.fromkeys(unit, host))

    for code, source, target in moves:
        pile, unit = None, [code]
        if source < RESERVE:
            pile = home.get(code)
            if pile is None:
                raise Winding
            depth = pile.index(code)
            unit = pile[depth:]
            if target == FOUNDATION and len(unit) > 1:
                lay(unit[1:], free_host(unit[1]))
                yield 1
        elif source == RESERVE:
            reserve.pop()
        if target == FOUNDATION:
            home.pop(code, None)
        else:
            lay(unit, piles[piles.index([])] if target == TO_SPACE else free_host(code))
        if pile is not None:
            del pile[depth:]
            if not pile and not game.spec[FREE_FILL] and reserve:
                lay([reserve.pop()], pile)


def play(position: Position, rules: Rules, move: Move) -> Position:
    """The position after the turns and the cards of a move that is known to be legal."""
    if move.turns:
        position = _turned(position, rules, move.turns)
    return carry_out(position, rules, move)


def _turned(position: Position, rules: Rules, turns: int) -> Position:
    """The position after so many turns, at once; they go round the stock no more than once."""
    talon = position.waste + position.stock[::-1]
    turned, laps = len(position.waste) + turns * rules.draw, 0
    to_end = -(-len(position.stock) // rules.draw)
    if turns > to_end:
        turned, laps = (turns - to_end) * rules.draw, int(rules.passes is not None)
    return Position(position.foundations, position.tableau, position.reserve, talon[:turned], talon[turned:][::-1],
                    position.base, position.pass_number + laps)


def _all_words(path: np.ndarray, game: Game, root: np.ndarray, set_game: bool) -> Iterator[tuple[int, int]]:
    """Each move word of a path, forced moves included, with the stock set before it (bit i for card i of the list)."""
    log, state = np.empty(256, np.uint64), root.copy()
    for step in range(max(1, len(path))):
        stock = stock_set(state, game, set_game)
        if step:
            yield int(path[step]), stock
        if set_game:
            forced = step_state(state, path[step] if step else U(0), game, log)
        else:
            if step:
                apply_move(state.copy(), path[step], game, state)
            forced = settle(state, game, log)
        for word in log[:forced]:  # forced moves leave the stock alone
            yield int(word), stock


def stock_set(state: np.ndarray, game: Game, set_game: bool) -> int:
    """The stock set of a state of either game as one integer."""
    if set_game:
        return int(state[STOCK]) & (1 << 52) - 1
    words = [int(word) for word in state[FIRST_STOCK:game.spec[FIRST_PILE]]]
    return sum(word << 64 * number for number, word in enumerate(words))


def move_fields(word: int) -> list[int]:
    """Code, count, source, target and stock index of a move word."""
    move = U(word)
    return [int(field(move)) for field in _FIELDS]


def pile_moves(word: int, stock: int, position: Position, rules: Rules, _classes: bool = False) -> list[Move]:
    """The reference game's form of a move word of the pile game."""
    code, count, source, target, index = move_fields(word)
    suit = SUIT_NAMES[code & 3]
    turns = _turns_for(index, stock, position, rules) if source == WASTE else 0
    return [plain_move(position, rules, code_card(code, position.base, rules.ranks), count, _place_name(source, suit),
                       _place_name(target, suit), turns)]


def set_moves(word: int, stock: int, position: Position, rules: Rules, classes: bool) -> list[Move]:
    """The reference game's moves for a move word of the set game: the move itself, and before it, where a card that
    goes up is covered, the move of its cover to the free twin."""
    code, _, source, target, index = move_fields(word)
    card = code_card(code, position.base, rules.ranks)
    foundation = f"foundation {SUIT_NAMES[card & 3]}"
    turns, count, before = 0, 1, []
    if source in (RESERVE, FOUNDATION):
        origin = "reserve" if source == RESERVE else foundation
    elif source == WASTE:
        origin, turns = "waste", _turns_for(index, stock, position, rules)
    else:
        pile, depth = _find(card, position)
        origin, count = TABLEAU[pile], len(position.tableau[pile]) - depth
        if target == FOUNDATION and count > 1:
            cover = position.tableau[pile][depth + 1]
            goal = TABLEAU[_free_host(cover, position, rules)]
            before = [plain_move(position, rules, cover, count - 1, origin, goal, 0)]
            position, count = carry_out(position, rules, before[0]), 1
    if target == FOUNDATION:
        goal = foundation
    elif target == TO_SPACE:
        goal = TABLEAU[position.tableau.index(())]
    else:
        goal = TABLEAU[_free_host(card, position, rules, None if classes else target)]
    return before + [plain_move(position, rules, card, count, origin, goal, turns)]


def plain_move(position: Position, rules: Rules, card: int, count: int, source: str, target: str, turns: int) -> Move:
    """A move with the fill that follows from it."""
    fill = None
    if source in TABLEAU and rules.fill == "auto" and position.reserve:
        if count == len(position.tableau[TABLEAU.index(source)]):
            fill = position.reserve[-1]
    return Move(turns, card, count, source, target, fill)


def _find(card: int, position: Position) -> tuple[int, int]:
    """Pile and depth (from the bottom) of a card on the tableau."""
    for pile, cards in enumerate(position.tableau):
        if card in cards:
            return pile, cards.index(card)
    raise Winding


def _free_host(card: int, position: Position, rules: Rules, twin: int | None = None) -> int:
    """The first pile whose last card carries ``card`` and does not hold it already; ``twin`` asks for a host of the
    lower or the higher suits."""
    for pile, cards in enumerate(position.tableau):
        if cards and card not in cards and rules.carries(cards[-1], card, position.base):
            if twin is None or (cards[-1] & 2 != 0) == (twin == ON_HIGHER):
                return pile
    raise Winding


def _place_name(place: int, suit: str) -> str:
    """The plain game's name of a place of the pile game."""
    named = {RESERVE: "reserve", WASTE: "waste", FOUNDATION: f"foundation {suit}"}
    return named.get(place) or TABLEAU[place]


def _turns_for(index: int, stock: int, position: Position, rules: Rules) -> int:
    """Turns before a play from the waste: its card's place among the cards of waste and stock that are left."""
    before = (stock & (1 << index) - 1).bit_count()
    return turns_to(before + 1, position, rules)


def turns_to(place: int, position: Position, rules: Rules) -> int:
    """The fewest turns that bring the ``place``-th card (from 1) of waste and stock to the top of the waste."""
    turned, size, draw = len(position.waste), len(position.waste) + len(position.stock), rules.draw
    if place == turned:
        return 0
    if place > turned and ((place - turned) % draw == 0 or place == size):
        return -(-(place - turned) // draw)
    return -(-(size - turned) // draw) - (-place // draw)
