"""The page of the command line, made from the commands as click knows them."""

import inspect
from collections.abc import Iterator

import click

from arena.contestant.markdown import code, joined, plain, table
from tools.docs.markdown import anchor


def cli_page() -> str:
    """Every command with its help, as click knows it."""
    from arena.cli import main  # noqa: PLC0415  (the other pages need not load it)

    page = ["# The command line", "Made from the commands themselves; `arena COMMAND --help` prints the same."]
    for command, context in _commands(main, click.Context(main, info_name="arena", **main.context_settings)):
        page += _command(command, context)
    return joined(page)


def _commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below and not below.hidden:
                yield from _commands(below, click.Context(below, info_name=name, parent=context))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}"
    yield from _click_paragraphs(command.help or "")
    yield code(f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}")
    params = (param for param in command.params if isinstance(param, click.Option))  # all but --help
    records = filter(None, (param.get_help_record(context) for param in params))
    yield table(("option", "what it does"), [(f"`{names}`", plain(text)) for names, text in records])
    yield table(("command", "what it does"), list(_below(command, context)))


def _below(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The commands of a group, each with its first sentence."""
    for below, inner in _commands(command, context):
        if inner.parent is context:
            sentence = below.get_short_help_str(limit=1000)
            yield f"[`{inner.info_name}`](#{anchor(inner.command_path)})", plain(sentence)


def _click_paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help page; those after a \\b keep their lines."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        first, _, rest = paragraph.partition("\n")
        yield code(inspect.cleandoc(rest)) if first.strip() == "\b" else plain(paragraph)
