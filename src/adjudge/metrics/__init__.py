"""Metrics, declared once: cells of outcomes become estimates, differences, pilots and tables."""
