"""Proposals, for people, and the verb that lists them."""

from collections.abc import Iterator
from typing import Annotated, cast, get_args

import typer

from muniment.domain import category as categories
from muniment.domain.proposal.state import Proposal, Standing

from .console import Line, answered, line, tail
from .help import Verb
from .memories import stamp
from .session import of

_COLOURS = {"pending": "yellow", "conflict": "red", "committed": "green"}
_INDENT = "    "


def add_to(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command("proposals", cls=Verb)(_proposals)


def _proposals(
    context: typer.Context,
    *,
    state: Annotated[
        str | None,
        typer.Option(metavar="|".join(get_args(Standing)), help="Only those that stand like this."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the proposals of this space by number; a sub-agent sees its own."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        found = face.proposals(cast("Standing | None", state))  # the query says which there are
    answered(found, (one for proposal in found for one in told(proposal)), as_json=session.json)


def told(proposal: Proposal) -> Iterator[Line]:
    """Everything about a proposal that is there to decide on."""
    yield line(
        (f"#{proposal.number}  ", "cyan"),
        (proposal.state, _COLOURS.get(proposal.state, "dim")),
        f"  {proposal.category or categories.GENERAL}",
        (f"  {proposal.confidence} confidence, by {proposal.proposer}", "dim"),
    )
    for part in proposal.content.splitlines() or [""]:
        yield line(_INDENT, part)
    numbers = ", ".join(f"#{number}" for number in proposal.contradicts)
    facts = {
        "store": "" if proposal.store == "semantic" else proposal.store,
        "tags": ", ".join(proposal.tags),
        "trigger": proposal.trigger or "",
        "contradicts": numbers,
        "expires": stamp(proposal.expires_at) if proposal.decided_at is None else "",
        "decided": f"by {proposal.decided_by}" if proposal.decided_by else "",
        "reason": proposal.reason or "",
        "memory": tail(proposal.memory) if proposal.memory else "",
    }
    for name, fact in facts.items():
        if fact:
            yield line((f"{_INDENT}{name:<12}", "dim"), fact)
