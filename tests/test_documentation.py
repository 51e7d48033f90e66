"""The pages of the documentation: their links lead somewhere, and those that are generated leave nothing out."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arena.sdk
from arena.cli.main import COMMANDS, main
from tools.docs.api import api_page
from tools.docs.cli import cli_page
from tools.docs.markdown import anchor, anchors, links
from tools.docs.protocol import PROTOS, protocol_page, read_proto
from tools.docs.site_links import OUTSIDE, moved_links

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("engines/*/RULES.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def headings(text):
    return set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def test_the_readme_is_short():
    assert len(text_of("README.md").splitlines()) <= 130


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    for path, section in links(text_of(name)):
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), path
        if section:
            assert section in anchors(target.read_text(encoding="utf-8")), f"{path}#{section}"


@pytest.mark.parametrize("name", NAMES)
def test_every_program_of_ours_that_is_named_is_there(name):
    for module in re.findall(r"python -m ((?:arena|bench|tests|tools)\b[\w.]*)", text_of(name)):
        assert importlib.util.find_spec(module.rstrip(".")), module


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("docs/")])
def test_a_page_begins_with_what_it_is_about(name):
    """`arena docs` lists the first line of each."""
    assert re.match(r"# \w.{5,70}\n\n", text_of(name))


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("What a verdict means", "what-a-verdict-means"),
        ('How certain "95 % certain" is', "how-certain-95--certain-is"),
        ("Listing the moves of `rrr`", "listing-the-moves-of-rrr"),
        ("bot.toml", "bottoml"),
        ("arena show-config", "arena-show-config"),
    ],
)
def test_headings_have_the_names_that_github_gives_them(heading, name):
    assert anchor(heading) == name


def test_links_in_code_are_none():
    assert list(links("[a](b.md#c) [d](#e) [f](https://example.org)\n```\n[g](h.md)\n```\n")) == [
        ("b.md", "c"),
        ("", "e"),
    ]


@pytest.mark.parametrize(
    ("place", "here", "markdown", "moved"),
    [
        ("README.md", "index.md", "[a](docs/bots.md#as-an-image)", "[a](bots.md#as-an-image)"),
        ("README.md", "index.md", "![a](docs/pictures/home.png)", "![a](pictures/home.png)"),
        ("docs/faq.md", "faq.md", "[a](../SECURITY.md)", "[a](security.md)"),
        ("docs/faq.md", "faq.md", "[a](../proto/arena/wire/v1/rules.proto)", "[a](reference/protocol.md)"),
        ("docs/faq.md", "faq.md", "[search_go](../sample_bots/search_go)", "`sample_bots/search_go`"),
        ("docs/faq.md", "faq.md", "[the kit](../arena/testing)", "the kit (`arena/testing`)"),
        ("engines/claim/RULES.md", "rules/claim.md", "[a](../../docs/faq.md)", "[a](../faq.md)"),
        ("docs/faq.md", "faq.md", "[a](#b) [c](https://example.org)", "[a](#b) [c](https://example.org)"),
        ("docs/faq.md", "faq.md", "[a](../nothing.md)", "[a](../nothing.md)"),
    ],
)
def test_links_are_right_on_the_site_too(place, here, markdown, moved):
    assert moved_links(markdown, place, here) == moved


def test_the_site_has_the_rules_of_every_game():
    assert {name for name in NAMES if name.startswith("engines/")} <= set(OUTSIDE)


def test_the_reference_names_every_command():
    found = headings(cli_page())
    assert {f"arena {name}" for name in COMMANDS} <= found
    for name in COMMANDS:
        group = main.get_command(None, name)
        assert {f"arena {name} {below}" for below in getattr(group, "commands", ())} <= found


def test_the_reference_names_every_message_and_field():
    page = protocol_page()
    for path in PROTOS.rglob("*.proto"):
        file = importlib.import_module(f"arena.wire.v1.{path.stem}_pb2").DESCRIPTOR
        for message in file.message_types_by_name.values():
            section = page.partition(f"\n### {message.name}\n")[2].partition("\n##")[0]
            assert section, message.name
            assert [field.name for field in message.fields if not re.search(rf"`(… )?{field.name}`", section)] == []
        assert {*file.enum_types_by_name, *file.services_by_name} <= headings(page)


def test_a_line_that_is_not_understood_is_not_left_out():
    with pytest.raises(ValueError, match="extend"):
        read_proto("message A {\n  extend B;\n}\n")


def test_the_reference_names_what_a_bot_imports():
    assert set(arena.sdk.__all__) <= headings(api_page())


def test_the_reference_has_the_public_functions_once_with_their_types():
    page = api_page()
    for name in arena.__all__:
        assert page.count(f"\n### {name}\n") == 1
    assert "games() -> Mapping[str, AnyGame]" in page
    assert "    bots: Sequence[BotLike],\n" in page
    assert ") -> Match\n" in page
    assert ") -> DataFrame | Rows\n" in page


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_asks_no_other_host(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len(PAGES)
    for page in pages:
        loaded = re.findall(
            r'<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"', page.read_text(encoding="utf-8")
        )
        assert [address for address in loaded if re.match(r"[a-z]+:|//", address)] == [], page.name
