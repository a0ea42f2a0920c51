"""Containers: paths, addresses, archives and streams as bytes, text or tables."""
