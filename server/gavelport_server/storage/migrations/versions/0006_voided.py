"""The results that count no more are found without reading all.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add an index."""
    which = sa.text("void_reason != ''")
    op.create_index(
        "ix_result_voided", "result", ["tournament_id", "number"], sqlite_where=which, postgresql_where=which
    )
