"""`arena keys`: whose signed tournaments count here."""

import click
from platformdirs import user_config_path

from arena.cli.groups import CommandGroup
from arena.cli.options import json_option
from arena.cli.output import echo, print_json, warn
from arena.tournaments.keyring import Keyring
from arena.tournaments.signing import PrivateKey


def open_keyring() -> Keyring:
    """The keys in the user's configuration folder."""
    return Keyring(user_config_path("arena"))


def own_key() -> PrivateKey:
    """The key with which the user signs, made at first use."""
    keyring = open_keyring()
    if (key := keyring.own()) is not None:
        return key
    key = keyring.make_own()
    warn(f"a new key is made, with which you sign: {keyring.own_path}; give that file to nobody")
    return key


@click.group(cls=CommandGroup)
def keys() -> None:
    """See and choose whose signed tournaments count here.

    `arena export ID --sign` signs a tournament with your key and prints its public part. For those who trust that key
    what you sign counts for the ladder: `arena import` then needs no --rated.

    \b
    arena keys list
    arena keys trust ed25519:4f0c… prof-lee
    arena keys distrust prof-lee
    """


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List your own public key and those that you trust, with their names.

    What you signed yourself is trusted, too. The list and your private key are files in your configuration folder.
    --json prints own, which is null if you have none, and trusted, with key and name of each.
    """
    keyring = open_keyring()
    own = keyring.own()
    if as_json:
        trusted = [{"key": key, "name": name} for key, name in keyring.trusted().items()]
        print_json({"own": own.public if own else None, "trusted": trusted})
        return
    echo(f"{own.public} you" if own else "you have no key yet: `arena export ID --sign` makes one")
    for key, name in keyring.trusted().items():
        echo(f"{key} {name}")


@keys.command()
@click.argument("key")
@click.argument("name")
def trust(key: str, name: str) -> None:
    """Let tournaments that are signed with KEY count here, as if they had been played here.

    KEY is what `arena export ID --sign` printed for its owner; get it from them and not from whoever brings the file.
    NAME is what you call them. A signature proves who vouches for a tournament; that they played it is still only
    their word.
    """
    open_keyring().trust(key, name)
    echo(f"what {name} signs counts here from the next `arena import` on")


@keys.command()
@click.argument("key", metavar="KEY|NAME")
def distrust(key: str) -> None:
    """Trust a key no longer.

    What was imported before stays as it is.
    """
    for name in open_keyring().distrust(key):
        echo(f"what {name} signs no longer counts here, unless it was imported before")
