"""Which memories are about somebody, and which only mention the name."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from muniment.domain import subjects, texts
from muniment.domain.errors import Invalid
from muniment.domain.inputs import Input, Line

from .reading import Reading

_BATCH = 500


def _not_blank(name: str) -> str:
    if texts.is_blank(name):
        raise Invalid("subject: name somebody.", code="subject_invalid", field="subject")
    return name


@dataclass(frozen=True, slots=True)
class About:
    """Ids: about the subject by their metadata, about another by theirs, and mentioning the name.

    ``mentioning`` may be about anybody but those of ``about``.
    """

    about: tuple[str, ...]
    others: tuple[str, ...]
    mentioning: tuple[str, ...]


class AboutSubject(Input):
    """Every memory of the space that is about a subject or mentions it, whatever its state."""

    subject: Annotated[Line, Field(max_length=256), AfterValidator(_not_blank)]

    def answer(self, reading: Reading) -> About:
        """Reads the words of every memory of the space."""
        with reading.lock:
            ids = list(reading.catalog().ids)
        about: list[str] = []
        others: list[str] = []
        mentioning: list[str] = []
        for start in range(0, len(ids), _BATCH):
            for memory in reading.memories(ids[start : start + _BATCH]):
                if subjects.is_about(memory, self.subject):
                    about.append(memory.id)
                    continue
                if subjects.is_about_another(memory, self.subject):
                    others.append(memory.id)
                if subjects.is_mentioned(memory, self.subject):
                    mentioning.append(memory.id)
        return About(tuple(about), tuple(others), tuple(mentioning))
