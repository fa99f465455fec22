"""Proofs over the log: what has to hold of it, evaluated without the code that writes it."""
