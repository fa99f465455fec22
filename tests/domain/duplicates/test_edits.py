"""A seeded fuzz: sentences as memories have them, each with one edit that changes its meaning."""

import random
import re
from collections.abc import Callable, Iterator

from muniment.domain.duplicates import Relation, form, relate

SENTENCES: tuple[str, ...] = (
    "The ferry to Bergen leaves at 07:45 from pier 12",
    "Nadia's studio on Keizersgracht costs €1,450 per month",
    "Order PO-88213 was shipped to Oslo on 2031-04-17",
    "Rosa does not drink milk but she likes yoghurt",
    "The kiln must stay shut for 36 hours after firing",
    "Arjun moved from Pune to Delft in March 2029",
    "Ilse and Joris run the bakery near the old harbour",
    "The library needs Node 20.1 and Python 3.11",
    "Water the ferns if the soil is dry",
    "The choir meets in the crypt every Thursday at 19:30",
    "Only members may borrow the tools without a deposit",
    "The parcel weighs 3.5 kg and travels by rail",
    "Leyla prefers short answers in bullet points",
    "The fine for late returns is $25 per week",
    "Use the -v flag when the importer hangs",
    "The API gateway listens on port 8443",
    "Store the scans in /srv/scans/2029",
    "Milan coaches Stefan and Stefan coaches Rosa",
    "Hannah is older than Lukas by 4 years",
    "The pilot should file a plan before noon",
    "Wash the wool first and then dye it",
    "The trustees rejected the loan in 2027",
    "Everyone but the treasurer can sign",
    "Catherine Lowe chairs the board of the museum",
    "The amplifier draws 300 mW at idle",
    "The tank holds 20 m² of film",
    "Write to press@harbour.example about the exhibits",
    "The deploy script runs `make release --fast` at midnight",
    "Oleg repairs clocks in Ghent with his brother",
    "The telescope has a 12-inch mirror and serial TX-550",
    "Tenant 4711 renewed the lease until May 2032",
    "The reservoir gate is open in spring",
    "Two thirds of the members voted for Piet",
    "Sensor hub-3 reports 45 % humidity",
    "The vault holds eleven paintings by Kandinsky",
    "The user wants replies in German on Fridays",
    "The bridge toll rose from 4 to 6 euros",
    "Quilts are sold online and at the fair",
    "Never restart the database during a backup",
    "The pool closes 30 minutes earlier in winter",
    "Ibrahim finished in second place behind Mara",
    "The staging cluster lives in eu-west-1",
    "The mentor of Pia is Tom and not Jan",
    "Blueprint sheet F is final since 2030-11-02",
    "The wifi password is kestrel-42",
    "Is the orchard sprayed with copper?",
    "Feed the sourdough twice before kneading",
    "The band's drummer is Oleg since 2028",
    "Version 2.10 fixes the crash in version 2.9",
    "The cafe opens at 8 am except on Sundays",
    "Der Laden hat am Montag von 9 bis 17 Uhr geöffnet",
    "Anna arbeitet nicht mehr in Köln",
    "Die Miete beträgt 850 Euro im Monat",
    "Le train de 8 heures passe par Dijon",
    "Marie ne mange pas de poisson",
    "El museo cierra los lunes a las 18:00",
    "Pablo vive en Sevilla con su hermana",
    "図書館は九時に開く",
    "妹は東京で医者として働いている",
    "会議は2031年4月17日の午後3時です",
    "她每天早上六点去公园跑步",
    "图书馆周一闭馆但周日开放",
    "王明不喜欢喝牛奶",
    "도서관은 일요일에 닫는다",
    "민수는 부산에서 의사로 일한다",
    "ห้องนี้เปิดให้จองทุกวันจันทร์",
    "เขาไม่ดื่มนมตอนเช้า",
)

WORDS = """
    cold green Oslo Rosa seven nine under before without never only old copper harbour 17 2030 no
    may must sold sells brother kg is was and or Bergen all some unless almost X
"""
PREPOSITIONS = "in on at by for from to with under over before after without until"
OPERATORS = """
    not no never only but except if may must should can without until before after then first all
    every unless nicht ne pas
"""
HAN = "不大小上下左右東西南北三七月火水木会没店"


def _digit_changed(text: str, chance: random.Random) -> str:
    return _at_digit(text, chance, lambda digit: str((int(digit) + chance.randint(1, 9)) % 10))


def _digit_dropped(text: str, chance: random.Random) -> str:
    return _at_digit(text, chance, lambda digit: "")


def _digit_doubled(text: str, chance: random.Random) -> str:
    return _at_digit(text, chance, lambda digit: digit * 2)


def _at_digit(text: str, chance: random.Random, edit: Callable[[str], str]) -> str:
    places = [match.start() for match in re.finditer("[0-9]", text)]
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + edit(text[at]) + text[at + 1 :]


def _word_replaced(text: str, chance: random.Random) -> str:
    return _at_word(text, chance, lambda word: [chance.choice(WORDS.split())])


def _word_dropped(text: str, chance: random.Random) -> str:
    return _at_word(text, chance, lambda word: [])


def _word_borrowed(text: str, chance: random.Random) -> str:
    other = chance.choice(SENTENCES).split()
    return _at_word(text, chance, lambda word: [chance.choice(other)])


def _words_swapped(text: str, chance: random.Random) -> str:
    words = text.split()
    if len(words) < 2:
        return text
    one, other = chance.sample(range(len(words)), 2)
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _not_put_in(text: str, chance: random.Random) -> str:
    return _at_word(text, chance, lambda word: [word, chance.choice(("not", "no", "never"))])


def _operator_dropped(text: str, chance: random.Random) -> str:
    words = text.split()
    kept = [word for word in words if word not in OPERATORS.split() or chance.random() < 0.4]
    return " ".join(kept)


def _preposition_changed(text: str, chance: random.Random) -> str:
    words = text.split()
    places = [at for at, word in enumerate(words) if word in PREPOSITIONS.split()]
    if places:
        words[chance.choice(places)] = chance.choice(PREPOSITIONS.split())
    return " ".join(words)


def _sign_put_in(text: str, chance: random.Random) -> str:
    return _at_word(text, chance, lambda word: [chance.choice("-<>~+") + word])


def _question_asked(text: str, chance: random.Random) -> str:
    return text[:-1] if text.endswith("?") else text + "?"


def _letter_changed(text: str, chance: random.Random) -> str:
    places = [at for at, character in enumerate(text) if "a" <= character <= "z"]
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + chance.choice("bdgkmprtz") + text[at + 1 :]


def _character_changed(text: str, chance: random.Random) -> str:
    places = [at for at, character in enumerate(text) if character > "\u0e00"]
    if not places:
        return text
    at = chance.choice(places)
    return text[:at] + chance.choice(["", chance.choice(HAN), text[at] * 2]) + text[at + 1 :]


def _at_word(text: str, chance: random.Random, edit: Callable[[str], list[str]]) -> str:
    words = text.split()
    at = chance.randrange(len(words))
    return " ".join(words[:at] + edit(words[at]) + words[at + 1 :])


EDITS: tuple[Callable[[str, random.Random], str], ...] = (
    _digit_changed,
    _digit_dropped,
    _digit_doubled,
    _word_replaced,
    _word_dropped,
    _word_borrowed,
    _words_swapped,
    _not_put_in,
    _operator_dropped,
    _preposition_changed,
    _sign_put_in,
    _question_asked,
    _letter_changed,
    _character_changed,
)


def edited(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """``count`` times the name of an edit, a sentence, and the sentence with that edit made."""
    chance = random.Random(seed)
    while count:
        edit = chance.choice(EDITS)
        text = chance.choice(SENTENCES)
        other = edit(text, chance)
        if other.split() != text.split():
            yield edit.__name__.strip("_"), text, other
            count -= 1


def spelled_alike(text: str) -> list[str]:
    """The listed equalities that an edit may hit upon: articles, case, zeros, "850 Euro"."""
    text = re.sub(r"(?<![0-9.,])0(?=[0-9])", "", text.lower())
    text = text.replace("euro 850", "850 euro")
    return [word for word in text.split() if word not in {"the", "a", "an"}]


def test_an_edit_is_the_same_only_by_a_listed_equality() -> None:
    wrong = [
        (edit, text, other)
        for edit, text, other in edited(20_000, seed=20310417)
        if relate(form(text), form(other), same_day=True).relation is Relation.SAME
        and spelled_alike(text) != spelled_alike(other)
    ]
    assert wrong == []


def test_every_kind_of_edit_is_made_often() -> None:
    kinds = [edit for edit, _, _ in edited(20_000, seed=20310417)]
    assert min(kinds.count(edit.__name__.strip("_")) for edit in EDITS) >= 200
