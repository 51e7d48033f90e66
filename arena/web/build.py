"""A site as a folder of plain files: relative links only, so that it works under any path and without a server."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.errors import UsageError
from arena.store.base import ListedMatch
from arena.web.links import ASSETS, file_of
from arena.web.pages.match import MatchFilter, embed_page, matches_page
from arena.web.pages.views import match_name
from arena.web.rendering import OutputMode, Page, SiteContext, render, site_files
from arena.web.site import LONG, Site

MARK = ".arena-site"
"""Lists the pages that we wrote into a folder, and says that we may do so again."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was written."""

    files: int
    matches: int
    left_out: bool
    """Whether there are older matches that have no page."""


def build_site(site: Site, folder: Path, *, matches: int) -> Built:
    """Write all pages, with those of the latest matches, into a folder that is new, empty, or such a site already."""
    _prepare(folder)
    listed = _latest(site, matches + 1)
    shown, left_out = listed[:matches], len(listed) > matches
    watched = [*shown, *_imported(site, matches)]
    names = {match_name(match.entry.tournament_id, match.entry.match_id) for match in watched}

    def has(kind: str, name: object) -> bool:
        return kind not in ("match", "embed") or name in names

    around = SiteContext(site.title, OutputMode.FOLDER, has)
    written = []
    for page in _pages(site, shown, names):
        _write(folder / page.path, render(page, around))
        written.append(page.path)
    for name, text in site_files(site.games.values()).items():
        _write(folder / ASSETS / name, text)
    _forget(folder, set(written))
    return Built(len(written), len(names), left_out)


def _pages(site: Site, shown: list[ListedMatch], names: set[str]) -> Iterator[Page]:
    yield from (site.page(*address) for address in site.addresses())
    yield from _lists(site, shown)
    for name in sorted(names):
        page = site.page("match", name)
        yield page
        if page.replay is not None:
            # The positions are worked out once for both.
            yield embed_page(name, page)


def _lists(site: Site, shown: list[ListedMatch]) -> Iterator[Page]:
    """The list of matches in files of so many each, from the newest to the oldest."""
    pieces = [shown[start : start + LONG] for start in range(0, len(shown), LONG)] or [[]]
    paths = [file_of("matches"), *(f"matches-{number}.html" for number in range(2, len(pieces) + 1)), ""]
    infos = list(site.infos.values())
    for number, piece in enumerate(pieces):
        newer = paths[number - 1] if number else ""
        yield matches_page(
            paths[number], site.views_of(piece), infos, MatchFilter(), older=paths[number + 1], newer=newer
        )


def _imported(site: Site, count: int) -> list[ListedMatch]:
    """The latest matches of tournaments that are in no list but their own."""
    found: list[ListedMatch] = []
    for tournament in reversed(site.store.tournaments()):
        if tournament.apart and len(found) < count:
            found += _latest(site, count - len(found), tournament.id)
    return found


def _latest(site: Site, count: int, tournament: int | None = None) -> list[ListedMatch]:
    found: list[ListedMatch] = []
    while len(found) < count:
        piece = site.store.latest_matches(
            before=found[-1].number if found else None, limit=min(500, count - len(found)), tournament_id=tournament
        )
        if not piece:
            break
        found += piece
    return found


def _prepare(folder: Path) -> None:
    try:
        if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
            raise UsageError(f"{folder} has files that are not a site of Arena's: name a new or an empty folder")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch()
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be used: {error.strerror}") from error


def _forget(folder: Path, written: set[str]) -> None:
    """Remove the pages of an older site that the new one does not have, and note what there is now."""
    mark = folder / MARK
    for path in set(mark.read_text(encoding="utf-8").splitlines()) - written:
        # The list could have been changed: nothing outside of the folder is touched.
        if (folder / path).resolve().is_relative_to(folder.resolve()) and path.endswith(".html"):
            (folder / path).unlink(missing_ok=True)
    _write(mark, "".join(f"{path}\n" for path in sorted(written)))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
