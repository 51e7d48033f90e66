"""The replay page in a real browser, from a file without any server."""

from dataclasses import replace

import pytest

from arena.match import Ending, Strike, Verdict
from arena.registry import find
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html
from tests.web.browser import violations
from tests.web.replays import page_of, played_on, random_match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

LIMIT = 400_000
PACK_LIMIT = 35_000
EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\'"&amp;</style>\u202e[bold]{{7*7}}'
RECORDING_VIEWER = """
const calls = window.calls = [];
function scene(message, seat) { return { seat, text: JSON.stringify(message), round: (message.tricks ?? []).length }; }
function draw(svg, scene, previous, options) {
  svg.setAttribute("viewBox", options.layout === "wide" ? "0 0 100 60" : "0 0 60 90");
  calls.push({ options: structuredClone(options), glides: previous !== null && options.duration > 0 });
}
function say(scene) {
  return { heading: "a position", lists: [{ title: "all", items: [scene.text] }],
    table: { caption: "numbers", head: ["name", "value"], rows: [["seat", String(scene.seat)]] } };
}
export { scene, draw, say };
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("replays")


@pytest.fixture(scope="module")
def claim(folder):
    return page_of(random_match("claim"), folder)


def ply(page):
    return int(page.locator(".scrub input").input_value())


def current(page):
    return page.locator(".moves [aria-current]").inner_text()


def views(page):
    return page.locator(".player").get_attribute("data-view")


# -- what people do -------------------------------------------------------------------------------------------


def test_every_key_does_what_the_help_says(watched, claim):
    page = watched.open(claim)
    for keys, expected in (
        ("ArrowRight", 1), ("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("End", 52), ("ArrowRight", 52),
        ("Home", 0), ("ArrowLeft", 0), ("ArrowDown", 52), ("ArrowUp", 0), ("$", 52), ("0", 0),
    ):  # fmt: skip
        page.keyboard.press(keys)
        assert ply(page) == expected, keys
        assert page.locator(".moves [aria-current]").get_attribute("value") == str(expected)
    for key, view in (("1", "0"), ("2", "1"), ("3", "1"), ("e", "all")):
        page.keyboard.press(key)
        assert views(page) == view, key
    page.keyboard.press(".")
    assert page.locator(".controls select").input_value() == "2"
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert page.locator(".controls select").input_value() == "0.5"
    below = "() => document.querySelector('.picture svg').outerHTML"
    before = page.evaluate(below)
    page.keyboard.press("f")
    assert page.evaluate(below) != before, "the other seat is at the near side"
    page.keyboard.press("f")
    assert page.evaluate(below) == before
    page.keyboard.press("m")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-current')") == "step"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("ArrowRight")
    assert ply(page) == 0, "keys go to the help while it is open"
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_space_plays_and_pauses_and_begins_again(watched, claim):
    page = watched.open(f"{claim}?speed=10#50")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('.scrub input').value === '52'")
    page.wait_for_selector("button[aria-label=Play]")
    page.keyboard.press("Space")
    page.wait_for_function("() => ['1', '2', '3', '4'].includes(document.querySelector('.scrub input').value)")
    page.keyboard.press("Space")
    stopped = ply(page)
    page.wait_for_timeout(400)
    assert ply(page) == stopped < 52


def test_letters_can_be_switched_off(watched, claim):
    page = watched.open(claim)
    page.keyboard.press("?")
    page.locator("dialog input").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert ply(page) == 0
    page.keyboard.press("ArrowRight")
    assert ply(page) == 1


def test_modifiers_and_fields_keep_their_keys(watched, claim):
    page = watched.open(claim)
    page.keyboard.press("Control+j")
    page.locator(".controls select").focus()
    page.keyboard.press("j")
    assert ply(page) == 0
    page.locator(".scrub input").focus()
    page.keyboard.press("ArrowRight")
    assert ply(page) == 1, "a slider has arrows of its own: one key is one move"


def test_shift_goes_to_the_next_event(watched, folder):
    page = watched.open(page_of(random_match("claim"), folder, viewer=RECORDING_VIEWER))
    for key, expected in (("ArrowRight", 2), ("ArrowRight", 4), ("ArrowLeft", 2), ("ArrowLeft", 0)):
        page.keyboard.press(f"Shift+{key}")
        assert ply(page) == expected, "a trick has two cards, and the count of tricks is what changes"


def test_moves_buttons_and_slider_lead_to_the_same_places(watched, claim):
    page = watched.open(claim)
    page.locator(".moves button").nth(7).click()
    assert ply(page) == 7
    page.get_by_label("Next move").click()
    assert ply(page) == 8
    page.get_by_label("Previous move").click()
    page.get_by_label("Last position").click()
    assert ply(page) == 52
    assert page.get_by_label("Next move").is_disabled()
    page.get_by_label("First position").click()
    page.locator(".scrub input").fill("30")
    assert current(page).startswith("30")
    page.locator(".times svg").click(position={"x": 5, "y": 10})
    assert ply(page) == 1


def test_a_held_button_repeats(watched, claim):
    page = watched.open(claim)
    button = page.get_by_label("Next move").bounding_box()
    page.mouse.move(button["x"] + 10, button["y"] + 10)
    page.mouse.down()
    page.wait_for_function("() => Number(document.querySelector('.scrub input').value) >= 3")
    page.mouse.up()
    reached = ply(page)
    page.wait_for_timeout(700)
    assert ply(page) == reached


def test_a_finger_steps_at_the_sides_of_the_board(watched, claim):
    page = watched.open(claim, has_touch=True, viewport={"width": 390, "height": 844})
    board = page.locator(".board").bounding_box()
    for share, expected in ((0.9, 1), (0.9, 2), (0.5, 2), (0.1, 1)):
        page.touchscreen.tap(board["x"] + share * board["width"], board["y"] + 40)
        assert ply(page) == expected


def test_every_target_is_large_enough_for_a_finger(watched, claim):
    page = watched.open(claim, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.player :is(button, select, input, summary)')]
        .filter((element) => element.checkVisibility() && !element.closest('dialog'))
        .map((element) => [element.outerHTML.slice(0, 60), element.getBoundingClientRect()])
        .filter(([, box]) => box.width < 44 || box.height < 44)
        .map(([html, box]) => `${html} ${box.width}x${box.height}`)"""
    )
    assert boxes == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_switch_between_views_is_never_cut(watched, folder, seats, width):
    names = ("greedy", "built-in-random", "search", "policy")
    address = page_of(random_match("kingdoms", seats=seats, names=names), folder)
    page = watched.open(address, viewport={"width": width, "height": 800})
    cut = "() => [...document.querySelectorAll('.views button')].filter((each) => each.scrollWidth > each.clientWidth)"
    assert page.evaluate(f"({cut})().map((each) => each.textContent)") == []
    for number in range(seats):
        button = page.get_by_role("button", name=f"As {names[number]}", exact=True)
        button.click()
        assert views(page) == str(number)


def test_every_seat_is_told_its_place_at_the_end(watched, folder):
    record = random_match("kingdoms", seats=4)
    page = watched.open(page_of(record, folder))
    page.keyboard.press("End")
    places = [text.partition(" ")[0] for text in page.locator(".seat .outcome").all_inner_texts()]
    assert places == [{1: "won", 2: "2nd", 3: "3rd", 4: "4th"}[rank] for rank in record.outcome.ranks]


@pytest.mark.parametrize("game", ["assassins", "claim"])
def test_the_moves_are_read_without_scripts_as_with_them(watched, folder, game):
    address = page_of(random_match(game), folder)
    unscripted = watched.open(address, ready="main", java_script_enabled=False)
    told = [" ".join(words.split()) for words in unscripted.locator(".told li").all_inner_texts()]
    scripted = watched.open(address)
    for ply in (1, 2, len(told)):
        scripted.evaluate("(ply) => { location.hash = ply; }", ply)
        caption = scripted.locator(".caption", has_text=told[ply - 1].partition(" ")[2])
        caption.wait_for(timeout=60_000)
    assert len(told) == int(scripted.locator(".scrub input").get_attribute("max"))


def test_links_lead_to_a_move_and_a_view_and_follow(watched, claim):
    page = watched.open(f"{claim}#37")
    assert (ply(page), views(page)) == (37, "all")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash === '#38'")
    page.keyboard.press("2")
    page.wait_for_function("() => location.hash === '#38/seat1'")
    page.evaluate("() => { location.hash = '#5/seat0' }")
    page.wait_for_function("() => document.querySelector('.scrub input').value === '5'")
    assert views(page) == "0"
    assert ply(watched.open(f"{claim}#4000")) == 52
    assert ply(watched.open(f"{claim}#<img>")) == 0


def test_a_link_is_copied(watched, claim):
    page = watched.open(f"{claim}#12", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("c")
    page.wait_for_selector(".toast.shown")
    assert page.evaluate("() => navigator.clipboard.readText()") == f"{claim}#12"


def test_the_theme_is_switched_and_kept(watched, claim):
    page = watched.open(claim, color_scheme="dark")
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.get_by_label("Light or dark").click()
    light = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.reload()
    page.wait_for_selector(".player.ready")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == light


# -- what it tells the viewer ---------------------------------------------------------------------------------


def calls(page):
    return page.evaluate("() => window.calls.splice(0)")


def test_single_steps_glide_and_nothing_else_does(watched, folder):
    page = watched.open(page_of(random_match("claim"), folder, viewer=RECORDING_VIEWER))
    assert [call["glides"] for call in calls(page)] == [False]
    for key, glides in (("ArrowRight", True), ("ArrowLeft", True), ("End", False), ("1", False), ("ArrowLeft", True)):
        page.keyboard.press(key)
        assert [call["glides"] for call in calls(page)] == [glides], key
    page.locator(".scrub input").fill("3")
    page.locator(".scrub input").fill("4")
    assert not any(call["glides"] for call in calls(page)), "scrubbing"


def test_nothing_glides_for_who_wants_it_calm(watched, folder):
    page = watched.open(page_of(random_match("claim"), folder, viewer=RECORDING_VIEWER), reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    assert not any(call["glides"] for call in calls(page))


def test_the_viewer_gets_the_last_move_as_the_view_has_it(watched, folder):
    page = watched.open(page_of(random_match("assassins"), folder, viewer=RECORDING_VIEWER))
    page.keyboard.press("ArrowRight")
    last = calls(page)[-1]["options"]["last"]
    assert last["seat"] == 1
    assert len(last["move"]["choose"]["citizens"]) == 3
    assert last["text"].startswith("random: the assassins are a")
    assert last["before"]["seat"] is None
    page.keyboard.press("1")
    last = calls(page)[-1]["options"]["last"]
    assert last["move"] == {"choose": {"citizens": []}}
    assert last["text"] == "random: the assassins are chosen"


def test_a_phone_gets_the_portrait_layout(watched, folder):
    address = page_of(random_match("claim"), folder, viewer=RECORDING_VIEWER)
    page = watched.open(address, viewport={"width": 390, "height": 844})
    assert calls(page)[0]["options"]["layout"] == "portrait"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_function("() => window.calls.at(-1)?.options.layout === 'wide'")


# -- what a seat may see --------------------------------------------------------------------------------------

SNAPSHOTS = """() => {
  const player = document.querySelector('.player'), slider = player.querySelector('.scrub input'), shots = [];
  player.querySelector('.words').open = true;
  const shown = '.match-head, .board-box, .controls, .seats, .times, .words, .facts, [aria-live], [aria-current]';
  // Sixty positions of a long game are enough, the first of them in a row: what is secret begins there.
  const stride = Math.max(1, Math.floor(Number(slider.max) / 50));
  for (let ply = 0; ply <= Number(slider.max); ply += ply < 10 ? 1 : stride) {
    slider.value = String(ply);
    slider.dispatchEvent(new Event('input'));
    const parts = [...player.querySelectorAll(shown)].map((part) => part.outerHTML.replace('&nbsp;</p>', '</p>'));
    shots.push(parts.join('') + document.title);
  }
  return [...shots, player.querySelector('.moves').outerHTML];
}"""
"""All that the page shows but the switch itself, at many plies, and at last the list of moves."""


@pytest.mark.parametrize(
    ("game", "options"), [("assassins", {}), ("rrr", {"setup": "secret-draft"}), ("claim", {}), ("kingdoms", {})]
)
def test_a_seats_mode_holds_only_what_that_seat_knew(watched, folder, game, options):
    record = random_match(game, options=options, seed=2)
    whole = watched.open(page_of(record, folder))
    board = whole.locator(".board").inner_html()
    for seat in ("0", "1"):
        whole.locator(f".views button[value='{seat}']").click()
        alone = watched.open(page_of(record, folder, views=[seat]))
        with_all, by_itself = whole.evaluate(SNAPSHOTS), alone.evaluate(SNAPSHOTS)
        assert len(with_all) > min(50, len(record.played))
        for number, (left, right) in enumerate(zip(with_all, by_itself)):
            assert left == right, f"ply {number} as seat {seat}"
        assert board not in with_all[0], "the first position looks the same as with everything shown"


def test_the_words_hide_what_a_seat_did_not_know(watched, folder):
    page = watched.open(f"{page_of(random_match('assassins'), folder)}#1/seat0")
    assert "the assassins are chosen" in current(page)
    assert "the assassins are chosen" in page.locator(".caption").inner_text()
    assert "the assassins are chosen" in page.locator("[aria-live]").inner_text()
    page.keyboard.press("e")
    assert "the assassins are a" in current(page)


# -- who hears the page, and who reads it without colours -----------------------------------------------------


@pytest.mark.parametrize(
    ("game", "width", "scheme"),
    [("claim", 390, "dark"), ("claim", 1280, "light"), ("kingdoms", 390, "light"), ("kingdoms", 1280, "dark")],
)
def test_axe_finds_nothing(watched, folder, game, width, scheme):
    record = with_faults(random_match(game, seats=4 if game == "kingdoms" else 2))
    page = watched.open(f"{page_of(record, folder)}#3", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.locator(".words summary").click()
    page.locator(".facts summary").click()
    assert violations(page) == []
    page.keyboard.press("1")
    page.keyboard.press("End")
    assert violations(page) == []
    page.get_by_role("button", name="Keyboard help").click()
    assert violations(page) == []


def test_moves_are_spoken_once_each_and_not_in_fast_play(watched, claim):
    page = watched.open(claim)
    live = page.locator("[aria-live=polite]")
    page.keyboard.press("ArrowRight")
    assert live.inner_text().startswith("Move 1: greedy leads")
    page.keyboard.press("End")
    assert "votes" in live.inner_text(), "the end is told, with the reason"
    page = watched.open(f"{claim}?speed=10#45")
    before = page.locator("[aria-live=polite]").inner_text()
    page.evaluate(
        """() => { window.spoken = [];
        new MutationObserver(() => window.spoken.push(document.querySelector('[aria-live]').textContent))
        .observe(document.querySelector('[aria-live]'), { childList: true, characterData: true, subtree: true }); }"""
    )
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('.scrub input').value === '52'")
    page.wait_for_selector("button[aria-label=Play]")
    spoken = page.evaluate("() => window.spoken")
    assert len(spoken) == 1, "only the end is spoken"
    assert spoken[0].startswith("Move 52")
    assert before.startswith("Move 45")


def test_the_position_is_there_in_words(watched, folder):
    page = watched.open(page_of(random_match("claim"), folder, viewer=RECORDING_VIEWER))
    page.locator(".words summary").click()
    assert page.locator(".words table caption").inner_text() == "numbers"
    assert page.locator(".words td").inner_text() == "null"
    page.keyboard.press("1")
    assert page.locator(".words td").inner_text() == "0"
    assert page.locator(".words-heading").inner_text() == "What greedy knew. a position"
    assert page.locator(".board svg").get_attribute("aria-label") == "What greedy knew. a position"


# -- times, clocks, faults ------------------------------------------------------------------------------------


def with_faults(record):
    """The record with a late reply that was made good, and a forfeit of seat 1."""
    late, bad = Verdict(Ending.TIME, "did not answer turn 2 in time"), Verdict(Ending.CRASH, "its process ended")
    played = (*record.played[:2], replace(record.played[2], substituted=True), *record.played[3:10])
    ranks = tuple(2 if seat == 1 else 1 for seat in range(len(record.verdicts)))
    return replace(
        record,
        played=played,
        strikes=(Strike(played[2].seat, 2, late),),
        verdicts=tuple(bad if seat == 1 else verdict for seat, verdict in enumerate(record.verdicts)),
        outcome=replace(record.outcome, ranks=ranks, reason="seat 1 forfeits"),
    )


def test_faults_are_told_where_they_happened_and_at_the_end(watched, folder):
    page = watched.open(f"{page_of(with_faults(random_match('claim')), folder)}#3")
    assert "A random move was played for it: did not answer turn 2 in time" in page.locator(".caption").inner_text()
    page.keyboard.press("End")
    caption = page.locator(".caption").inner_text()
    assert "greedy won by forfeit (random's process ended at move 11)" in caption
    assert "random: its process ended" in caption
    assert page.locator(".times .bar.fault").count() == 1


def test_who_is_out_is_marked_from_then_on_while_the_others_play_on(watched, folder):
    record = played_on()
    out = record.faults[0].ply
    page = watched.open(f"{page_of(record, folder)}#{out}")
    assert page.locator(".seat-1.out").count() == 1
    page.keyboard.press("ArrowLeft")
    assert page.locator(".seat.out").count() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said = "It is out, and random moves are played for it: it exited with code 3"
    assert said in page.locator(".caption").inner_text()
    later = next(ply for ply, move in enumerate(record.played) if move.substituted and ply > out)
    page.goto(f"{page.url.partition('#')[0]}#{later + 1}")
    assert "A random move: it is out" in page.locator(".caption").inner_text()
    page.keyboard.press("End")
    assert "seat 1 forfeited" in page.locator(".caption").inner_text()
    assert page.locator(".seat-1 .outcome").inner_text() == "fault"
    best = record.outcome.ranks.index(1)
    assert f"won · {record.outcome.scores[best]:g}" in page.locator(f".seat-{best} .outcome").inner_text()


def test_a_match_that_does_not_count_says_so(watched, folder):
    record = random_match("claim")
    void = Verdict(Ending.VOID, "the machine stood still")
    outcome = replace(record.outcome, ranks=(), scores=(), reason="void")
    page = watched.open(page_of(replace(record, verdicts=(void, void), outcome=outcome), folder))
    page.keyboard.press("End")
    assert "The match does not count" in page.locator(".caption").inner_text()
    assert "the machine stood still" in page.locator(".caption").inner_text()


def test_a_match_without_a_move_tells_why(watched, folder):
    record = random_match("claim")
    broken = Verdict(Ending.NO_START, "never became ready")
    outcome = replace(record.outcome, ranks=(2, 1), scores=(0.0, 1.0), reason="seat 0 forfeits")
    record = replace(record, played=(), verdicts=(broken, record.verdicts[1]), outcome=outcome)
    page = watched.open(page_of(record, folder))
    assert "greedy: never became ready" in page.locator(".caption").inner_text()
    for key in ("ArrowRight", "Shift+ArrowRight", "Space", "End"):
        page.keyboard.press(key)
    assert ply(page) == 0


def test_clocks_are_shown_as_they_were(watched, folder):
    record = random_match("claim", clock="10s+1s")
    page = watched.open(page_of(record, folder))
    assert page.locator(".seat .clock").all_inner_texts() == ["10.0 s", "10.0 s"]
    page.keyboard.press("ArrowRight")
    charged = record.played[0].times.wall / 1e6 - record.spec.control.allowance
    assert page.locator(".seat .clock").first.inner_text() == f"{10 + 1 - max(0, charged):.1f} s"
    page.keyboard.press("ArrowLeft")
    assert page.locator(".seat .clock").first.inner_text() == "10.0 s"


# -- strangers ------------------------------------------------------------------------------------------------


def test_words_of_strangers_stay_words(watched, folder):
    record = random_match("claim", names=(EVIL, EVIL))
    evil = Verdict(Ending.CRASH, EVIL)
    record = replace(
        record,
        verdicts=(evil, evil),
        strikes=(Strike(0, 0, evil),),
        outcome=replace(record.outcome, reason=EVIL),
        spec=replace(record.spec, match_id=EVIL),
    )
    for framed in (False, True):
        page = watched.open(page_of(record, folder, framed=framed))
        page.locator(".facts summary").click()
        page.keyboard.press("End")
        assert page.evaluate("() => window.hacked") is None
        assert page.locator(".player img, .player script, .player style").count() == 0
        assert "<img src=x" in page.locator(".match-head h1").inner_text()
        assert "<script>" in page.locator(".caption").inner_text()
        assert "\u202e" not in page.content(), "characters that turn text round are shown as their numbers"


def test_the_policy_is_strict_and_at_work(watched, claim):
    page = watched.open(claim)
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page.evaluate(
        """() => { const script = document.createElement('script'); script.textContent = 'window.hacked = 1';
        document.head.append(script); }"""
    )
    assert page.evaluate("() => window.hacked") is None
    (refused,) = watched.errors
    assert "Content Security Policy" in refused
    watched.errors.clear()


# -- frames ---------------------------------------------------------------------------------------------------


def test_only_the_embed_shows_itself_in_a_frame(watched, folder):
    record = random_match("claim")
    for framed, sandbox, visible in ((False, "", False), (True, 'sandbox="allow-scripts"', True)):
        address = page_of(record, folder, framed=framed)
        outer = folder / "outer.html"
        heard = "<script>window.heard = []; addEventListener('message', (event) => heard.push(event.data));</script>"
        outer.write_text(
            f'<!doctype html>{heard}<iframe {sandbox} src="{address}#4" width="800" height="700"></iframe>'
        )
        page = watched.open(outer.as_uri(), ready="iframe")
        inner = page.frame_locator("iframe")
        inner.locator(".player.ready").wait_for(state="attached")
        assert inner.locator(".board").is_visible() == visible
        if visible:
            page.wait_for_function("() => window.heard.length > 0")
            message = page.evaluate("() => window.heard[0]")
            assert set(message) == {"arena", "ply", "height"}
            assert message["ply"] == 4
            assert message["height"] > 300


# -- size -----------------------------------------------------------------------------------------------------

LONGEST = [
    ("assassins", 2, {}, range(4)),
    ("claim", 2, {}, range(1)),
    ("kingdoms", 4, {}, range(8)),
    ("rrr", 2, {"setup": "secret-draft", "victory": "points", "rounds": "9"}, range(3)),
]


@pytest.mark.parametrize(("game", "seats", "options", "seeds"), LONGEST, ids=[row[0] for row in LONGEST])
def test_the_longest_games_stay_small(game, seats, options, seeds):
    records = [random_match(game, seats=seats, options=options, seed=seed) for seed in seeds]
    replay = read_replay(find(game), max(records, key=lambda record: len(record.played)))
    assert len(replay.packed()) <= PACK_LIMIT
    assert len(replay_html(replay).encode()) <= LIMIT
