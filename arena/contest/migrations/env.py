"""How Alembic reaches the database of a contest: by the connection that is handed over."""

from alembic import context

from arena.contest.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
