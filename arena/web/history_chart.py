"""The course of a bot's ratings as a drawing, the same on the page of a bot and in `arena history --html`."""

from collections.abc import Sequence

from markupsafe import Markup

from arena.standings.history import History
from arena.store.base import BotEntry
from arena.web import charts, formats


def history_chart(history: History, versions: Sequence[BotEntry], bot: BotEntry) -> Markup | None:
    """The ratings of a bot's versions over the matches of the game; nothing if there are too few for a curve."""
    courses = {version: history.get(version.id, ()) for version in versions}
    lines = [
        charts.Line(
            formats.version(version.version),
            [(at, charts.Interval("", mu - 2 * sigma, mu, mu + 2 * sigma)) for at, mu, sigma in points],
            earlier=version.id != bot.id,
        )
        for version, points in courses.items()
        if len(points) > 1
    ]
    if not lines:
        return None
    matches = max(points[-1].matches for points in courses.values() if points)
    return charts.lines(lines, matches, "Rating over the matches of the game", f"{matches:,} matches")
