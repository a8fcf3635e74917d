"""Gates that keep their state in PostgreSQL. Needs a server: see ``support``."""
