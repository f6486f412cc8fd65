"""Random encoded episodes whose contexts collide often."""

from hypothesis import strategies as st

from stretto.episodes.vocabulary import symbol
from stretto.habit.encode import Encoded

VOCAB_SIZE = 5


@st.composite
def encoded_episodes(
    draw: st.DrawFn, *, max_episodes: int = 6, weighted: bool = False
) -> list[Encoded]:
    """Episodes over a small vocabulary, empty ones among them."""
    return [
        draw(_episodes(task=str(i), weighted=weighted))
        for i in range(draw(st.integers(0, max_episodes)))
    ]


@st.composite
def _episodes(draw: st.DrawFn, *, task: str, weighted: bool) -> Encoded:
    steps = draw(
        st.lists(
            st.tuples(
                st.integers(0, VOCAB_SIZE - 1), st.integers(0, 3), st.integers(0, 2)
            ),
            max_size=9,
        )
    )
    weights = st.sampled_from([0.25, 0.3, 0.7071, 1.0, 2.0])
    return Encoded(
        task=task,
        actions=tuple(action for action, _, _ in steps),
        symbols=tuple(symbol(*step) for step in steps),
        group=draw(st.integers(1, 2)),
        weight=draw(weights) if weighted else 1.0,
    )


histories = st.lists(
    st.builds(
        symbol, st.integers(0, VOCAB_SIZE - 1), st.integers(0, 3), st.integers(0, 2)
    ),
    max_size=4,
)

alphas = st.floats(1e-3, 1e4)
