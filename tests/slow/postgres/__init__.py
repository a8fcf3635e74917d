"""What takes long on PostgreSQL."""
