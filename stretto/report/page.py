"""A report as one HTML file."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stretto.report.document import Document


def html(document: Document) -> str:
    """The report as one HTML page that fetches nothing."""
    environment = Environment(
        loader=PackageLoader("stretto.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    parts = [(type(part).__name__, part) for part in document.parts]
    template = environment.get_template("report.html.j2")
    return template.render(title=document.title, parts=parts, Markup=Markup)
