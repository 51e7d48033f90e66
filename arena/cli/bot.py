"""`arena bot`: what a contestant needs, from the first line of code to the image."""

from collections.abc import Iterator
from pathlib import Path

import click

from arena import registry
from arena.bots.manifest import read_manifest
from arena.cli.base_images import base
from arena.cli.build_progress import build_status
from arena.cli.check import check
from arena.cli.groups import CommandGroup
from arena.cli.reproduce import reproduce
from arena.contestant import scaffold
from arena.errors import UsageError
from arena.intake.receiving import build_in_place
from arena.sandboxes.docker import image_builds


@click.group(cls=CommandGroup)
def bot() -> None:
    """Write a bot: start one, check it, debug it, build its image."""


@bot.command()
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--game", "game_name", required=True, metavar="GAME", help="The game that it shall play.")
@click.option(
    "--lang", "language", type=click.Choice(list(scaffold.TEMPLATES)), default="python", show_default=True,
    help="The language that it is written in.",
)  # fmt: skip
@click.option("--from", "sample", metavar="BOT", help="Begin with a copy of this sample bot: greedy, policy or search.")
def new(folder: Path, game_name: str, language: str, sample: str | None) -> None:
    """Make a folder NAME with a working bot in it.

    \b
    arena bot new my_bot --game claim
    arena bot new my_bot --game claim --lang cpp
    arena bot new my_bot --game claim --from search
    arena match --game claim --bot my_bot --bot random
    """
    registry.find(game_name)
    if sample and language != "python":
        raise UsageError("--from copies a Python bot: leave out --lang")
    template = scaffold.sample_template(sample, game_name) if sample else scaffold.TEMPLATES[language]
    scaffold.create(folder, game_name, template)
    if template.prepare:
        click.echo(f"fetching its libraries with {template.prepare[0]} …")
        with build_status(f"{template.prepare[0]} is at work"):
            scaffold.prepare(folder, template)
    kind, plays = (f"copy of {sample}", "") if sample else (f"{language} bot", " that plays any legal move")
    click.echo(f"{folder}: a {kind} for {game_name}{plays}. Next:")
    for step, why in _next_steps(folder, game_name, template):
        click.echo(f"  {step}    # {why}")


def _next_steps(folder: Path, game_name: str, template: scaffold.Template) -> Iterator[tuple[str, str]]:
    """What to type after a bot was made, each with its reason."""
    if missing := template.missing():
        yield f"apt install {' '.join(missing)}", "as root: what this machine lacks to build it"
    if template.tools:
        yield f"make -C {folder}", "builds it, now and after every change"
    yield f"arena match --game {game_name} --bot {folder} --bot random", "it plays already"
    yield f"{folder / template.source}", "make it better; README.md beside it says what it gets"
    yield f"arena rules {game_name}", "how the game is played"
    yield f"arena docs {game_name}", "what a bot sees of it, and how each move is made"
    yield f"arena bot check {folder} --game {game_name}", "before you submit it"


@bot.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--tag", metavar="NAME", help="The name of the image; made of the bot's name and version if not given.")
@click.option("--no-image", is_flag=True, help="Build the folder itself, by the `build` command of its bot.toml.")
def build(folder: Path, tag: str | None, no_image: bool) -> None:
    """Build the bot in DIR: its image from its Dockerfile, or the folder itself.

    The image is built by docker, within 10 minutes. That is no sandbox: what RUN starts has no network, but FROM, ADD
    and COPY --from may use the network and every image of this machine, so build only your own Dockerfiles.

    With --no-image its `build` command runs in the sandbox, without network, on a copy of DIR, and the files that it
    makes or changes are put into DIR.

    \b
    arena bot build my_bot
    arena bot build my_bot --no-image
    """
    manifest = read_manifest(folder)
    if no_image and not manifest.build:
        raise UsageError(f"{folder} needs no build: its bot.toml has no `build` command")
    if no_image:
        with build_status(f"building {folder} with `{' '.join(manifest.build)}`"):
            changed = build_in_place(folder)
        click.echo(f"{folder}: `{' '.join(manifest.build)}` made or changed {changed} files")
        return
    if not (folder / "Dockerfile").is_file():
        by_hand = f"; `arena bot build {folder} --no-image` runs its build command" if manifest.build else ""
        raise UsageError(f"{folder} has no Dockerfile: `arena bot new` writes one; a folder needs no image{by_hand}")
    tag = tag or f"arena-bot/{manifest.name.lower()}:{manifest.version}"
    with build_status(f"building {tag}") as report:
        image = image_builds.build(folder, tag=tag, report=report)
    click.echo(
        f"{tag}: {image.size_bytes / 2**20:.0f} MiB, {image.digest}\n"
        f"  arena match --game {manifest.games[0]} --bot {tag} --bot random"
    )


bot.add_command(base)
bot.add_command(check)
bot.add_command(reproduce)
