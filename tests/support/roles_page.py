"""The table of roles as ``docs/roles-and-trust.md`` has it, made from the code.

``python tests/support/roles_page.py`` prints it.
"""

import sys
from typing import get_args

from muniment.domain.access import CONTENT, ROLES
from muniment.domain.identity import Role


def table() -> str:
    """A row an operation, a column a role."""
    roles = get_args(Role)
    lines = [f"| operation | {' | '.join(roles)} |", "|---" * (len(roles) + 1) + "|"]
    for operation, allowed in ROLES.items():
        cells = [_cell(operation, role, role in allowed) for role in roles]
        lines.append(f"| `{operation}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(operation: str, role: str, is_allowed: bool) -> str:
    if is_allowed:
        return "yes"
    return "if granted" if role == "auditor" and operation in CONTENT else ""


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
