"""Parts of pages without a browser: the state of a table in its address, numbers in words, notable matches."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store.base import ListedMatch, MatchEntry, SeatResult
from arena.web import formats
from arena.web.links import pair_name, up_from
from arena.web.pages.ladder import COLUMNS, KEYS, TableState
from arena.web.pages.rules import html_of
from arena.web.site import notable

RATING = next(column for column in COLUMNS if column.key == "rating")
BOT = next(column for column in COLUMNS if column.key == "bot")


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["sort", "order", "q", "settled", "from"]), st.text(max_size=80)))
def test_any_address_is_a_state_of_the_table(query):
    state = TableState.read(query)
    assert state.sort in ("", *KEYS)
    assert state.first >= 1
    assert len(state.q) <= 60
    assert "<" not in state.href(RATING)
    assert "\n" not in state.href(RATING)


def test_a_head_sorts_the_usual_way_first_and_then_the_other():
    state = TableState()
    assert state.href(RATING) == "?sort=rating&order=descending"
    assert TableState("rating", "descending").href(RATING) == "?sort=rating&order=ascending"
    assert TableState("rating", "ascending").href(RATING) == "?sort=rating&order=descending"
    assert state.href(BOT) == "?sort=bot&order=ascending"
    assert TableState("bot", "ascending").href(BOT) == "?sort=bot&order=descending"


def test_a_filter_stays_when_the_table_is_sorted():
    assert TableState(q="a b&", settled=True).href(RATING) == "?sort=rating&order=descending&q=a+b%26&settled=1"


def test_every_column_that_sorts_has_a_key():
    assert {column.key for column in COLUMNS if column.sort} == set(KEYS)


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.004, "<1 %"), (0.5, "50 %"), (0.996, ">99 %"), (1.0, "100 %")]
)
def test_nearly_all_is_not_all(share, text):
    assert formats.percent(share) == text


@pytest.mark.parametrize(
    ("microseconds", "text"), [(400, "0.4 ms"), (250_000, "250 ms"), (2_500_000, "2.5 s"), (240e6, "4 min")]
)
def test_times_have_the_unit_that_fits(microseconds, text):
    assert formats.thinking_time(microseconds) == text


def test_a_version_is_not_taken_for_a_score():
    assert [formats.version(text) for text in ("2", "beta", "", "\u202e1")] == ["v2", "beta", "", "\\u202e1"]


def test_rules_show_html_as_text():
    text = html_of("# Title\n\nA <script>alert(1)</script> [x](javascript:alert(1))\n\n```\n<b>\n```\n")
    assert "Title" not in text
    assert "<script>" not in text
    assert 'href="javascript' not in text
    assert '<pre tabindex="0">' in text


def test_links_lead_up_and_pairs_have_one_name():
    assert [up_from(path) for path in ("index.html", "bots/1.html")] == ["", "../"]
    assert pair_name(7, 3) == pair_name(3, 7) == "3-7"


def listed(number, **ranks):
    seats = tuple(
        SeatResult(bot_id=int(bot[1:]), rank=rank, score=0.0, ending="NORMAL", sentence="", wall_us=0, cpu_us=0)
        for bot, rank in ranks.items()
    )
    entry = MatchEntry(1, f"m{number}", number, "", 1, "", 1, "", seats)
    return ListedMatch(number, "claim", datetime.now(UTC), entry)


def test_the_best_win_is_against_the_strongest_and_the_worst_loss_to_the_weakest():
    strength = {1: 25.0, 2: 30.0, 3: 10.0, 4: 20.0}
    matches = [
        listed(1, b1=1, b3=2), listed(2, b2=2, b1=1), listed(3, b1=1, b2=1), listed(4, b1=2, b2=1),
        listed(5, b1=2, b3=1), listed(6, b4=2, b1=1),
    ]  # fmt: skip
    assert [match.number for match in notable(matches, 1, strength, won=True)] == [2, 6, 1]
    assert [match.number for match in notable(matches, 1, strength, won=False)] == [5, 4]
