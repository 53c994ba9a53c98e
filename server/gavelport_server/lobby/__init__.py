"""Accounts: who may call what, and what owners, spectators and admins are answered."""
