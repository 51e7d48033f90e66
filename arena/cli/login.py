"""`arena login` and `arena logout`: the token of a contest on this machine."""

import sys

import click

from arena.cli.output import echo
from arena.cli.server_client import Server, Tokens, checked_url
from arena.errors import UsageError


@click.command()
@click.argument("url", metavar="URL")
def login(url: str) -> None:
    """Keep your token for the contest at URL.

    Commands with `--server URL` use it. It is on the card that the organiser gave you. It is asked for, and not shown
    while you type; a program can write it to standard input instead. It is kept in your configuration folder in a file
    that only you can read.

    \b
    arena login https://cup.example
    """
    address = checked_url(url)
    token = (click.prompt("token", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError("that is not a token: it begins with `arena-`, and is on your card")
    person = Server(address, token).ask("/me")
    Tokens().keep(address, token)
    echo(f"you are {person['name']} of team {person['team']} at {address}\n  arena submit my_bot --server {address}")


@click.command()
@click.argument("url", metavar="URL")
def logout(url: str) -> None:
    """Forget your token for the contest at URL.

    Only this machine forgets it: an organiser can give you another one, which makes this one worthless.
    """
    address = checked_url(url)
    if Tokens().find(address) is None:
        raise UsageError(f"there is no token for {address} here")
    Tokens().keep(address, None)
    echo(f"the token for {address} is forgotten here; the organiser can make it worthless everywhere")
