"""The files of bots in the database: by their digest, in pieces, written whole or not at all."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, Engine, case, delete, func, insert, select

from arena.errors import InfraError
from arena.store.database import snapshot, writing
from arena.store.failures import ConnectionLost
from arena.store.schema import file_pieces, packed_files

PIECE_BYTES = 1 << 19
"""Of a row. Larger ones are no faster and take ten times their size in memory; smaller ones wait for the network."""
_LOCK = 7215035
"""The number of the advisory lock in PostgreSQL under which files are added and removed."""
_LOCK_S = 300.0
_ASK_AGAIN_S = 0.1


class Files:
    """The part of a store that keeps the files of bots; to it they are bytes that belong to a digest."""

    _database: Engine

    @property
    def keeps_files(self) -> bool:
        """Whether the files of its bots are in it: those of a store in SQLite lie in a folder beside it."""
        return self._database.dialect.name == "postgresql"

    def add_files(self, digest: str, pieces: Iterable[bytes]) -> None:
        """Keep these bytes in the place of what is there; no piece may have more than PIECE_BYTES."""
        with writing(self._database) as connection:
            _delete(connection, digest)
            connection.execute(insert(packed_files).values(digest=digest, bytes=0))
            size = 0
            for number, data in enumerate(pieces):
                connection.execute(insert(file_pieces).values(digest=digest, number=number, data=data))
                size += len(data)
            connection.execute(packed_files.update().where(packed_files.c.digest == digest).values(bytes=size))

    def read_files(self, digest: str, most: int) -> Iterator[bytes]:
        """What was kept, piece by piece; InfraError if that cannot be it, or has more bytes than these."""
        with snapshot(self._database) as connection:
            size = connection.execute(select(packed_files.c.bytes).where(packed_files.c.digest == digest)).scalar()
            if size is None:
                raise InfraError(f"the store has no files with the digest {digest}")
            if size > most:
                raise DamagedFiles(digest)
            left = int(size)
            for number in range(-(-left // PIECE_BYTES)):
                data = _piece(connection, digest, number)
                if data is None or len(data) != min(left, PIECE_BYTES):
                    raise DamagedFiles(digest)
                left -= len(data)
                yield data

    def has_files(self, digest: str) -> bool:
        """Whether something is kept for this digest."""
        with self._database.connect() as connection:
            query = select(packed_files.c.digest).where(packed_files.c.digest == digest)
            return connection.execute(query).first() is not None

    def kept_files(self) -> list[str]:
        """The digests of all that is kept."""
        with self._database.connect() as connection:
            return list(connection.execute(select(packed_files.c.digest).order_by(packed_files.c.digest)).scalars())

    def remove_files(self, digest: str) -> None:
        """Keep what belongs to this digest no longer."""
        with writing(self._database) as connection:
            _delete(connection, digest)

    @contextmanager
    def files_locked(self) -> Iterator[None]:
        """Hold the lock under which files are added together with their bot, or removed, on whatever machine."""
        if not self.keeps_files:
            yield
            return
        with self._database.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _take_lock(connection)
            try:
                yield
            finally:
                with suppress(ConnectionLost):  # and with it the lock
                    connection.execute(select(func.pg_advisory_unlock(_LOCK)))


class DamagedFiles(InfraError):
    """What is kept is not what its digest says; it is nobody's fault but ours."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"the files with the digest {digest} are damaged in the store: submit the same bot again")


def _piece(connection: Connection, digest: str, number: int) -> bytes | None:
    """One piece; None if it is not there, or longer than any that we write."""
    data = case((func.length(file_pieces.c.data) <= PIECE_BYTES, file_pieces.c.data))
    own = (file_pieces.c.digest == digest) & (file_pieces.c.number == number)
    found = connection.execute(select(data).where(own)).scalar()
    return None if found is None else bytes(found)


def _delete(connection: Connection, digest: str) -> None:
    for table in (file_pieces, packed_files):
        connection.execute(delete(table).where(table.c.digest == digest))


def _take_lock(connection: Connection) -> None:
    """Ask for the lock again and again: a statement that waits for it would be taken for one without an answer."""
    deadline = time.monotonic() + _LOCK_S
    while not connection.execute(select(func.pg_try_advisory_lock(_LOCK))).scalar():
        if time.monotonic() > deadline:
            raise InfraError("another process has kept files of bots for minutes: give the same command again")
        time.sleep(_ASK_AGAIN_S)
