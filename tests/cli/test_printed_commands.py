"""Every command that messages, help pages and documentation name can be run, on one store that has been prepared.

A command is what begins with `arena` or `make` between backticks, or on a line of its own in an example. What stands
for something else in it, such as ID, is replaced by what the store has. What commands print is searched in turn.
"""

import ast
import re
import shlex
from pathlib import Path

import click
import pytest

from arena import registry
from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot
from arena.cli import main
from arena.sdk import Session
from tests.cli.test_help import PAGES
from tests.kits.contestants import arena, need_bubblewrap
from tests.kits.tournaments import InlineExecutor

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
QUOTED = re.compile(r"`((?:arena|make) [^`]*)`")
ALONE = re.compile(r"^(?:\$ | {2,})?((?:arena|make) [a-z-].*)$", re.MULTILINE)
BEHIND = re.compile(r"(?:\s+#|\s{2,}| && | \| | >+ ).*", re.DOTALL)
"""A comment, an explanation, or what a shell does with the output."""

MEANT = (
    (r"(?<=--db )\{name\}", "arena.db"),
    (r"(?<=--config )FILE|\{path\}", "test.toml"),
    (r"(?<=import )FILE", "cup.arena.gz"),
    (r"(?<=restore )FILE", "saved.tar"),
    (r"(?<=--contest )\{[\w.]+\}|(?<=contest check )\{folder\}", "my-cup"),
    (r"contest people list$", "contest people list --contest my-cup"),
    (r"\b(DIR|FOLDER)\b|\{folder\}", "my_bot"),
    (r"\{(game\.info\.name|info\.name|game|name)\}(?=`|$| )|\bGAME\b", "claim"),
    (r"NEW OLD", "greedy random"),
    (r"\{known\.name\}@\{known\.version\}|\{one\}|my_bot@2", "my_bot@1"),
    (r"\{(out|last|named)\}", "game.arena"),
    (r"my_policy\b(?!:)", "my_bot"),
    (r"site build my_bot", "site build public"),
    (r"\bCOMMAND\b", "match"),
    (r"--bot A --bot B", "--bot greedy --bot random"),
    (r"--lang (python|node)\\?\|.*", r"--lang \1"),
    (r"(?<=trust )KEY\b|\{kept\.signature\.key\}", "0123"),
)
"""What stands for something else, and what it is in the prepared store."""

PARSED_ONLY = {
    r"arena (match|play|submit|serve|test|tournament( --|$| resume))": "plays or serves; the journeys do it",
    r"arena bot (check|build|base|reproduce|new)": "starts bots; the journeys of contestants do it",
    r"arena contest (run|serve)": "works until it is stopped; the tests of the runner do it",
    r"arena contest (new|restore|people (add|erase))": "makes or asks something once; the tests of contests do it",
    r"arena (import|restore|keys)": "needs a file or key from elsewhere; the tests of archives and keys do it",
    r"arena tournament (add|exclude|close) ": "changes a tournament that is not finished; the tests of cups do it",
    r"arena .*(postgresql://|ray://|grpc://)": "needs a server; the tests of clusters and stores do it",
    r"arena (login|logout|.*--server) ": "needs a contest that is served; tests/cli/test_contest_api.py does it",
}
"""Commands of which only the words are looked at, with the reason."""


def in_source():
    """What the messages of the code name. Docstrings are not printed; those of commands are looked at as help pages."""
    for path in sorted((ROOT / "arena").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in set(ast.walk(tree)) - docstrings:
            if isinstance(node, ast.JoinedStr | ast.Constant):
                yield from ((found, f"{path.relative_to(ROOT)}:{node.lineno}") for found in quoted(text_of(node)))


def text_of(node):
    """The text of a string; an expression in an f-string stands in braces."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return f"{{{ast.unparse(node.value)}}}" if isinstance(node, ast.FormattedValue) else str(node.value)


def in_pages():
    for path in documents():
        text = path.read_text(encoding="utf-8")
        yield from ((found, str(path.relative_to(ROOT))) for found in (*quoted(text), *ALONE.findall(text)))
    for words, command in PAGES.items():
        text = command.help or ""
        yield from ((found, f"{words} --help") for found in (*quoted(text), *ALONE.findall(text)))


def quoted(text):
    return [" ".join(found.split()) for found in QUOTED.findall(text)]


def documents():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))
    for folder in ("docs", "sample_bots", "engines"):
        yield from sorted((ROOT / folder).rglob("*.md"))


def collected():
    """Every command, and where it stands first."""
    places = {}
    for text, place in (*in_source(), *in_pages()):
        places.setdefault(cleaned(text), place)
    return places


def cleaned(text):
    return BEHIND.sub("", text).strip()


def parse(words):
    """Read the words as the command line does, and do nothing; click's own error if it would refuse them."""
    context = main.make_context("arena", list(words))
    while isinstance(context.command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    return context


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A user's folder: a bot of their own, records, archives, a contest, and a store with seven tournaments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "arena.db"))
    need_bubblewrap()
    prepare()


def prepare():
    for roster in ("class.csv", "late.csv"):
        Path(roster).write_text("name,team\nbob,reds\ncarol,\n")
    quick = ("--clock", "none", "--sandbox", "process", "--rounds", "1")
    for words in (
        ("bot", "new", "my_bot", "--game", "claim"),
        ("submit", "my_bot", "--owner", "alice"),
        *(
            ("tournament", "--game", "claim", "--bots", "greedy,random,my_bot@1", "--seed", seed, *quick)
            for seed in range(6)
        ),
        ("tournament", "--game", "assassins", "--bots", "greedy,random", *quick),
        ("test", "greedy", "random", "--game", "claim", "--max-pairs", "2", "--clock", "none", "--sandbox", "process"),
        ("export", "1", "-o", "cup.arena.gz"),
        ("backup", "saved.tar"),
        ("contest", "new", "my-cup", "--game", "claim", "--roster", "class.csv"),
    ):
        result = arena(*words, make_executor=inline_executor)
        assert result.exit_code == 0, (words, result.output)
    match = some_match()
    for name in ("game.arena", "first.arena", "failed.arena"):
        assert arena("history", "my_bot", "--match", match, "--out", name).exit_code == 0
    for name, tournament in (("cup.toml", 1), ("test.toml", 8)):
        Path(name).write_text(arena("tournament", "show-config", tournament).stdout)


def inline_executor(plan, *, concurrency, on_event, spectator=None):
    """Stands for the executor of this machine: the bots are random players inside of this process."""
    game = registry.find(plan.game)

    def make_bot(number):
        return LocalBot(plan.bots[number].contestant, lambda: Session(game, RandomBot(number)).handle)

    return InlineExecutor(
        game, make_bot, tournament=plan.tournament, bot_ids=plan.bot_ids, concurrency=concurrency, fresh=plan.fresh
    )


def some_match():
    return re.search(r"\b[0-9a-f]{8,}\b", arena("history", "my_bot").output)[0]


def meant(command):
    """The words that a user of the prepared store types."""
    for pattern, value in MEANT:
        command = re.sub(pattern, value, command)
    command = re.sub(r"\b(MATCH_ID|e91e5353)\b|(?<=replay show )ID|(?<=--match )ID", some_match(), command)
    command = re.sub(r"\bBOT\b", "my_bot", re.sub(r"\b(ID|N)\b|\{([\w.]*id|number)\}", "1", command))
    return shlex.split(command)[1:]


def run(command):
    """Run the command, or look at its words if it is listed so; what it printed, and what is wrong."""
    if command in PAGES:  # only its name, which may need more words than these
        return arena(*command.split()[1:], "--help").output, None
    words = meant(command)
    if any(re.match(pattern, command) for pattern in PARSED_ONLY):
        try:
            parse(words)
        except click.exceptions.Exit:
            return "", None
        except click.ClickException as error:
            return "", error.format_message()
        return "", None
    result = arena(*words)
    return result.output, None if result.exit_code == 0 else result.output


@pytest.mark.timeout(900)
def test_every_command_that_is_printed_runs(prepared):
    waiting = {command: place for command, place in collected().items() if command.startswith("arena ")}
    assert len(waiting) > 150
    done, wrong = set(), {}
    while waiting.keys() - done:
        command = min(waiting.keys() - done)
        done.add(command)
        printed, error = run(command)
        for found in map(cleaned, quoted(printed)):
            waiting.setdefault(found, f"the output of {command}")
        if error:
            wrong[command] = (waiting[command], error)
    assert wrong == {}


def test_every_target_that_is_named_is_one_of_make():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {word for command in collected() if command.startswith("make ") for word in command.split()[1:2]}
    assert named - {"-C"} <= targets
