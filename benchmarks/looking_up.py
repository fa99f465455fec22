"""The lookup of the duplicate check: who says the same, and who nearly."""

from functools import partial
from pathlib import Path

from muniment.domain import category as categories
from muniment.domain.duplicates import Form, form
from muniment.engine import Engine
from muniment.projections.similarity import Similarity

from .corpus import texts
from .measuring import Report, at_most, cpu_each, median, quantile

LOOKUPS = 2_000


def run(path: Path, memories: int) -> Report:
    """Looks texts up that are new, and texts that differ by a word from known ones."""
    report = Report(f"The duplicate lookup, processor time, {memories:,} memories")
    engine = Engine(path, read_only=True)
    try:
        engine.models.catch_up()
        known = engine.models.similarity("default")
        near = [(_one_word_other(text), at) for text, at in texts(memories)][:LOOKUPS]
        for what, given in (("a new text", list(texts(LOOKUPS, seed=6))), ("a near copy", near)):
            forms = [(categories.top(category), form(text)) for text, category in given]
            check = engine.rules.duplicate_check
            least = min(check.resembling, check.lexical_threshold)
            look = partial(_look, known, least, check.max_matches)
            taken = cpu_each(partial(look, top, of_text) for top, of_text in forms)
            report.add(f"{what}, p50", median(taken), "µs", at_most(50))
            report.add(f"{what}, p99", quantile(taken, 0.99), "µs")
    finally:
        engine.close()
    return report


def _look(known: Similarity, least: float, limit: int, top: str, of_text: Form) -> None:
    known.same(top, of_text)
    known.similar(top, of_text, at_least=least, limit=limit)


def _one_word_other(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"{rest} besides {first}"
