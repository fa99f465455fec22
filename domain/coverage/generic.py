"""Closed lists: words that say nothing by their capital, abbreviations, negators, verbs."""

from itertools import chain
from typing import Final

from ..duplicates import units, words
from ..duplicates.operators import NEGATIONS
from ..duplicates.words import listed

_OPENERS: Final = listed("""
    about according additionally after again also although always another anyway as aside
    basically because before besides both briefly by consequently currently despite due during
    each earlier either else especially even eventually ever every everyone everything finally
    first firstly following formerly former fortunately furthermore generally given hence here
    hereafter how however if importantly in including indeed initially instead just lastly last
    later lately likewise mainly many maybe meanwhile moreover most mostly much namely near nearly
    never nevertheless next no nobody none normally not nothing notably now nowadays often ok okay
    once one only originally other others otherwise overall particularly perhaps please
    possibly presumably previously probably rarely rather recently regarding regardless same
    second secondly seldom several similarly since so some someone something sometimes soon
    specifically still such than thanks that then there thereafter therefore third though
    through thus together too typically under unfortunately unless unlike until upon usually
    very via what whatever when whenever where whereas wherever whether which while who whoever
    whose why with within without yes yet zero all any anybody anyone anything few fewer less
    more neither nor half enough everybody somebody somewhere everywhere almost already
    approximately around roughly exactly hello hi hey sure
""")
_QUALIFIERS: Final = listed("""
    great good bad new old long short best better big small high low key main full different similar
    total various certain current original previous recent final important possible potential
    necessary two three four five six seven eight nine ten eleven twelve twenty hundred thousand
    million
""")
_CALENDAR: Final = listed("""
    today tomorrow yesterday tonight day days week weeks weekend weekends month months quarter
    year years morning afternoon evening night noon midnight date dates time times hour hours
    minute minutes second seconds daily weekly monthly yearly annual annually spring summer autumn
    fall winter season century decade deadline schedule
""")
_SYSTEM: Final = listed("""
    user users agent agents assistant assistants task tasks memory memories note notes summary
    context conversation message messages session sessions tool tools system systems service
    services server servers file files folder folders data database code error errors issue
    issues bug bugs fix fixes problem problems result results status step steps step example
    examples option options item items list lists name names type types value values version
    versions number numbers question questions answer answers reason reasons rule rules warning
    warnings reminder tip todo update updates change changes default defaults setting settings
    config configuration preference preferences project projects team teams people person member
    members owner owners customer customers client clients account accounts request requests
    response responses report reports document documents documentation page pages
    model models test tests build builds release releases deployment deployments event events
    fact facts information details detail description title category categories tag tags goal
    goals plan plans decision decisions workflow process processes feature features content text
    input output source sources entry entries record records topic subject format language
""")
_FOREIGN: Final = listed("die man aber oder wenn weil dies diese dieser on un uno esta este")
_VERBS: Final = listed("""
    accept add agree allow apply ask assign attend avoid be become begin believe belong bring
    build buy call cancel carry change check choose clean close come commit configure confirm
    connect consider contain continue convert copy cost cover create decide define delete deliver
    deny depend deploy describe do drink drive drop eat edit enable end ensure enter exclude
    execute expect expire explain export extend fail fall feed fetch fill find fix follow forget
    get give go grow handle happen hate have help hold hope host ignore implement import include
    increase install invite join keep know launch lead learn leave let like limit link list listen
    live load log look lose love maintain make manage match mean measure meet merge migrate move
    need note notice offer open order own pass pay perform pick place plan play post prefer prepare
    prevent print process produce protect prove provide publish pull push put raise reach read
    receive recommend record reduce refer refuse reject release remain remember remove rename
    replace reply report require reset resolve respond restart retry return review rewrite rotate
    run save say see seem sell send serve set share ship show sign sit skip sleep speak spend
    start stay stop store suggest support swim switch take talk teach tell tend test think trust
    try turn understand update upgrade use validate verify visit vote wait walk want watch wear
    wish work write
""")
_ING: Final = listed("""
    adding allowing applying asking avoiding being building calling changing checking choosing
    cleaning closing coming configuring considering creating deleting deploying doing editing
    enabling ensuring finding fixing following getting giving going having helping importing
    including installing keeping leaving looking making managing merging moving noting opening
    passing planning providing pushing putting reading removing renaming replacing restarting
    reviewing running saving saying seeing sending setting showing sorting starting stopping
    storing switching taking testing trying turning updating upgrading using verifying waiting
    working writing added created updated removed changed fixed moved used needed
""")
_PAST: Final = listed("""
    ate bought broke brought built came chose did drew drove fell felt flew found gave gets goes
    got grew had has heard held hid kept knew led left lent lost made met paid ran sang sat saw
    sent shook slept sold spent spoke stood sung swam taught thought threw told took understood
    went won wore wrote
""")
AUXILIARIES: Final = words.AUXILIARIES | listed("should shall ought need needs cannot being having")
PRONOUNS: Final = listed("he she it they who which this these those")

GENERIC: Final = frozenset(
    chain(
        words.FUNCTION_WORDS, words.FILLERS, words.FOREIGN,
        _OPENERS, _QUALIFIERS, _CALENDAR, _SYSTEM, _VERBS, _ING, _FOREIGN, AUXILIARIES,
    )
) - units.MONTHS.keys()  # fmt: skip
"""Words that are no specifics where a sentence opens.

The names of days and months are missing on purpose: "Monday is the deadline" says when.
"""

BEGINNERS: Final = _QUALIFIERS
"""Those among them that belong to the name behind them: "New Haven", "Two Rivers"."""

VERBS: Final = _VERBS | _PAST | AUXILIARIES
"""Words that make a clause of the words around them, besides those that end like a verb."""

FUNCTION: Final = words.FUNCTION_WORDS | words.ARTICLES | PRONOUNS | AUXILIARIES
"""Words that stand before a subject without being it, or that carry no content."""

COMMON_ACRONYMS: Final = listed(
    "OK FYI NB PS AKA TBD TBC ASAP AM PM ETC IE EG TODO NOTE WARNING IMPORTANT"
) | frozenset(
    word.upper()
    for word in words.FUNCTION_WORDS | NEGATIONS | AUXILIARIES | listed("always never must do")
) - listed("US IT WHO")
"""Words in capitals that are no acronyms, or that everyone writes."""

ABBREVIATIONS: Final = (
    words.ABBREVIATIONS
    | listed("""
        jr sr rev hon gov sen rep pres gen col lt capt sgt inc ltd corp co llc bros dept univ no nos
        nr ca cf al ed eds vol pp p fig figs eq est ext tel ft ave rd blvd apt min max incl excl
        resp etc bzw usw z.b d.h sta sto
    """)
    | frozenset(name for name in units.MONTHS if len(name) < 5)
)
"""Words whose full stop ends no sentence."""

NEVER_NAMES: Final = listed("i dr mr ms st mt no vs jr sr lt ft co rd ca cf al eg ie nr")
"""Short words that a capital makes no name anywhere in a sentence."""

NOT: Final = 1
ONLY: Final = 2
EXCEPT: Final = 4

_RESTRICTING: Final = listed("only solely")
_EXCEPTING: Final = listed("except excluding unless")
_ENGLISH: Final = listed("""
    not no never none nobody nothing nowhere neither nor without cannot hardly barely scarcely
    seldom rarely
""")
POLARITY: Final = (
    dict.fromkeys(NEGATIONS - listed("just merely"), NOT)
    | dict.fromkeys(_RESTRICTING, ONLY)
    | dict.fromkeys(_EXCEPTING, EXCEPT)
)
"""What a word does to its clause: turns it, narrows it, takes something out of it."""

POLARITY_IF_CAPITAL: Final = _ENGLISH | _RESTRICTING | _EXCEPTING
"""The negators that stay negators with a capital; "Mai" is a month, "mai" an Italian never."""

CONJUNCTIONS: Final = listed("""
    and but while whereas although though because when whenever if unless until so since which who
    whose where then however yet without except excluding after before once
""")
"""Words that a clause may open with."""

ALWAYS_OPEN: Final = listed("without except excluding unless")
"""Conjunctions after which what is said stands apart even without a verb."""

FOCUS: Final = listed("only just merely simply solely")
"""After "not" these turn nothing: "not only X but Y" says both."""
