"""Requests, and responses that answer them."""

from hypothesis import strategies as st

from stretto.oracle.answer import (
    Answer,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Usage,
)
from stretto.oracle.question import (
    Choice,
    Criteria,
    Noul,
    Question,
    Request,
    Score,
)

TEXTS = st.text(max_size=8)
NAMES = st.text(min_size=1, max_size=6)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)

QUESTIONS: st.SearchStrategy[Question] = st.one_of(
    st.builds(Noul, TEXTS, st.none() | st.builds(Criteria, TEXTS, TEXTS)),
    st.builds(Choice, TEXTS, st.dictionaries(NAMES, TEXTS, min_size=1, max_size=5)),
    st.builds(Score, TEXTS, st.lists(TEXTS, min_size=2, max_size=10).map(tuple)),
)

REQUESTS = st.builds(
    Request, TEXTS, JSON, st.dictionaries(NAMES, QUESTIONS, min_size=1, max_size=4)
)


@st.composite
def answers(draw: st.DrawFn, question: Question) -> Answer:
    """An answer that a question takes."""
    if isinstance(question, Noul):
        return NoulAnswer(draw(st.floats(0, 1)))
    options = (
        [*question.criteria]
        if isinstance(question, Choice)
        else [str(n) for n in range(len(question.criteria))]
    )
    weights = draw(
        st.lists(st.integers(1, 99), min_size=len(options), max_size=len(options))
    )
    by_option = {o: w / sum(weights) for o, w in zip(options, weights, strict=True)}
    if isinstance(question, Choice):
        return ChoiceAnswer(max(by_option, key=by_option.__getitem__), by_option, 0.5)
    return ScoreAnswer(0.5, by_option, 0.5, draw(JSON))


@st.composite
def answered(draw: st.DrawFn) -> tuple[Request, Response]:
    """A request and a response to it."""
    request = draw(REQUESTS)
    given = {id: draw(answers(q)) for id, q in request.questions.items()}
    usage = draw(st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9)))
    return request, Response(draw(NAMES), given, usage)
