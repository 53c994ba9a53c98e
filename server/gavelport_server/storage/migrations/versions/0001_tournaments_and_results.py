"""Tournaments, entrants, results and standings.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from gavelport_server.storage.schema import TEXT

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("identity", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("game", TEXT, nullable=False),
        sa.Column("options", TEXT, nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("started_at", TEXT, nullable=False),
        sa.Column("counted", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.UniqueConstraint("identity", name="uq_tournament_identity"),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("bot", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_entrant"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_entrant_tournament"),
    )
    op.create_table(
        "standing",
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("entrant", sa.Integer, nullable=False),
        sa.Column("elo", sa.Double, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "entrant", name="pk_standing"),
        sa.ForeignKeyConstraint(
            ["tournament_id", "entrant"], ["entrant.tournament_id", "entrant.number"], name="fk_standing_entrant"
        ),
    )
    op.create_table(
        "result",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("rotation", sa.Integer, nullable=False),
        sa.Column("table_number", sa.Integer, nullable=False),
        sa.Column("end", TEXT, nullable=False),
        sa.Column("replay_sha256", TEXT, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("finished_at", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_result"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_result_tournament_id_number"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_result_tournament"),
    )
    op.create_table(
        "seat_result",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("entrant", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("charged_ms", sa.Integer, nullable=False),
        sa.Column("slowest_ms", sa.Integer, nullable=False),
        sa.Column("refusals", sa.Integer, nullable=False),
        sa.Column("first_fault", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seat_result"),
        sa.ForeignKeyConstraint(["match_id"], ["result.match_id"], name="fk_seat_result_result"),
    )
    op.create_table(
        "seat_fault",
        sa.Column("match_id", TEXT, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("faults", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", "reason", name="pk_seat_fault"),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"], ["seat_result.match_id", "seat_result.seat"], name="fk_seat_fault_seat_result"
        ),
    )
