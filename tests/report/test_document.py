"""Reports: what a document says survives both of its forms."""

from hypothesis import given
from hypothesis import strategies as st

from stretto.report.document import (
    Document,
    Figure,
    Heading,
    Key,
    Prose,
    markdown,
    table,
)
from stretto.report.figures import reliability, saved_against_detours, spread
from stretto.report.page import html

WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1)


@given(WORDS, WORDS)
def test_text_from_sessions_cannot_become_markup(title, cell):
    page = html(Document(title, (Prose(cell), table(("a", "b"), [(cell, 1)]))))

    for text in (title, cell):
        if "<" in text:
            assert text not in page or "&lt;" in page
    assert page.count("<script") == 0


def test_a_script_in_a_task_name_is_shown_and_not_run():
    page = html(Document("t", (table(("task", "n"), [("<script>x</script>", 1)]),)))

    assert "<script>" not in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page


def test_a_long_name_in_a_cell_may_be_broken_where_its_words_end():
    page = html(Document("t", (table(("tool", "n"), [("get_a<b", 1)]),)))

    assert "<td>get_<wbr>a&lt;b</td>" in page


def test_code_in_a_paragraph_is_set_as_code_and_a_stray_backtick_stays():
    page = html(Document("t", (Prose("ask `a<b` now"), Prose("a `stray one"))))

    assert "<p>ask <code>a&lt;b</code> now</p>" in page
    assert "<p>a `stray one</p>" in page


def test_markdown_keeps_a_bar_and_a_line_break_inside_a_cell():
    text = markdown(Document("t", (table(("a", "b"), [("x|y\nz", 2)]),)))

    assert "| x\\|y z |   2 |" in text


def test_markdown_leaves_figures_out_and_keeps_all_else():
    parts = (Heading("H"), Key((("5", "of six"),)), Figure("<svg></svg>", "caption"))

    assert markdown(Document("T", parts)) == "# T\n\n## H\n\n- **5** of six"


def test_a_figure_is_the_same_for_the_same_numbers():
    assert reliability([(0.5, 0.4, 3)]) == reliability([(0.5, 0.4, 3)])
    assert spread([1.0, 2.0, 2.5], 2.0, "x") == spread([1.0, 2.0, 2.5], 2.0, "x")


def test_thresholds_with_as_many_detours_share_one_label():
    drawn = saved_against_detours([(0.1, 6, 2), (0.2, 5, 2), (0.3, 4, 0)])

    assert "0.1 to 0.2" in drawn
    assert ">0.2<" not in drawn
