"""Ladders with their rating changes and void matches; owners, bots, versions, tokens; which server may write.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from gavelport_server.storage.schema import TEXT

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what a ladder service keeps; tournaments and their results stay as they are."""
    op.add_column("tournament", sa.Column("kind", TEXT, nullable=False, server_default="tournament"))
    op.add_column("result", sa.Column("void_reason", TEXT, nullable=False, server_default=""))
    op.create_index("ix_entrant_bot_version", "entrant", ["bot", "version"])
    op.create_index("ix_result_finished_at_match_id", "result", ["finished_at", "match_id"])
    op.create_index("ix_seat_result_entrant_match_id", "seat_result", ["entrant", "match_id"])
    op.create_table(
        "rating_change",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("before", sa.Double, nullable=False),
        sa.Column("after", sa.Double, nullable=False),
        sa.Column("k", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_rating_change"),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"], ["seat_result.match_id", "seat_result.seat"], name="fk_rating_change_seat_result"
        ),
    )
    op.create_table(
        "void",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_void"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_void_tournament"),
    )
    op.create_index("ix_void_tournament_id", "void", ["tournament_id"])
    _members()
    serving = op.create_table(
        "serving",
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("holder", TEXT, nullable=False),
        sa.Column("since", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("epoch", name="pk_serving"),
    )
    op.bulk_insert(serving, [{"epoch": 0, "holder": "", "since": ""}])


def _members() -> None:
    op.create_table(
        "owner",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("is_house", sa.Boolean, nullable=False),
        sa.Column("created_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_owner"),
    )
    op.create_table(
        "bot",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("owner", TEXT, nullable=False),
        sa.Column("created_at", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("status_reason", TEXT, nullable=False),
        sa.Column("pinned_version", TEXT, nullable=False),
        sa.Column("last_seen_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_bot"),
        sa.ForeignKeyConstraint(["owner"], ["owner.name"], name="fk_bot_owner"),
    )
    op.create_table(
        "bot_version",
        sa.Column("bot", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("first_seen_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("bot", "version", name="pk_bot_version"),
        sa.ForeignKeyConstraint(["bot"], ["bot.name"], name="fk_bot_version_bot"),
        sa.UniqueConstraint("bot", "number", name="uq_bot_version_bot_number"),
    )
    op.create_table(
        "token",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("scope", TEXT, nullable=False),
        sa.Column("owner", TEXT, nullable=False),
        sa.Column("bot", TEXT, nullable=False),
        sa.Column("note", TEXT, nullable=False),
        sa.Column("created_at", TEXT, nullable=False),
        sa.Column("expires_at", TEXT, nullable=False),
        sa.Column("revoked_at", TEXT, nullable=False),
        sa.Column("last_used_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
    )
    op.create_table(
        "action",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", TEXT, nullable=False),
        sa.Column("actor", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_action"),
    )
    revision_of_members = op.create_table(
        "members_revision",
        sa.Column("revision", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_members_revision"),
    )
    op.bulk_insert(revision_of_members, [{"revision": 0}])
