"""From a kernel's winning path to moves of the plain game: forced moves put back in, turns counted, fills named.

Every move is applied on the reference game as it is translated, so an engine that disagreed with the rules could not
hand out a solution.
"""

from collections.abc import Iterator

import numpy as np

from solver.bits import U
from solver.cards import SUIT_NAMES
from solver.classes import SPACE, play_class_move
from solver.game import TABLEAU, Move, apply
from solver.moves import (FOUNDATION, RESERVE, WASTE, apply_move, move_code, move_count, move_source,
                          move_stock_index, move_target)
from solver.packed import CLASSES, FIRST_PILE, FIRST_STOCK, Game, code_card
from solver.position import Position
from solver.prunings import settle
from solver.rulesets import Rules


class Winding(Exception):
    """A path of the class game that piles cannot follow, for a run would have to lie on itself."""


def decode(path: np.ndarray, game: Game, root: np.ndarray, position: Position, rules: Rules) -> list[Move]:
    """The reference game's moves for a kernel path from ``root``, which packs ``position``.

    path[0] stands for the root itself. Raises IllegalMove if the kernel and the reference game ever disagree, Winding
    where a class game's path has no counterpart.
    """
    solution: list[Move] = []
    for word, state in _all_words(path, game, root):
        translate = class_moves if game.spec[CLASSES] else pile_moves
        for move in translate(word, state, game, position, rules):
            position = apply(position, rules, move)
            solution.append(move)
    return solution


def _all_words(path: np.ndarray, game: Game, root: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each move word of a path with the state before its step, forced moves included.

    The state is only read for the stock, which forced moves leave alone.
    """
    forced = np.empty(256, np.uint64)
    state, child = root.copy(), root.copy()
    for step in range(max(1, len(path))):
        if step:
            if game.spec[CLASSES]:
                play_class_move(child, path[step], game)
            else:
                apply_move(state, path[step], game, child)
            yield int(path[step]), state
        for word in forced[:settle(child, game, forced)]:
            yield int(word), state
        state[:] = child


def pile_moves(word: int, state: np.ndarray, game: Game, position: Position, rules: Rules) -> list[Move]:
    """The reference game's form of a move word of the pile game."""
    move = U(word)
    code, source = int(move_code(move)), int(move_source(move))
    suit = SUIT_NAMES[code & 3]
    turns = _turns_for(word, state, game, position, rules) if source == WASTE else 0
    return [plain_move(position, rules, code_card(code, position.base, rules.ranks), int(move_count(move)),
                       _place_name(source, suit), _place_name(int(move_target(move)), suit), turns)]


def class_moves(word: int, state: np.ndarray, game: Game, position: Position, rules: Rules) -> list[Move]:
    """The reference game's moves for a move word of the class game: the move itself, and before it, where a card that
    goes up is covered, the move of its cover to the free twin."""
    move = U(word)
    card = code_card(int(move_code(move)), position.base, rules.ranks)
    source, target = int(move_source(move)), int(move_target(move))
    foundation = f"foundation {SUIT_NAMES[card & 3]}"
    turns, count, before = 0, 1, []
    if source in (RESERVE, FOUNDATION):
        origin = "reserve" if source == RESERVE else foundation
    elif source == WASTE:
        origin, turns = "waste", _turns_for(word, state, game, position, rules)
    else:
        pile, depth = _find(card, position)
        origin, count = TABLEAU[pile], len(position.tableau[pile]) - depth
        if target == FOUNDATION and count > 1:
            cover = position.tableau[pile][depth + 1]
            goal = TABLEAU[_free_host(cover, position, rules)]
            before = [plain_move(position, rules, cover, count - 1, origin, goal, 0)]
            position, count = apply(position, rules, before[0]), 1
    if target == FOUNDATION:
        goal = foundation
    else:
        goal = TABLEAU[position.tableau.index(()) if target == SPACE else _free_host(card, position, rules)]
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


def _free_host(card: int, position: Position, rules: Rules) -> int:
    """The first pile whose last card carries ``card`` and which does not hold it already."""
    for pile, cards in enumerate(position.tableau):
        if cards and card not in cards and rules.carries(cards[-1], card, position.base):
            return pile
    raise Winding


def _place_name(place: int, suit: str) -> str:
    """The plain game's name of a place of the pile game."""
    named = {RESERVE: "reserve", WASTE: "waste", FOUNDATION: f"foundation {suit}"}
    return named.get(place) or TABLEAU[place]


def _turns_for(word: int, state: np.ndarray, game: Game, position: Position, rules: Rules) -> int:
    """Turns before a play from the waste: its card's place among the cards of waste and stock that are left."""
    words = [int(stock) for stock in state[FIRST_STOCK:game.spec[FIRST_PILE]]]
    remaining = sum(stock << 64 * number for number, stock in enumerate(words))
    before = (remaining & (1 << int(move_stock_index(U(word)))) - 1).bit_count()
    return turns_to(before + 1, position, rules)


def turns_to(place: int, position: Position, rules: Rules) -> int:
    """The fewest turns that bring the ``place``-th card (from 1) of waste and stock to the top of the waste."""
    turned, size, draw = len(position.waste), len(position.waste) + len(position.stock), rules.draw
    if place == turned:
        return 0
    if place > turned and ((place - turned) % draw == 0 or place == size):
        return -(-(place - turned) // draw)
    return -(-(size - turned) // draw) - (-place // draw)
