"""The command line: the operations of the face as verbs, their answers as text or JSON.

Verbs are made from the models of commands and queries, so a rule on input, a role and a sentence of
help stand in one place for every surface.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line, and says with which status the process should end.

    Args:
        arguments: What follows the program's name; the process's own where it is left out.
    """
    from .program import run

    return run(arguments)
