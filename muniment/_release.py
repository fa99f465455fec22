"""Which release this is."""

from importlib.metadata import version

__version__ = version("muniment")
