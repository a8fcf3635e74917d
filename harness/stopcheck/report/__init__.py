"""Renderers over result records."""
