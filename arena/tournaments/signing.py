"""Signatures by Ed25519, with which somebody vouches for a tournament; the package behind them is an extra."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.distribution import install_hint
from arena.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SCHEME = "ed25519:"
_KEY = re.compile(rf"{_SCHEME}[0-9a-f]{{64}}")
_VALUE = re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a key says about a text; nothing is proved by it before `fits` was asked."""

    key: str
    """The public key, as people pass it on."""
    value: str

    def __post_init__(self) -> None:
        checked_key(self.key)
        if not isinstance(self.value, str) or not _VALUE.fullmatch(self.value):
            raise UsageError(f"{self.value!r:.40} is not a valid signature")

    def fits(self, text: bytes) -> bool:
        """Whether the owner of the key has signed this very text."""
        need_library()
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  (an extra)
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

        try:
            public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key.removeprefix(_SCHEME)))
            public.verify(bytes.fromhex(self.value), text)
        except (InvalidSignature, ValueError):
            return False
        return True


class PrivateKey:
    """The key of whoever signs; it is shown nowhere."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key

    @classmethod
    def generate(cls) -> "PrivateKey":
        need_library()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  (an extra)

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, pem: bytes) -> "PrivateKey | None":
        """The key in a file's content, if it is one."""
        need_library()
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  (an extra)
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            return None
        return cls(key) if isinstance(key, Ed25519PrivateKey) else None

    def to_pem(self) -> bytes:
        """The key as its owner's file keeps it."""
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  (an extra)

        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    @property
    def public(self) -> str:
        """The public key, which others need to recognise its signatures."""
        return _SCHEME + self._key.public_key().public_bytes_raw().hex()

    def sign(self, text: bytes) -> Signature:
        return Signature(self.public, self._key.sign(text).hex())


def checked_key(value: object) -> str:
    """The value, if it can be a public key."""
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        raise UsageError(f"{value!r:.80} is not a valid public key, which is {_SCHEME} with 64 digits from 0 to f")
    return value


def need_library() -> None:
    """UsageError with the command that installs it if the extra is missing."""
    try:
        import cryptography  # noqa: F401, PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise UsageError(f"signatures need the package cryptography: {install_hint('signing')}") from error
