"""`arena completion`: what a shell needs to complete the commands."""

import click
from click.shell_completion import get_completion_class

from arena.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script by which SHELL completes commands and options.

    \b
    arena completion bash >> ~/.bashrc
    arena completion zsh >> ~/.zshrc
    arena completion fish > ~/.config/fish/completions/arena.fish
    """
    maker = get_completion_class(shell)
    if maker is None:
        raise UsageError(f"this version of click has no completion for {shell}")
    # The variable by which the script asks for words is the one that click looks for when it runs `arena`.
    program = click.get_current_context().find_root().command
    click.echo(maker(program, {}, "arena", "_ARENA_COMPLETE").source())
