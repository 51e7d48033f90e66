"""What the replay page is made of: markup as runs, inlined modules, the data of a match, records that are not sound."""

import gzip
import json
import re
from dataclasses import replace

import pytest
from rich.text import Text

from arena.clock import Clock
from arena.errors import RecordError
from arena.match import NO_TIMES, Contestant, Ending, PlayedMove, SandboxReport, Strike, Times, Verdict
from arena.registry import find, games
from arena.web.assets import Assets, Delivery, as_constant
from arena.web.markup import lines, runs
from arena.web.player import viewer_file
from arena.web.rendering import SiteContext, render, site_files
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_page
from arena.web.viewers import find_viewer
from tests.web.replays import random_match


def test_markup_becomes_runs_with_known_classes_only():
    text = Text.from_markup("a [bold red]b[/] [on grey35]c [dim]d[/dim][/] [link=http://x]e[/link] [blink]f[/blink]")
    assert runs(text) == ["a ", ["b", "bold ink-red"], " ", ["c ", "shade"], ["d", "dim shade"], " ", "e", " ", "f"]
    assert lines("[bold]x\ny[/bold]\n\nz") == [[["x", "bold"]], [["y", "bold"]], [], ["z"]]


@pytest.mark.parametrize("name", games())
def test_runs_say_the_same_as_the_terminal(name):
    game = find(name)
    state = game.start(game.configure(game.info.min_seats, {}), 1)
    shown = ["".join(run if isinstance(run, str) else run[0] for run in line) for line in lines(game.show(state))]
    assert "\n".join(shown) == Text.from_markup(game.show(state), emoji=False).plain


def test_a_module_is_inlined_by_exchanging_its_export():
    source = "const a = 1;\nfunction b() {}\nexport { a, b };\n"
    assert as_constant("x", source) == "const x = (() => {\nconst a = 1;\nfunction b() {}\nreturn { a, b };\n})();"


@pytest.mark.parametrize(
    "source", ["const a = 1;\n", 'import x from "y";\nexport { a };\n', "export default 1;\nexport { a };\n"]
)
def test_a_module_that_cannot_be_inlined_is_refused(source):
    with pytest.raises(ValueError, match="must import nothing and end in one line"):
        as_constant("viewer", source)


@pytest.mark.parametrize("text", ["x </script> y", "x </SCRIPT y", "<!-- x"])
def test_what_would_end_its_element_early_is_refused(text):
    with pytest.raises(ValueError, match="may not contain"):
        Assets(Delivery()).script("x.js", text)


def test_the_policy_allows_exactly_what_the_page_has():
    inlined, linked = Assets(Delivery()), Assets(Delivery(styles=str, scripts=str))
    for assets in (inlined, linked):
        assets.style("a.css", "b {}")
        assets.script("a.js", "1;")
        assets.script("a.js", "1;")
    assert "script-src 'self'; style-src 'self';" in linked.policy()
    assert inlined.policy().count("'sha256-") == 2
    assert "'self'" not in inlined.policy().replace("img-src 'self'", "")
    assert "connect-src" not in linked.policy()


def test_linked_pages_ask_only_for_files_that_exist():
    replay = read_replay(find("claim"), random_match("claim"))
    page = render(replace(replay_page(replay), replay_file="replay.bin"), SiteContext())
    files = site_files([find("claim")])
    asked = re.findall(r'="assets/([^"?]+)', page)
    assert set(asked) <= files.keys()
    assert {viewer_file(replay.viewer, "js"), "player.js", "watch.js"} <= files.keys()
    assert "<style" not in page
    assert page.count("<script") == page.count('src="assets/') == 3


@pytest.mark.slow
def test_the_pack_is_the_data_and_always_the_same_bytes():
    replay = read_replay(find("claim"), random_match("claim"))
    assert json.loads(gzip.decompress(replay.packed())) == json.loads(json.dumps(replay.data))
    assert replay.packed() == read_replay(find("claim"), random_match("claim")).packed()


@pytest.mark.slow
def test_a_view_alone_holds_nothing_of_the_others():
    record = random_match("assassins")
    alone, whole = (read_replay(find("assassins"), record, views) for views in (["0"], None))
    assert set(alone.data["positions"][5]) == {"0"}
    assert set(whole.data["positions"][5]) == {"all", "0", "1"}
    assert all("all" not in move and "1" not in move for move in alone.data["moves"])
    assert [move["0"] for move in alone.data["moves"]] == [move["0"] for move in whole.data["moves"]]


def test_banks_are_what_the_referees_clock_had():
    record = random_match("claim", clock="20s+0.1s")
    data = read_replay(find("claim"), record).data
    clocks = [Clock(record.spec.control) for _ in range(2)]
    for played, move in zip(record.played, data["moves"]):
        assert clocks[played.seat].charge(played.times.wall / 1e6)
        assert move["banks"] == [pytest.approx(clock.bank, abs=0.001) for clock in clocks]


def test_replies_of_several_moves_and_late_ones_are_charged_once():
    record = random_match("claim", clock="2s+1s")
    first, second, third = record.played[:3]
    played = (replace(first, times=Times(wall=550_000)), replace(second, times=NO_TIMES), third)
    late = Strike(third.seat, 2, Verdict(Ending.TIME, "late"))
    data = read_replay(find("claim"), replace(record, played=played, strikes=(late,))).data
    banks = [move["banks"] for move in data["moves"]]
    assert banks[0][first.seat] == 2.5
    assert banks[1] == banks[0]
    assert banks[2][third.seat] == 1.0  # all is spent, and the increment of the move is there
    assert data["moves"][2]["fault"] == "late"


def test_seats_of_the_same_bot_are_told_apart():
    replay = read_replay(find("claim"), random_match("claim", names=("twin", "twin")))
    assert replay.title == "twin (seat 0) – twin (seat 1)"


def test_long_names_are_cut():
    (player, _) = read_replay(find("claim"), random_match("claim", names=("x" * 5000, "y"))).players
    assert len(player.name) == 60


BROKEN = [
    lambda record: replace(record, verdicts=record.verdicts[:1]),
    lambda record: replace(record, outcome=replace(record.outcome, ranks=(1,))),
    lambda record: replace(record, outcome=replace(record.outcome, scores=(1.0, float("nan")))),
    lambda record: replace(record, played=(PlayedMove(7, record.played[0].move), *record.played[1:])),
    lambda record: replace(record, rules_version="0"),
    lambda record: replace(
        record,
        spec=replace(record.spec, contestants=(Contestant("a"),) * 3),
        verdicts=record.verdicts + record.verdicts[:1],
        outcome=replace(record.outcome, ranks=(1, 2, 2), scores=(1.0, 0.0, 0.0)),
    ),
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_record_that_is_not_sound_is_refused(broken):
    with pytest.raises(RecordError):
        read_replay(find("claim"), broken(random_match("claim")))


@pytest.mark.parametrize("name", games())
def test_every_viewer_can_be_inlined(name):
    viewer = find_viewer(find(name))
    assert re.search(r"return \{ scene, draw, say(, turns)? \};\n\}\)\(\);$", as_constant("viewer", viewer.script))
    assert f".game-{viewer.name}" in viewer.style


def test_a_match_whose_bots_were_not_fully_held_says_so():
    record = random_match("claim")
    reports = (SandboxReport("bubblewrap", {"cputime": "processes", "files": "namespace"}), SandboxReport("docker", {}))
    assert not any(name == "not fully enforced" for name, _ in read_replay(find("claim"), record).data["facts"])
    facts = dict(read_replay(find("claim"), replace(record, sandboxes=reports)).data["facts"])
    assert facts["not fully enforced"] == "bubblewrap (cputime: processes)"
