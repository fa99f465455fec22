"""Whether a byte of some words, or of a key, is left anywhere in a directory."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

from projection_answers import store_of

from muniment import Muniment


def spellings(word: str) -> Iterator[bytes]:
    """A word in every form in which it might lie somewhere."""
    for text in {word, word.lower(), word.upper(), word.casefold()}:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            raw = text.encode(encoding)
            yield raw
            for shift in range(3):  # in base64 it looks different at each place of three
                encoded = base64.b64encode(b"\0" * shift + raw)
                yield encoded[4 if shift else 0 : -4]
        yield json.dumps(text)[1:-1].encode()


def leaks(directory: Path, secrets: list[bytes]) -> list[str]:
    """The files in which one of the secrets lies."""
    found: list[str] = []
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            held = path.read_bytes()
            found += [path.name for secret in secrets if secret in held]
    return found


def key_of(m: Muniment, id_: str) -> tuple[bytes, bytes]:
    """The raw key of a memory, and its wrapped form as the vault holds it."""
    store = store_of(m)
    key_id = store.rows.key_of(id_)
    assert key_id is not None
    raw = store.keys.get(key_id)
    assert raw is not None
    return raw, store.keys.vault().wrapped[key_id]
