"""Scripts without spaces: Chinese, Japanese, Thai, Lao, Khmer, Myanmar; and Korean endings.

Two texts are the same after width, spacing, final punctuation, the listed polite endings, numerals
before counters and clock times. Anything else that differs is a difference.
"""

import re
from itertools import pairwise
from typing import Final

from .. import patterns
from .tokens import Kind, Mark, Token

_EAST_ASIAN: Final = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SOUTH_EAST_ASIAN: Final = "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
CHARACTER: Final = patterns.re(f"[{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}]")
HANGUL: Final = patterns.re("[\uac00-\ud7a3]")
_HAN: Final = patterns.re(
    "[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_BLANK_INSIDE: Final = patterns.re(
    f"(?<=[{_EAST_ASIAN}])\\s++(?=[{_EAST_ASIAN}])"
    f"|(?<=[{_SOUTH_EAST_ASIAN}])\\s++(?=[{_SOUTH_EAST_ASIAN}])"
)

_DIGITS: Final = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}
_POWERS: Final = {"十": 10, "百": 100, "千": 1000}
_COUNTERS: Final = (
    "時时点點分秒日月年円元块塊歳岁歲回次個个名号號楼樓階层層%週"
    "周本枚匹頭头杯冊册台人件只条條张張位"
)
_NUMERAL_SIGNS: Final = "〇零一二三四五六七八九十百千万萬两兩"
_NUMERAL: Final = patterns.re(f"(?<![{_NUMERAL_SIGNS}])([{_NUMERAL_SIGNS}]++)(?=[{_COUNTERS}])")
# These are words, not amounts: "enough", "for a while", "a little", "all day", "a lot" ...
_WORDS_LIKE_AMOUNTS: Final = patterns.re(
    "十分(?!钟|鐘|間|间|前|後|后)|一[時时](?!間|间)|一[点點日杯人台本次個个月回件位名分]|万一|千万|万年"
)
_AFTERNOON: Final = patterns.re(r"(?:午後|下午|晚上)\s?([0-9]{1,2})(?=[時时点點:])")
_MORNING: Final = patterns.re(r"(?:午前|上午|早上)\s?([0-9]{1,2})(?=[時时点點:])")
_CLOCK: Final = patterns.re(
    r"(?<![0-9:.])([0-9]{1,2})(?:[時时](?![間间])|点(?!数|[\u3040-\u309f、。])|點)"
    r"(?:([0-9]{1,2})分(?![钟鐘間间])|(半))?"
)
_DATE: Final = patterns.re(r"(?<![0-9])([0-9]{4})年([0-9]{1,2})月([0-9]{1,2})[日号號]")
_FINAL: Final = patterns.re(f"(?<=[{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}])[\\s。.!…]++\\Z")
# Polite and plain endings of the same statement; past stays past, a negation a negation.
_POLITE: Final = (
    (patterns.re("(?:では|じゃ)(?:ありません|ないです|ない)$"), "ではない"),
    (patterns.re("(?<=[てで])(?:います|おります|いる)$"), "いる"),
    (patterns.re("(?<=[てで])(?:いました|おりました|いた)$"), "いた"),
    (patterns.re("しました$"), "した"),
    (patterns.re("(?<![\u3041-\u3096])します$"), "する"),
    (patterns.re("でした$"), "だった"),
    (patterns.re("(?:です|である|だ)$"), ""),
    (patterns.re("(?:ครับ|ค่ะ)$"), ""),
    (patterns.re("입니다$"), "이다"),
    (patterns.re("합니다$"), "한다"),
    (patterns.re("됩니다$"), "된다"),
    (patterns.re("(?<=[았었였했겠있없])습니다$"), "다"),
)

_I_ROW: Final = "きぎしちにびみりい"
_U_ROW: Final = "くぐすつぬぶむるう"

DEICTIC: Final = patterns.re(
    "今日|明日|昨日|明後日|一昨日|[今来先昨翌]年|[今来先]週|[今来先]月|今[朝晩夜]|昨[晩夜]"
    "|[今明昨后後前]天|[今明去]年|[上下本这這][个個]?[周週月]|[上下这這][个個]?星期|刚才|剛才|现在|現在"
    "|다음\\s?(?:주|달|해)|지난\\s?(?:주|달|해)|이번\\s?(?:주|달)|올해|작년|내년|[0-9일이삼]\\s?(?:일|주|달)\\s?전"
    "|前に|[0-9][日天週周年](?:前|後|后)|วันนี้|พรุ่งนี้|เมื่อวาน|คืนนี้|สัปดาห์หน้า|เดือนหน้า|ปีหน้า"
)


def settle(text: str) -> str:
    """Numerals, clock times, dates, spacing and endings of a text in these scripts."""
    text = _FINAL.sub("", _BLANK_INSIDE.sub("", text))
    text = _NUMERAL.sub(_in_digits, text)
    text = _AFTERNOON.sub(lambda match: _hour(match, 12), text)
    text = _MORNING.sub(lambda match: _hour(match, 0), text)
    text = _DATE.sub(r" \1-\2-\3 ", text)
    text = _CLOCK.sub(_clock, text)
    for pattern, ending in _POLITE:
        text, found = pattern.subn(ending, text)
        if found:
            break
    return text


def token(character: str) -> Token:
    """One character of a script without spaces."""
    terms = (character,) if _HAN.match(character) else ()
    return Token(character, Kind.SCRIPT, Mark.SCRIPT, terms, character)


def pairs(tokens: list[Token]) -> list[str]:
    """Neighbouring characters that are not Han: one alone says too little to find a text by."""
    return [
        before.key + after.key
        for before, after in pairwise(tokens)
        if before.kind is after.kind is Kind.SCRIPT and not before.terms and not after.terms
    ]


def _in_digits(match: re.Match[str]) -> str:
    numeral = match[1]
    if _WORDS_LIKE_AMOUNTS.match(match.string, match.start()):
        return numeral
    total = section = digit = 0
    positional = len(numeral) > 1 and all(character in _DIGITS for character in numeral)
    if positional:
        return "".join(str(_DIGITS[character]) for character in numeral)
    for character in numeral:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _POWERS:
            section += (digit or 1) * _POWERS[character]
            digit = 0
        else:
            total += (section + digit or 1) * 10_000
            section = digit = 0
    return str(total + section + digit)


def _hour(match: re.Match[str], offset: int) -> str:
    hour = int(match[1])
    return f"{hour % 12 + offset}" if 1 <= hour <= 12 else match[0]


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), 30 if match[3] else int(match[2] or 0)
    if hour > 24 or minute > 59:
        return match[0]
    return f" {hour}:{minute:02} "


def polite_pair(one: str, other: str, before: list[str], at_end: bool) -> bool:
    """Whether a Japanese verb ends once plainly and once in -masu: 開く, 開きます.

    ``before`` is the character that both share in front; at the end of the text only.
    """
    short, long = sorted((one, other), key=len)
    if not at_end or not before or not CHARACTER.match(before[0]) or not long.endswith("ます"):
        return False
    if long == "ます":
        return short == "る"
    return len(long) == 3 and long[0] in _I_ROW and short == _U_ROW[_I_ROW.index(long[0])]
