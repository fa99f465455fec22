"""The verbs about who may come in, and where to."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Final, cast

import typer

from muniment.domain.access_token import MAX_LIFE, USUAL_LIFE, Token
from muniment.domain.identity import Role
from muniment.tokens import IssuedToken

from .console import Line, answered, line, tail
from .help import Verb
from .memories import stamp
from .session import Json, of

_TOKENS_HELP: Final = "Access tokens: issue, list, revoke. For --role admin."
_SPACES_HELP: Final = "The spaces of the store."
_MOST_DAYS: Final = MAX_LIFE / timedelta(days=1)
_USUAL_DAYS: Final = USUAL_LIFE / timedelta(days=1)


def add_to(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    tokens = typer.Typer(name="token", help=_TOKENS_HELP, rich_markup_mode=None)
    tokens.command("issue", cls=Verb)(_issue)
    tokens.command("list", cls=Verb)(_list)
    tokens.command("revoke", cls=Verb)(_revoke)
    app.add_typer(tokens)
    spaces = typer.Typer(name="space", help=_SPACES_HELP, rich_markup_mode=None)
    # a group of one verb would be that verb
    spaces.callback()(lambda: None)
    spaces.command("list", cls=Verb)(_spaces)
    app.add_typer(spaces)


def _issue(
    context: typer.Context,
    actor: Annotated[str, typer.Argument(metavar="ACTOR", help="Who its bearer acts as.")],
    *,
    role: Annotated[
        str | None,
        typer.Option("--as", metavar="ROLE", help="In which role; the actor's own unless given."),
    ] = None,
    days: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            help=f"How long it lives, up to {_MOST_DAYS:g} days.",
            show_default=f"{_USUAL_DAYS:g}",
        ),
    ] = _USUAL_DAYS,
    as_json: Json = False,
) -> None:
    """Make a token for this space, and print it: it is shown this once."""
    session = of(context, as_json=as_json)
    life = timedelta(days=max(-1.0, min(days, 2 * _MOST_DAYS)))  # the rule says which are too long
    with session.writing() as face:
        # the rule says whether there is a role of that name
        made = face.tokens.issue(actor=actor, role=cast("Role | None", role), expires_in=life)
    answered(made, _made(made), as_json=session.json)


def _list(context: typer.Context, *, as_json: Json = False) -> None:
    """List the tokens of this space, those that have ended too; their secrets are nowhere."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        found = face.tokens.list()
    answered(found, map(_told, found), as_json=session.json)


def _revoke(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The token, or the end of its id.")],
    *,
    as_json: Json = False,
) -> None:
    """End a token of this space: nobody gets in with it from now on."""
    session = of(context, as_json=as_json)
    with session.editing() as face:
        ended = face.tokens.revoke(id)
    answered(ended, [_told(ended)], as_json=session.json)


def _spaces(context: typer.Context, *, as_json: Json = False) -> None:
    """List every space that something was recorded in."""
    session = of(context, as_json=as_json)
    with session.reading() as face:
        found = face.spaces()
    answered(found, map(line, found), as_json=session.json)


def _made(made: IssuedToken) -> Iterator[Line]:
    yield line(made.text)
    yield _told(made.token)
    yield line(("    note: it is shown this once", "yellow"))


def _told(token: Token) -> Line:
    ended = "" if token.revoked_at is None else f", revoked {stamp(token.revoked_at)}"
    return line(
        (tail(token.id), "cyan"),
        f"  {token.actor} as {token.role} in {token.space}, until {stamp(token.expires_at)}{ended}",
    )
