"""Every game in the page that people get: whole games of every variant, in every view, on a phone and on a desk."""

import pytest

from arena.registry import games
from arena.testing.play import variants
from tests.web.replays import page_of, random_match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

SIZES = ({"width": 390, "height": 844}, {"width": 1280, "height": 800})
# Every ply of the view that is shown: how many pictures there are, and which of them are not sound.
WALK = r"""() => {
  const slider = document.querySelector(".scrub input"), svg = document.querySelector(".board svg");
  const caption = document.querySelector(".caption"), pictures = new Set(), broken = [];
  for (let ply = 0; ply <= Number(slider.max); ply += 1) {
    slider.value = String(ply);
    slider.dispatchEvent(new Event("input"));
    const picture = svg.innerHTML, told = [picture, caption.textContent, svg.getAttribute("aria-label")];
    pictures.add(picture);
    if (told.some((text) => !text.trim() || /undefined|NaN|\[object|>null</.test(text))) broken.push(ply);
  }
  return { pictures: pictures.size, plies: Number(slider.max) + 1, broken };
}"""


def distinct(game):
    """The variants that are played differently, the first of those that are not."""
    found = []
    for variant in variants(game):
        if all((variant.seats, variant.config) != (other.seats, other.config) for other in found):
            found.append(variant)
    return found


CASES = [(name, number) for name, game in games().items() for number, _ in enumerate(distinct(game))]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_whole_game_of_every_variant_is_drawn_in_every_view(watched, tmp_path, name, number):
    variant = distinct(games()[name])[number]
    match = random_match(name, seats=variant.seats, options=variant.options, seed=20 + number)
    page = watched.open(page_of(match, tmp_path), viewport=SIZES[number % 2], reduced_motion="reduce")
    views = page.evaluate("[...document.querySelectorAll('.views button')].map((button) => button.value)")
    assert len(views) == (1 + variant.seats if games()[name].info.hidden else 1)
    for view in views:
        page.evaluate("(view) => document.querySelector(`.views button[value='${view}']`).click()", view)
        found = page.evaluate(WALK)
        assert found["broken"] == []
        assert found["pictures"] == found["plies"] == len(match.played) + 1
