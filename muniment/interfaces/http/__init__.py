"""Muniment over HTTP: every operation under ``/v1``, described by ``/openapi.json``."""
