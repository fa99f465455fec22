"""The tables of ``docs/audit.md``: options and findings, as the code has them.

``python -m muniment.audit.reference`` prints them, to be put into the page.
"""

import sys

from .glossary import GLOSSARY
from .options import SEED_NAMES, AuditOptions


def options() -> str:
    """Every option: its name, its name in RockBot, its default, what it is."""
    lines = ["| `audit.` | RockBot | default | |", "|---|---|---|---|"]
    for name, field in AuditOptions.model_fields.items():
        seed = SEED_NAMES.get(f"audit.{name}", "").removeprefix("MemoryAudit:") or "—"
        default = "none" if field.default is None else f"`{field.default}`"
        lines.append(f"| `{name}` | {seed} | {default} | {field.description} |")
    return "\n".join(lines)


def findings() -> str:
    """Every invariant: how bad it is, what it means, what to do."""
    return "\n\n".join(
        f"### {name}\n\n**{entry.title}** ({entry.severity}). {entry.meaning}\n\n"
        f"*What to do:* {entry.advice}"
        for name, entry in GLOSSARY.items()
    )


if __name__ == "__main__":
    sys.stdout.write(f"{options()}\n\n{findings()}\n")
