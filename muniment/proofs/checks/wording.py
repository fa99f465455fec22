"""How findings name many ids."""


def listed(ids: list[str]) -> str:
    """The first three, and how many there are besides."""
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
