"""How a page gets its styles and scripts: linked as files, or inlined under the hashes of a strict content policy."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from markupsafe import Markup

Address = Callable[[str], str]
"""Where a page finds the asset of this name."""

_EXPORTS = re.compile(r"^export \{ ([\w, ]+) \};\s*\Z", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*(import\b|export (?!\{))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where styles and scripts come from: linked from an address each, or inlined where there is none.

    From a folder without a server only inline modules load, while linked styles work everywhere.
    """

    styles: Address | None = None
    scripts: Address | None = None


INLINED = Delivery()
"""Everything is in the page itself: one file."""


@dataclass(slots=True)
class Assets:
    """The tags of one page's styles and scripts, and the content policy that allows exactly these."""

    delivery: Delivery
    _styles: list[str] = field(default_factory=list)
    _scripts: list[str] = field(default_factory=list)

    def style(self, name: str, text: str) -> Markup:
        if self.delivery.styles:
            self._styles.append("'self'")
            return Markup('<link rel="stylesheet" href="{}">').format(self.delivery.styles(name))
        self._styles.append(_hash(text))
        return Markup("<style>{}</style>").format(_raw(text, "</style"))

    def script(self, name: str, text: str) -> Markup:
        """The tag of a classic script, which runs before the page is drawn."""
        if self.delivery.scripts:
            self._scripts.append("'self'")
            return Markup('<script src="{}"></script>').format(self.delivery.scripts(name))
        self._scripts.append(_hash(text))
        return Markup("<script>{}</script>").format(_raw(text, "</script"))

    def module(self, name: str, sources: Mapping[str, str], last: str) -> Markup:
        """The tag of the module of this name; inlined it is these modules, each as a constant, and a last statement."""
        if self.delivery.scripts:
            self._scripts.append("'self'")
            return Markup('<script type="module" src="{}"></script>').format(self.delivery.scripts(name))
        text = "\n".join((*(as_constant(key, source) for key, source in sources.items()), last))
        self._scripts.append(_hash(text))
        return Markup('<script type="module">{}</script>').format(_raw(text, "</script"))

    def policy(self) -> str:
        """The Content-Security-Policy of the page, for a meta tag."""
        parts = [
            "default-src 'none'",
            f"script-src {_sources(self._scripts)}",
            f"style-src {_sources(self._styles)}",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
        return "; ".join(parts)


def as_constant(name: str, source: str) -> str:
    """A module without imports as a constant of this name that holds its exports, for a page with one inline module."""
    exports = _EXPORTS.search(source)
    if not exports or _IMPORTS.search(source):
        raise ValueError(f"the module {name} must import nothing and end in one line `export {{ … }};`")
    body = source[: exports.start()]
    return f"const {name} = (() => {{\n{body}return {{ {exports[1]} }};\n}})();"


@cache
def static(name: str) -> str:
    """One of our own files for browsers."""
    return resources.files("arena.web").joinpath("static", name).read_text("utf-8")


def _sources(sources: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(sources)) or "'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _raw(text: str, end: str) -> Markup:
    """The text as it is; it must not end its element early, nor hide what comes after it."""
    if end in text.lower() or "<!--" in text:
        raise ValueError(f"what is inlined may not contain {end!r} or '<!--'")
    return Markup(text)  # noqa: S704  (our own files and those of installed games, checked above)
