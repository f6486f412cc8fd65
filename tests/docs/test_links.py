"""Every page can be read from every page that links to it."""

import re
from pathlib import Path

import stretto
from tests.conftest import ROOT

DOCS = ROOT / "docs"

_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`\n]*`|^```.*?^```|^ {4}.*?$", re.DOTALL | re.MULTILINE)
_CITED = re.compile(r"\[([A-ZÀ-Ž][\w’'-]+(?: (?:& [A-ZÀ-Ž][\w-]+|et al\.))? \d{4})\]")


def _pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_every_relative_link_leads_to_a_file() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in _pages()
        for link in _LINK.findall(_CODE.sub("", _read(page)))
        if "://" not in link and not link.startswith(("#", "mailto:"))
        if not (page.parent / link.split("#")[0]).exists()
    ]

    assert broken == []


def test_every_page_is_linked_from_the_index() -> None:
    index = DOCS / "index.md"
    linked = {
        (DOCS / link.split("#")[0]).resolve() for link in _LINK.findall(_read(index))
    }
    aside = {"changelog.d", "decisions", "results", "examples"}
    pages = {
        page.resolve()
        for page in DOCS.rglob("*.md")
        if page != index and not aside & {*page.relative_to(DOCS).parts}
    }

    assert {page.relative_to(DOCS).as_posix() for page in pages - linked} == set()


def test_every_citation_is_in_the_bibliography_and_every_entry_is_cited() -> None:
    page = DOCS / "reference" / "bibliography.md"
    entries = {*re.findall(r"^\[([^\]]+ \d{4})\]$", _read(page), re.MULTILINE)}
    readers = [*(ROOT / "stretto").rglob("*.py"), *(p for p in _pages() if p != page)]
    cited = {key for path in readers for key in _CITED.findall(_read(path))}

    assert cited == entries


def test_every_name_a_page_imports_is_public() -> None:
    imported = {
        name.strip()
        for page in _pages()
        for line in re.findall(
            r"^ *from stretto import (.*)$", _read(page), re.MULTILINE
        )
        for name in line.split(",")
    }

    assert imported - stretto.HOMES.keys() == set()


def test_no_page_praises_the_software() -> None:
    praise = re.compile(
        r"(?<!doubly )\b(robust|elegant|comprehensive|production-ready|seamless)",
        re.I,
    )
    found = [f"{p.relative_to(ROOT)}" for p in _pages() if praise.search(_read(p))]

    assert found == []
