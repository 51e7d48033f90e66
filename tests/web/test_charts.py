"""Drawings: well-formed, escaped, inside their frame, and said in words for those who do not see them."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.assets import static
from arena.web.charts import Axis, Interval, Line, Mark, bar, intervals, lines, scale, strip
from arena.web.formats import HEAT_STEPS, heat

NASTY = '<script>alert("1")</script>&'


def interval(name, low, value, high):
    return Interval(name, low, value, high)


values = st.floats(-1e6, 1e6)
rows = st.lists(
    st.builds(
        lambda name, three: Interval(name, *sorted(three)),
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=8),
        st.tuples(values, values, values),
    ),
    min_size=1,
    max_size=6,
)


def percentages(markup):
    return [float(each) for each in re.findall(r'(?:x|x1|x2|cx)="(-?[\d.]+)%"', markup)]


@pytest.mark.slow
@given(rows)
def test_intervals_stay_inside_the_frame(several):
    markup = intervals(several, "Ratings")
    root = ElementTree.fromstring(markup)
    assert len(root.findall("g")) == len(several)
    assert all(0 <= each <= 100 for each in percentages(markup))


@pytest.mark.slow
@given(rows)
def test_a_course_stays_inside_the_frame(several):
    line = Line("1", list(enumerate(several)))
    root = ElementTree.fromstring(lines([line], len(several), "Rating", "all"))
    points = root.find("svg/g/polyline").get("points").split()
    assert len(points) == len(several)
    assert all(0 <= float(part) <= 100 for point in points for part in point.split(","))


def test_a_strip_has_a_mark_for_every_result():
    marks = [Mark("won", "a"), Mark("lost", "b"), Mark("drawn", "c"), Mark("fault", "d")]
    root = ElementTree.fromstring(strip(marks, "Results"))
    assert [each.get("class") for each in root.findall("rect")] == ["won", "lost", "drawn", "fault"]
    assert root.get("aria-label") == "Results: 1 won, 1 drawn, 1 lost, 1 fault"


def test_names_are_escaped():
    several = [interval(NASTY, 1, 2, 3), interval(NASTY, 1, 2, 3)]
    curves = [Line(NASTY, list(enumerate(several)))] * 2
    for markup in (intervals(several, NASTY), lines(curves, 2, NASTY, NASTY)):
        ElementTree.fromstring(markup)
        assert "<script" not in markup


def test_sentences_are_escaped():
    assert "<script" not in strip([Mark("won", NASTY)], NASTY)


def test_a_drawing_says_in_words_what_it_shows():
    markup = intervals([interval("one", 20.0, 25.0, 30.0)], "Ratings")
    assert 'role="img"' in markup
    assert 'aria-label="Ratings: one 25.0 (20.0 to 30.0)"' in markup


def test_the_colour_of_a_share_grows_from_the_middle():
    assert [heat(share) for share in (None, 0.0, 0.26, 0.5, 1.0)] == ["", "heat h0", "heat h5", "heat h10", "heat h20"]


def test_every_step_of_a_heat_map_has_a_colour():
    style = static("site.css")
    for step in range(HEAT_STEPS + 1):
        assert re.search(rf"\.h{step}\b[^{{}}]*\{{ --share:", style), step
        assert re.search(rf"\.h{step}\b[^{{}}]*\{{ --strength:", style), step


@pytest.mark.slow
@given(rows)
def test_lines_stay_inside_the_frame(several):
    points = [(number, point) for number, point in enumerate(several)]
    markup = lines([Line(NASTY, points), Line("two", points, earlier=True)], len(several), "History", "the end")
    root = ElementTree.fromstring(markup)
    drawn = [line.get("points").split() for line in root.findall("svg/g/polyline")]
    assert [len(line) for line in drawn] == [len(several)] * 2
    assert all(0 <= float(part) <= 100 for line in drawn for point in line for part in point.split(","))


def test_bars_share_their_axis():
    axis = Axis(0.0, 10.0)
    low, high = (ElementTree.fromstring(bar(axis, value - 1, value, value + 1)) for value in (1.0, 9.0))
    assert float(low.find("circle").get("cx")[:-1]) < float(high.find("circle").get("cx")[:-1])
    ticks = [[line.get("x1") for line in root.findall("line[@class='grid-line']")] for root in (low, high)]
    assert ticks[0] == ticks[1] == [text.get("x") for text in ElementTree.fromstring(scale(axis)).findall("text")]
