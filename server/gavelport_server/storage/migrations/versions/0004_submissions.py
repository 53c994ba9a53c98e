"""Submitted versions of bots, and what became of them.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from gavelport_server.storage.schema import TEXT

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("bot", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("owner", TEXT, nullable=False),
        sa.Column("received_at", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("findings", TEXT, nullable=False),
        sa.Column("decided_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_submission"),
        sa.ForeignKeyConstraint(["bot"], ["bot.name"], name="fk_submission_bot"),
    )
    op.create_index("ix_submission_bot", "submission", ["bot"])
    op.create_index("ix_submission_owner_received_at", "submission", ["owner", "received_at"])
    op.create_index("ix_submission_status", "submission", ["status"])
