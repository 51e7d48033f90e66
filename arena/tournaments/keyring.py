"""The keys in a user's folder: their own, with which they sign, and those of others whom they trust."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from arena.bots.manifest import checked_name
from arena.errors import UsageError
from arena.tournaments.signing import PrivateKey, checked_key

OWN_NAME = "you"
"""Who signs with the own key; nobody else is called so."""


class Keyring:
    """The two files with keys: a private one in PEM, and a list with a public key and a name on every line."""

    def __init__(self, folder: Path) -> None:
        self.own_path = folder / "signing-key.pem"
        self._trusted_path = folder / "trusted-keys"

    def own(self) -> PrivateKey | None:
        """The key with which the user signs, if there is one."""
        with _map_file_errors(self.own_path):
            pem = self.own_path.read_bytes() if self.own_path.exists() else None
        return None if pem is None else self._read(pem)

    def make_own(self) -> PrivateKey:
        """Make the user's key; if somebody else made it meanwhile, it is that one."""
        key = PrivateKey.generate()
        with _map_file_errors(self.own_path), _written(self.own_path, key.to_pem()) as new:
            try:
                os.link(new, self.own_path)  # which, unlike a renamed file, replaces none
            except FileExistsError:
                return self._read(self.own_path.read_bytes())
        return key

    def _read(self, pem: bytes) -> PrivateKey:
        key = PrivateKey.from_pem(pem)
        if key is None:
            raise UsageError(f"{self.own_path} is not a private key of Ed25519 without a password: move it away")
        return key

    def trusted(self) -> dict[str, str]:
        """The names of those whom the user trusts, by their keys."""
        with _map_file_errors(self._trusted_path):
            lines = self._trusted_path.read_text("utf-8").splitlines() if self._trusted_path.exists() else []
        try:
            return dict(_trusted(line) for line in lines if line.strip())
        except UsageError as error:
            raise UsageError(f"{self._trusted_path} cannot be used: {error}") from error

    def trust(self, key: str, name: str) -> None:
        """Trust a key, under a name by which the user knows its owner."""
        known = self.trusted()
        if checked_name(name, "the name of a key").casefold() == OWN_NAME:
            raise UsageError(f"{name!r} stands for your own key, which is trusted anyway")
        if any(name.casefold() == other.casefold() and key != theirs for theirs, other in known.items()):
            raise UsageError(f"{name} is the name of another key: `arena keys distrust {name}` drops that one")
        self._keep({**known, checked_key(key): name})

    def distrust(self, word: str) -> list[str]:
        """Trust a key no longer, which is given by itself or by its name; the names that it had."""
        known = self.trusted()
        dropped = {key: name for key, name in known.items() if word in (key, name)}
        if not dropped:
            raise UsageError(f"you trust no key {word!r:.80}: `arena keys list` shows those that you trust")
        self._keep({key: name for key, name in known.items() if key not in dropped})
        return list(dropped.values())

    def signer(self, key: str) -> str | None:
        """Who has signed with this key, if it is somebody whom the user trusts."""
        own = self.own()
        return OWN_NAME if own is not None and own.public == key else self.trusted().get(key)

    def _keep(self, trusted: Mapping[str, str]) -> None:
        text = "".join(f"{key} {name}\n" for key, name in trusted.items())
        with _map_file_errors(self._trusted_path), _written(self._trusted_path, text.encode()) as new:
            os.replace(new, self._trusted_path)


def _trusted(line: str) -> tuple[str, str]:
    key, _, name = line.strip().partition(" ")
    return checked_key(key), checked_name(name.strip(), "the name of a key")


@contextmanager
def _written(path: Path, content: bytes) -> Iterator[str]:
    """A whole file beside this one, which nobody else may read, for as long as it takes to put it in its place."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield new
    finally:
        Path(new).unlink(missing_ok=True)


@contextmanager
def _map_file_errors(path: Path) -> Iterator[None]:
    """Turn what is wrong with a file of keys into a UsageError that names it."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be used: it is not text") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be used: {error.strerror}") from error
