"""Canonical forms of texts, remembered: the command, the judgement and the index share each one."""

from weakref import WeakValueDictionary

from .. import coverage
from ..duplicates import Form, form, lexer, plurals

_REMEMBERED = 4_096
_LONGEST = 2_000

_forms: dict[str, Form] = {}
_in_use: WeakValueDictionary[str, Form] = WeakValueDictionary()


def canonical_form(text: str) -> Form:
    """The canonical form of a text.

    One that somebody holds, and those of the latest short texts, are not made again.
    """
    return _forms.get(text) or _in_use.get(text) or remember(text, form(text))


def remember(text: str, its_form: Form) -> Form:
    """Keeps a form that was made ahead, for who asks next."""
    if len(text) <= _LONGEST:
        if len(_forms) >= _REMEMBERED:
            _forms.clear()
        _forms[text] = its_form
    _in_use[text] = its_form
    return its_form


def forget() -> None:
    """Drops every form, and the readings of words: texts were removed for good."""
    _forms.clear()
    _in_use.clear()
    lexer.forget()
    plurals.singular.cache_clear()
    coverage.forget()
