"""The page of cards in a real browser: it prints on A4, loads nothing, and runs nothing."""

import pytest

from arena.web.cards import Card, cards_page
from tests.web.browser import Watched, launched, violations

pytestmark = pytest.mark.slow

HOSTILE = "<script>document.title='owned'</script><img src=https://example.org/x onerror=alert(1)>"
TOKEN = "arena-" + "x" * 43
SPILLING = "all => all.filter(card => card.scrollWidth > card.clientWidth || card.scrollHeight > card.clientHeight + 1)"
MM = 96 / 25.4


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    path = tmp_path_factory.mktemp("cards") / "cards.html"
    people = [Card(f"Person {number}", f"person-{number}", "reds", TOKEN) for number in range(21)]
    people += [Card(HOSTILE, "mallory", "mallory", TOKEN), Card("x" * 80, "y" * 40, "z" * 40, TOKEN)]
    path.write_text(cards_page(HOSTILE, "https://cup.example", "https://cup.example/login", people), encoding="utf-8")
    return path


def test_a_page_of_cards_prints_on_a4_and_runs_nothing(cards):
    with launched() as browser:
        watched = Watched(browser)
        page = watched.open(cards.as_uri(), ready="main", viewport={"width": round(190 * MM), "height": 1000})
        assert page.title() == f"Cards: {HOSTILE}"
        assert page.locator(".card").count() == 23
        assert page.locator("script, img").count() == 0
        assert violations(page) == []
        printed = page.pdf(prefer_css_page_size=True)
        assert printed.count(b"/MediaBox [0 0 594.9") == printed.count(b"/Type /Page\n") == 3
        page.emulate_media(media="print")
        assert page.locator(".note").is_hidden()
        assert page.locator(".card").evaluate_all(SPILLING) == []
        assert page.locator(".card svg").first.bounding_box()["width"] > 25 * MM
        assert (watched.errors, watched.requests) == ([], [cards.as_uri()])
        watched.close()
