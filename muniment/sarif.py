"""Findings in SARIF 2.1.0, the form in which code scanners and their viewers exchange them (OASIS).

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ._release import __version__
from .log.verify import Verification
from .proofs.glossary import GLOSSARY
from .proofs.proof import Proof

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LOG: Final = "log.db"


@dataclass(frozen=True, slots=True)
class _Found:
    """One finding: the rule it is of, the rule's title and help, and where it shows first."""

    rule: str
    title: str
    help: str
    message: str
    position: int
    count: int


def of_verification(answer: Verification) -> dict[str, Any]:
    """What ``verify`` found."""
    return _document(
        "verify",
        [
            _Found(
                finding.kind,
                finding.message,
                "Restore the log from a backup that verifies, and keep this one as evidence.",
                finding.message,
                finding.position,
                finding.count,
            )
            for finding in answer.findings
        ],
    )


def of_proof(answer: Proof) -> dict[str, Any]:
    """Which invariants were broken."""
    return _document(
        "prove-invariants",
        [
            _Found(
                broken.invariant,
                GLOSSARY[broken.invariant].title,
                GLOSSARY[broken.invariant].advice,
                broken.message,
                broken.position,
                broken.count,
            )
            for broken in answer.violations
        ],
    )


def _document(command: str, found: Iterable[_Found]) -> dict[str, Any]:
    findings = list(found)
    rules = list({one.rule: _rule(one) for one in findings}.values())
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    driver = {
        "name": f"muniment {command}",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "results": [_result(one, index[one.rule]) for one in findings],
                "columnKind": "unicodeCodePoints",
            }
        ],
    }


def _rule(one: _Found) -> Mapping[str, Any]:
    return {
        "id": one.rule,
        "shortDescription": {"text": one.title},
        "help": {"text": one.help},
        "defaultConfiguration": {"level": "error"},
    }


def _result(one: _Found, rule: int) -> Mapping[str, Any]:
    """A row has no line in a file, so it is told as a logical location in the log."""
    return {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": f"{one.message} (position {one.position}, {one.count}×)"},
        "occurrenceCount": one.count,
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _LOG}},
                "logicalLocations": [
                    {
                        "name": str(one.position),
                        "fullyQualifiedName": f"events/{one.position}",
                        "kind": "element",
                    }
                ],
            }
        ],
    }
