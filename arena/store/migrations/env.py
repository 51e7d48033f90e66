"""How Alembic reaches the database: by the connection that the store hands over."""

from alembic import context

from arena.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
