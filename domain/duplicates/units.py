"""Units, currencies, scales and months: what a number can stand with."""

from decimal import Decimal
from typing import Final, TypeAlias

from .words import ordered

Unit: TypeAlias = tuple[str, Decimal]

# Dimension, factor, names whatever their case, symbols whose case counts ("mW" is no "MW").
# Factors are exact and only within seconds, days, months, grams, metres and litres; a unit
# without a relative here has a dimension of its own.
_UNITS: Final = """
s 0.000000001 nanosecond nanoseconds | ns
s 0.000001 microsecond microseconds | μs
s 0.001 millisecond milliseconds millis msec | ms
s 1 second seconds sec secs | s
s 60 minute minutes min mins |
s 3600 hour hours hr hrs | h
day 1 day days |
day 7 week weeks wk wks |
month 1 month months |
month 12 year years yr yrs |
g 0.000001 microgram micrograms mcg | μg
g 0.001 milligram milligrams | mg
g 1 gram grams gramme grammes | g
g 1000 kilogram kilograms kilo kilos | kg Kg KG
g 1000000 tonne tonnes | t
m 0.001 millimetre millimetres millimeter millimeters | mm
m 0.01 centimetre centimetres centimeter centimeters | cm CM
m 1 metre metres meter meters | m
m 1000 kilometre kilometres kilometer kilometers | km Km KM
l 0.001 millilitre millilitres milliliter milliliters | ml mL
l 0.01 centilitre centilitres centiliter centiliters | cl cL
l 1 litre litres liter liters | l L
mi 1 mile miles | mi
ft 1 foot feet | ft
inch 1 inch inches |
yd 1 yard yards | yd
lb 1 lb lbs |
oz 1 ounce ounces oz |
byte 1 byte bytes |
kbyte 1 kilobyte kilobytes | KB kB
Mbyte 1 megabyte megabytes | MB
Gbyte 1 gigabyte gigabytes | GB
Tbyte 1 terabyte terabytes | TB
kibyte 1 kibibyte kibibytes | KiB
Mibyte 1 mebibyte mebibytes | MiB
Gibyte 1 gibibyte gibibytes | GiB
kbit 1 kilobit kilobits | kbit
Mbit 1 megabit megabits | Mb Mbit
Gbit 1 gigabit gigabits | Gb Gbit
W 1 watt watts | W
mW 1 milliwatt milliwatts | mW
kW 1 kilowatt kilowatts | kW
MW 1 megawatt megawatts | MW
GW 1 gigawatt gigawatts | GW
Wh 1 | Wh
kWh 1 | kWh
MWh 1 | MWh
V 1 volt volts | V
kV 1 kilovolt kilovolts | kV
mA 1 milliamp milliamps | mA
Hz 1 hertz | Hz
kHz 1 kilohertz | kHz
MHz 1 megahertz | MHz
GHz 1 gigahertz | GHz
kcal 1 | kcal
% 1 percent percents | %
degC 1 celsius | °C
degF 1 fahrenheit | °F
"""

_CURRENCIES: Final = """
$ | $ dollar dollars bucks
usd | usd us$
eur | eur € euro euros
gbp | gbp £
¥ | ¥
jpy | jpy yen
chf | chf
cad | cad
aud | aud
sek | sek
cny | cny rmb
inr | inr ₹
rub | rub ₽
krw | krw ₩
"""

_MONTHS: Final = """
january jan | february feb | march mar | april apr | may | june jun | july jul | august aug \
| september sep sept | october oct | november nov | december dec
januar jänner | februar | märz | april | mai | juni | juli | august | september | oktober \
| november | dezember
janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre \
| décembre
enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | octubre \
| noviembre | diciembre
gennaio | febbraio | marzo | aprile | maggio | giugno | luglio | agosto | settembre | ottobre \
| novembre | dicembre
janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro \
| novembro | dezembro
januari | februari | maart | april | mei | juni | juli | augustus | september | oktober \
| november | december
января | февраля | марта | апреля | мая | июня | июля | августа | сентября | октября | ноября \
| декабря
stycznia | lutego | marca | kwietnia | maja | czerwca | lipca | sierpnia | września \
| października | listopada | grudnia
"""


def _units() -> tuple[dict[str, Unit], dict[str, Unit]]:
    words: dict[str, Unit] = {}
    symbols: dict[str, Unit] = {}
    for line in _UNITS.strip().splitlines():
        names, _, shorts = line.partition("|")
        dimension, factor, *spelled = names.split()
        unit = (dimension, Decimal(factor))
        words |= dict.fromkeys(spelled, unit)
        symbols |= dict.fromkeys(shorts.split(), unit)
    return words, symbols


def _currencies() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _CURRENCIES.strip().splitlines():
        currency, _, names = line.partition("|")
        table |= dict.fromkeys(names.split(), currency.strip())
    return table


def _months() -> tuple[dict[str, int], frozenset[str]]:
    table: dict[str, int] = {}
    english: frozenset[str] = frozenset()
    for line in _MONTHS.strip().splitlines():
        for number, names in enumerate(line.split("|"), 1):
            for name in names.split():
                table.setdefault(name, number)
        english = english or frozenset(table)
    return table, english


ONE: Final = Decimal(1)
UNIT_WORDS, UNIT_SYMBOLS = _units()
CURRENCIES: Final = _currencies()
MONTHS, ENGLISH_MONTHS = _months()

# Written small these are verbs, or words of another language: "they march 12 km".
MONTHS_ONLY_CAPITAL: Final = frozenset({"march", "mar", "may", "mai", "mars", "marca", "mei"})

SCALES: Final = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "mn": 1_000_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
    "trillion": 1_000_000_000_000,
    "dozen": 12,
    "k": 1_000,
}
# Glued to a sum of money, "m" is a million; anywhere else it is a metre.
MONEY_SCALES: Final = SCALES | {"m": 1_000_000, "b": 1_000_000_000, "one": 1}

TIME_DIMENSIONS: Final = frozenset({"s", "day", "month"})
TIME_WORDS: Final = frozenset(
    word for word, (dimension, _) in UNIT_WORDS.items() if dimension in TIME_DIMENSIONS
)

_ONES: Final = ordered("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
""")
_TENS: Final = ordered("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS: Final = ordered("""
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
""")


def _hyphenated(endings: list[str]) -> dict[str, int]:
    return {
        f"{ten}-{one}": 20 + 10 * tens + value
        for tens, ten in enumerate(_TENS)
        for value, one in enumerate(endings[:9], 1)
    }


NUMBER_WORDS: Final = (
    {word: value for value, word in enumerate(_ONES)}
    | {word: 20 + 10 * index for index, word in enumerate(_TENS)}
    | _hyphenated(_ONES[1:])
)
ORDINALS: Final = (
    {word: value for value, word in enumerate(_ORDINALS, 1)}
    | {"thirtieth": 30}
    | _hyphenated(_ORDINALS)
)
