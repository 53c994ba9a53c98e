"""The tables of the database (design 7, 8), in terms that SQLite and PostgreSQL share.

Whatever changes here needs a new step in `migrations/versions`, and `HEAD` names the newest of them.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

HEAD = "0001"
"""The newest migration: the schema that this program reads and writes."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

tournament = Table(
    "tournament",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("identity", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("game", String, nullable=False),
    Column("options", String, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("started_at", String, nullable=False),
    # So many results, from the schedule's beginning without a gap, are in the Elo.
    Column("counted", Integer, nullable=False),
)

entrant = Table(
    "entrant",
    metadata,
    Column("tournament_id", ForeignKey(tournament.c.id), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("bot", String, nullable=False),
    Column("version", String, nullable=False),
    Column("content_hash", String, nullable=False),
)

# Derived from the results; kept because it must move together with them.
standing = Table(
    "standing",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("entrant", Integer, primary_key=True),
    Column("elo", Double, nullable=False),
    Column("matches", Integer, nullable=False),
    ForeignKeyConstraint(["tournament_id", "entrant"], [entrant.c.tournament_id, entrant.c.number]),
)

result = Table(
    "result",
    metadata,
    Column("match_id", String, primary_key=True),
    Column("tournament_id", ForeignKey(tournament.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("block", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("table_number", Integer, nullable=False),
    Column("end", String, nullable=False),
    Column("replay_sha256", String, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("finished_at", String, nullable=False),
    UniqueConstraint("tournament_id", "number"),
)

seat_result = Table(
    "seat_result",
    metadata,
    Column("match_id", ForeignKey(result.c.match_id), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("entrant", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("retired", Boolean, nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("charged_ms", Integer, nullable=False),
    Column("slowest_ms", Integer, nullable=False),
    Column("refusals", Integer, nullable=False),
    Column("first_fault", String, nullable=False),
)

seat_fault = Table(
    "seat_fault",
    metadata,
    Column("match_id", String, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("reason", String, primary_key=True),
    Column("faults", Integer, nullable=False),
    ForeignKeyConstraint(["match_id", "seat"], [seat_result.c.match_id, seat_result.c.seat]),
)
