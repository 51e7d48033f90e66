"""The bots of a store: registered, put onto the ladder, retired."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from arena.errors import UsageError
from arena.store.base import BotEntry
from arena.store.bot_files import Origins
from arena.store.checksums import bot_checksum
from arena.store.database import exclusive, writing
from arena.store.schema import as_utc, bots


class Bots:
    """The part of a store that keeps bots."""

    _database: Engine
    _origins: Origins

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str],
        tried: bool = False,
    ) -> BotEntry:  # fmt: skip
        """Register a version of a bot; UsageError if another bot has that name and version.

        Without an origin its files are not here; registering the same files again later says where they are. One that
        is only tried out stays off the ladder.
        """
        now = datetime.now(UTC)
        entry = BotEntry(0, name, version, owner, digest, origin, tuple(games), retired=False, created=now)
        kept = self._origins.to_origin(origin)
        values: dict[str, Any] = {"name": name, "version": version, "owner": owner, "digest": digest, "origin": kept}
        same = and_(bots.c.name == name, bots.c.version == version)
        try:
            with exclusive(self._database) as connection:
                absent = and_(same, bots.c.digest == digest, bots.c.origin == "")
                if not connection.execute(update(bots).where(absent).values(origin=kept)).rowcount:
                    number = 0 if tried else _next_on_ladder(connection)
                    values |= {"checksum": bot_checksum(entry), "ladder_number": number}
                    connection.execute(insert(bots).values(**values, games=list(games), retired=False))
        except IntegrityError:
            pass
        known = self._bots(select(bots).where(same))[0]
        if (known.checksum, known.origin) != (bot_checksum(entry), origin):
            raise UsageError(f"there is a bot {name} {version} already: give this one another version")
        return known

    def promote_bot(self, bot_id: int, *, owner: str, origin: str, games: Sequence[str]) -> BotEntry:
        """Put a version that was only tried out onto the ladder, as the newest one, with its owner and its files."""
        own = bots.c.id == bot_id
        with exclusive(self._database) as connection:
            entry = replace(_bot(connection.execute(select(bots).where(own)).one()), owner=owner, games=tuple(games))
            kept = self._origins.to_origin(origin)
            values = {"owner": owner, "origin": kept, "games": list(games), "checksum": bot_checksum(entry)}
            number = entry.ladder_number or _next_on_ladder(connection)
            connection.execute(update(bots).where(own).values(**values, ladder_number=number))
        return self._bots(select(bots).where(own))[0]

    def move_bot(self, bot_id: int, origin: str) -> BotEntry:
        """Note that the same files are run from elsewhere now."""
        with writing(self._database) as connection:
            kept = self._origins.to_origin(origin)
            connection.execute(update(bots).where(bots.c.id == bot_id).values(origin=kept))
        return self._bots(select(bots).where(bots.c.id == bot_id))[0]

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        return self._bots(select(bots).where(bots.c.name == name).order_by(bots.c.id))

    def all_bots(self) -> list[BotEntry]:
        """Every version of every bot, the oldest first."""
        return self._bots(select(bots).order_by(bots.c.id))

    def retire_bot(self, name: str, version: str | None = None, *, retired: bool = True) -> None:
        """Keep a bot, or one version of it, out of tournaments to come, or let it in again; UsageError if unknown."""
        chosen = bots.c.name == name if version is None else and_(bots.c.name == name, bots.c.version == version)
        with writing(self._database) as connection:
            if not connection.execute(update(bots).where(chosen).values(retired=retired)).rowcount:
                text = name if version is None else f"{name}@{version}"
                raise UsageError(f"there is no bot {text!r}: `arena bots list --all` shows those that there are")

    def _bots(self, query: Select[Any]) -> list[BotEntry]:
        with self._database.connect() as connection:
            found = [_bot(row) for row in connection.execute(query)]
        return [replace(bot, origin=self._origins.to_path(bot.origin, bot.digest)) for bot in found]


def _next_on_ladder(connection: Connection) -> int:
    return (connection.execute(select(func.max(bots.c.ladder_number))).scalar() or 0) + 1


def _bot(row: Row[Any]) -> BotEntry:
    return BotEntry(
        row.id, row.name, row.version, row.owner, row.digest, row.origin, tuple(row.games), bool(row.retired),
        as_utc(row.created_at), row.checksum, row.ladder_number,
    )  # fmt: skip
