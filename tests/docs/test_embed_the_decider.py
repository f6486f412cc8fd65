from tests.docs.console import DOCS, EXAMPLES, Console, quoted

PAGE = DOCS / "how-to" / "embed-the-decider.md"


def test_the_example_prints_what_the_page_shows(console: Console) -> None:
    console.follow(PAGE)


def test_the_page_quotes_its_example_as_it_is() -> None:
    [example] = quoted(PAGE)

    assert example.text == (EXAMPLES / example.name).read_text(encoding="utf-8")
