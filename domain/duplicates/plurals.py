"""Singular and plural of English nouns, and the words that only look like a pair of them."""

from functools import lru_cache
from typing import Final

from .words import listed

# With and without s these are different words, or different tenses of one.
FALSE_FRIENDS: Final = listed("""
    new good custom arm glass mean work pant saving manner term content damage force ground
    quarter scale look minute paper letter air color colour spirit regard thank odd time gut brain
    wit end premise spectacle earning cloth physic iron water wood green compass draft right
    interest relation respect service security asset holding facility operation people authority
    value skill length line chicken lamb duck fish hair experience space room gold rock change
    card class light power art oil taste youth beauty truth exercise language fire stone play
    sound spring fall date match chip sale return tip law mark measure number ash bra plan step
    talk wage wine game sport day week month year hour second night morning evening afternoon
    weekend monday tuesday wednesday thursday friday saturday sunday set put cut read let hit cost
    shut spread quit hurt bet cast split burst shed beat rid bid wet upset broadcast forecast
    thrust fit knit come become run overrun outrun overcome sweat slit serie specie lens len alia
    atla bia bu gas ga christma
    """)
_NOT_PLURAL: Final = listed("""
    always perhaps thus yes this is was his its us as has gas bus plus minus less address access
    process business class pass loss cross boss press stress analysis basis status bonus virus
    campus focus corpus news physics series species means lens does goes across
    """)


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """The word without a regular plural ending; other words as they are."""
    if len(word) < 4 or word[-1] != "s" or word in _NOT_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        return word[:-2]
    return word[:-1]
