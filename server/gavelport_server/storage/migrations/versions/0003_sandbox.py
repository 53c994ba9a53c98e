"""What held the hosted bots of a match.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from gavelport_server.storage.schema import TEXT

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add a column to the results; in those that are there, no bot was hosted on a ladder."""
    op.add_column("result", sa.Column("sandbox", TEXT, nullable=False, server_default=""))
