"""What is remembered of a position's pieces is what would be made of them now."""

from dataclasses import dataclass

from gavelport_engine.memo import Memo


@dataclass(eq=False)
class Piece:
    content: tuple[int, ...]


def counted() -> tuple[Memo[Piece, str], list[Piece]]:
    made: list[Piece] = []

    def make(piece: Piece) -> str:
        made.append(piece)
        return str(piece.content)

    return Memo(lambda piece: (piece.content,), make, capacity=3), made


def test_a_piece_is_made_anew_when_its_content_has_changed_and_only_then() -> None:
    memo, made = counted()
    piece, other = Piece((1, 2)), Piece((7,))
    assert memo([piece, other, piece]) == ["(1, 2)", "(7,)", "(1, 2)"]
    piece.content = tuple(reversed((2, 1)))  # equal, but another object
    assert memo([piece]) == ["(1, 2)"]
    assert made == [piece, other]
    piece.content = (1, 3)
    assert memo([piece, other]) == ["(1, 3)", "(7,)"]
    piece.content = (1, 2)
    assert memo([piece]) == ["(1, 2)"]
    assert made == [piece, other, piece, piece]


def test_a_piece_in_the_place_of_a_former_one_is_not_taken_for_it() -> None:
    """Where a piece is freed, the next one often gets its address."""
    memo, _ = counted()
    for number in range(100):
        assert memo([Piece((number,))]) == [f"({number},)"]


def test_no_more_than_the_capacity_is_kept_and_the_answers_stay_right() -> None:
    memo, _ = counted()
    pieces = [Piece((number,)) for number in range(10)]
    for _ in range(2):
        assert memo(pieces) == [str(piece.content) for piece in pieces]
        assert 0 < len(memo) <= 3
