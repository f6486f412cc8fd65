"""The claims page says what the tests say."""

from tests.claims import PAGE, page


def test_the_claims_page_is_what_the_tests_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.claims`"
