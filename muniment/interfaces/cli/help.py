"""How verbs are explained: in the usual form, with arguments called by their names."""

from typing import Any, Final

from typer.core import TyperArgument, TyperCommand

from muniment.domain.errors import MunimentError

from .wording import spell

HELP_OPTIONS = ["--help", "-h"]

WIDTH = 100
"""Columns that help takes at most."""


PANELS: Final = {
    "Keep and recall": (
        *("save", "search", "recall", "context", "show", "propose", "proposals", "decide"),
        *("mark-used", "feedback", "working", "conversation"),
    ),
    "Put in order": (
        *("revise", "rescore", "recategorize", "retag", "describe", "pin", "unpin", "archive"),
        *("restore", "supersede", "merge", "fold", "quarantine", "release"),
    ),
    "Investigate": ("history", "log", "diff", "stats", "knew", "trace", "blast-radius", "rollback"),
    "Review and erase": (
        *("verify", "prove-invariants", "checkpoint", "prove", "report", "audit", "inbox"),
        *("erase", "erasures", "purge", "hold", "release-hold"),
    ),
    "Run it": (
        *("serve", "mcp", "instructions", "import", "export", "backup", "restore-backup", "keys"),
        *("token", "space", "rebuild", "settings", "doctor", "demo"),
    ),
}
"""The verbs by what they are for, in the order in which the help has them."""


class Verb(TyperCommand):
    """A verb."""

    def invoke(self, ctx: Any) -> Any:
        """Runs it; errors are told in the words of its command line."""
        try:
            return super().invoke(ctx)
        except MunimentError as error:
            spell(error, ctx)
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line's parts: options, then arguments, those in brackets that may be left."""
        pieces = ["[OPTIONS]"]
        for parameter in self.get_params(ctx):
            if isinstance(parameter, TyperArgument):
                name = _name(parameter)
                pieces.append(name if parameter.required else f"[{name}]")
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes what the arguments and options mean."""
        arguments: list[tuple[str, str]] = []
        options: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            if isinstance(parameter, TyperArgument):
                arguments.append((_name(parameter), parameter.help or ""))
            elif record := parameter.get_help_record(ctx):
                options.append(record)
        for title, records in (("Arguments", arguments), ("Options", options)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _name(argument: TyperArgument) -> str:
    return f"{argument.metavar}{'' if argument.nargs == 1 else '...'}"
