"""Stores as earlier versions left them: made by the migrations up to a revision, filled by plain SQL."""

import json

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from arena.store.database import MIGRATIONS

BOT = (
    "INSERT INTO bots (id, name, version, owner, digest, origin, games, retired) "
    "VALUES (:id, :name, '1', 'me', 'sha256:0', '/bots/x', '[\"claim\"]', false)"
)
TOURNAMENT = (
    "INSERT INTO tournaments (id, game, key, settings, finished) VALUES (:id, :game, :key, :settings, :finished)"
)
MATCH = (
    'INSERT INTO matches (tournament_id, match_id, ordinal, "group", seed, reason, moves, seal, record) '
    "VALUES (:tournament_id, :match_id, :ordinal, :group, :seed, :reason, :moves, :seal, :record)"
)
SEAT = (
    "INSERT INTO seats (tournament_id, match_id, seat, bot_id, rank, score, ending, sentence, wall_us, cpu_us, log) "
    "VALUES (:tournament_id, :match_id, :seat, :bot_id, :rank, :score, :ending, :sentence, :wall_us, :cpu_us, :log)"
)


def make(address, revision):
    """An empty store of this revision; the engine on it."""
    url = address.replace("postgresql://", "postgresql+psycopg://") if "://" in address else f"sqlite:///{address}"
    engine, config = create_engine(url), Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    return engine


def fill(engine, bots, tournaments, matches):
    """Write these entries as revision 0001 had them, without checksums."""
    with engine.begin() as connection:
        for bot in bots:
            connection.execute(text(BOT), {"id": bot.id, "name": bot.name})
        for entry in tournaments:
            row = {"id": entry.id, "game": entry.game, "key": entry.key, "finished": entry.finished}
            connection.execute(text(TOURNAMENT), {**row, "settings": json.dumps(entry.settings)})
        for kept in matches:
            match = kept.entry
            row = {name: getattr(match, name) for name in match.__slots__ if name not in ("seats", "ended_at_fault")}
            connection.execute(text(MATCH), {**row, "record": kept.record})
            key = {"tournament_id": match.tournament_id, "match_id": match.match_id}
            for seat, result in enumerate(match.seats):
                values = {name: getattr(result, name) for name in result.__slots__}
                connection.execute(text(SEAT), {**key, "seat": seat, **values})
    engine.dispose()
