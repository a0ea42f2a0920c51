"""Showing and saving reports. Computes nothing."""
