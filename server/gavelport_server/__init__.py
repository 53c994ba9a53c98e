"""The tournament server: referee, transport, tournaments, ratings and records."""
