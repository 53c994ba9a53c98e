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
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

HEAD = "0006"
"""The newest migration: the schema that this program reads and writes."""

TEXT = String().with_variant(String(collation="C"), "postgresql")
"""Text that is compared and ordered by its characters' numbers everywhere, as SQLite does and Python."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

tournament = Table(
    "tournament",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("identity", TEXT, nullable=False, unique=True),
    Column("name", TEXT, nullable=False),
    Column("game", TEXT, nullable=False),
    Column("options", TEXT, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("started_at", TEXT, nullable=False),
    # So many results, from the schedule's beginning without a gap, are in the Elo; on a ladder also the next number.
    Column("counted", Integer, nullable=False),
    Column("kind", TEXT, nullable=False, server_default="tournament"),
)

entrant = Table(
    "entrant",
    metadata,
    Column("tournament_id", ForeignKey(tournament.c.id), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("bot", TEXT, nullable=False),
    Column("version", TEXT, nullable=False),
    Column("content_hash", TEXT, nullable=False),
    Index(None, "bot", "version"),
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
    Column("match_id", TEXT, primary_key=True),
    Column("tournament_id", ForeignKey(tournament.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("block", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("table_number", Integer, nullable=False),
    Column("end", TEXT, nullable=False),
    Column("replay_sha256", TEXT, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("finished_at", TEXT, nullable=False),
    # Empty for a result that counts.
    Column("void_reason", TEXT, nullable=False, server_default=""),
    # Empty where no hosted bot sat.
    Column("sandbox", TEXT, nullable=False, server_default=""),
    UniqueConstraint("tournament_id", "number"),
    Index(None, "finished_at", "match_id"),
)
IS_VOIDED = text("void_reason != ''")
"""Of a result that counts no more; not a bound value, from which no database could tell that the index will do."""
Index("ix_result_voided", result.c.tournament_id, result.c.number, sqlite_where=IS_VOIDED, postgresql_where=IS_VOIDED)

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
    Column("first_fault", TEXT, nullable=False),
    Index(None, "entrant", "match_id"),
)

seat_fault = Table(
    "seat_fault",
    metadata,
    Column("match_id", TEXT, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("reason", TEXT, primary_key=True),
    Column("faults", Integer, nullable=False),
    ForeignKeyConstraint(["match_id", "seat"], [seat_result.c.match_id, seat_result.c.seat]),
)

# Derived from the results, like the standings: what each match of a ladder did.
rating_change = Table(
    "rating_change",
    metadata,
    Column("match_id", TEXT, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("before", Double, nullable=False),
    Column("after", Double, nullable=False),
    Column("k", Double, nullable=False),
    ForeignKeyConstraint(["match_id", "seat"], [seat_result.c.match_id, seat_result.c.seat]),
)

# Matches that came to no result.
void = Table(
    "void",
    metadata,
    Column("match_id", TEXT, primary_key=True),
    Column("tournament_id", ForeignKey(tournament.c.id), nullable=False),
    Column("reason", TEXT, nullable=False),
    Column("at", TEXT, nullable=False),
    # By seat, with spaces between; empty where it was not kept yet who sat in it.
    Column("bots", TEXT, nullable=False, server_default=""),
    Index(None, "tournament_id"),
)

# Void matches that are to be played again, with the bots by seat as above, and what became of that: a match of its own.
rerun = Table(
    "rerun",
    metadata,
    Column("match_id", TEXT, primary_key=True),
    Column("tournament_id", ForeignKey(tournament.c.id), nullable=False),
    Column("again_id", TEXT, nullable=False, unique=True),
    Column("bots", TEXT, nullable=False),
    Index(None, "tournament_id"),
)

owner = Table(
    "owner",
    metadata,
    Column("name", TEXT, primary_key=True),
    Column("is_house", Boolean, nullable=False),
    Column("created_at", TEXT, nullable=False),
)

bot = Table(
    "bot",
    metadata,
    Column("name", TEXT, primary_key=True),
    Column("owner", ForeignKey(owner.c.name), nullable=False),
    Column("created_at", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("status_reason", TEXT, nullable=False),
    Column("pinned_version", TEXT, nullable=False),
    Column("last_seen_at", TEXT, nullable=False),
)

bot_version = Table(
    "bot_version",
    metadata,
    Column("bot", ForeignKey(bot.c.name), primary_key=True),
    Column("version", TEXT, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("content_hash", TEXT, nullable=False),
    Column("first_seen_at", TEXT, nullable=False),
    UniqueConstraint("bot", "number"),
)

submission = Table(
    "submission",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot", ForeignKey(bot.c.name), nullable=False),
    Column("version", TEXT, nullable=False),
    Column("content_hash", TEXT, nullable=False),
    Column("owner", TEXT, nullable=False),
    Column("received_at", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    # JSON.
    Column("findings", TEXT, nullable=False),
    Column("decided_at", TEXT, nullable=False),
    Index(None, "bot"),
    Index(None, "owner", "received_at"),
    Index(None, "status"),
)

# Owner and bot may be empty, hence no foreign keys.
token = Table(
    "token",
    metadata,
    Column("id", TEXT, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("scope", TEXT, nullable=False),
    Column("owner", TEXT, nullable=False),
    Column("bot", TEXT, nullable=False),
    Column("note", TEXT, nullable=False),
    Column("created_at", TEXT, nullable=False),
    Column("expires_at", TEXT, nullable=False),
    Column("revoked_at", TEXT, nullable=False),
    Column("last_used_at", TEXT, nullable=False),
)

# What admins did, in the order in which it was kept.
action = Table(
    "action",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", TEXT, nullable=False),
    Column("actor", TEXT, nullable=False),
    Column("action", TEXT, nullable=False),
    Column("subject", TEXT, nullable=False),
    Column("reason", TEXT, nullable=False),
)

# One row.
members_revision = Table("members_revision", metadata, Column("revision", Integer, primary_key=True))

# One row: which server may write.
serving = Table(
    "serving",
    metadata,
    Column("epoch", Integer, primary_key=True),
    Column("holder", TEXT, nullable=False),
    Column("since", TEXT, nullable=False),
)
