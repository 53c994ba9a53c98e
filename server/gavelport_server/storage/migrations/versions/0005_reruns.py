"""Who sat in void matches, and which of these are played again.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from gavelport_server.storage.schema import TEXT

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column and a table; who sat in the void matches that are there is not known."""
    op.add_column("void", sa.Column("bots", TEXT, nullable=False, server_default=""))
    op.create_table(
        "rerun",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("again_id", TEXT, nullable=False),
        sa.Column("bots", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_rerun"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_rerun_tournament"),
        sa.UniqueConstraint("again_id", name="uq_rerun_again_id"),
    )
    op.create_index("ix_rerun_tournament_id", "rerun", ["tournament_id"])
