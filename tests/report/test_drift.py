"""The drift report says which way a series went, and where steps surprise more."""

import pytest

from stretto.episodes.site import Site
from stretto.evaluate.drift import Alarm, Drift, Moved, Series
from stretto.report.document import markdown
from stretto.report.drift import drift_document


@pytest.mark.parametrize(("after", "went"), [(0.2, "fell"), (0.6, "rose")])
def test_an_alarm_says_whether_its_series_rose_or_fell(after, went):
    moved = (Moved(Site("get", False), 0.5, 1.5), Moved(Site("find", False), None, 2.0))
    alarm = Alarm(Series.DISAGREEMENT, 2, 4, 0.9, 0.4, after, moved)
    found = Drift(("a", "b", "c", "d", "e"), {}, (alarm,), None, 0.05)
    text = markdown(drift_document(found, "shop"))

    assert f"## From session 3 on disagreement {went}" in text
    assert "| get  |       0.500 |      1.500 |" in text
    assert "| find |         new |      2.000 |" in text
