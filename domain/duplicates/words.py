"""Closed lists of English words by what they do in a sentence, and marks of other languages."""

from typing import Final


def ordered(text: str) -> list[str]:
    """The words of a list written as text, in its order."""
    return text.split()


def listed(text: str) -> frozenset[str]:
    """The words of a list written as text."""
    return frozenset(text.split())


ARTICLES: Final = listed("the a an")

PREPOSITIONS: Final = listed(
    """
    in on at by for from to of during with within without before after since until till over under
    about into onto near beside behind below above across along among around against between
    beyond through throughout towards toward via per inside outside off out up down like as
    """
)
CONJUNCTIONS: Final = listed(
    "and or but nor so yet because while although though when where whereas once whenever then if"
)
PRONOUNS: Final = listed(
    "i you he she it we they me him her us them his its our your their my mine yours theirs there"
)
DETERMINERS: Final = listed(
    """
    this that these those my your his her its our their every all some any no one another other
    both either neither which whose each many few several more most less much
    """
)
AUXILIARIES: Final = listed(
    "is are was were am be been being has have had do does did will would can could may might must"
)
RELATIVES: Final = listed("who whom whose which that what why how")

FUNCTION_WORDS: Final = (
    ARTICLES
    | PREPOSITIONS
    | CONJUNCTIONS
    | PRONOUNS
    | DETERMINERS
    | AUXILIARIES
    | RELATIVES
    | listed("not please also really currently to")
)

# A comma before one of these divides nothing that the words don't divide themselves. Relatives are
# missing on purpose: "the guests, who ..." speaks of all of them, "the guests who ..." of some.
COMMA_FALLS_BEFORE: Final = (PREPOSITIONS | CONJUNCTIONS | AUXILIARIES) - listed(
    "like as up down out off so"
)
# Before one of these it falls only after an opening adjunct or clause: "If it rains, the match is
# off", but "Stop, the bus is full".
COMMA_FALLS_AFTER_OPENING: Final = ARTICLES | listed(
    "i you he she it we they there his our your their my this these those"
)

# What an addition to a sentence can begin with. Any other word would turn the last noun into a
# modifier: "Ann manages Bob" says nothing of who manages "Bob's team".
CONNECTORS: Final = (
    PREPOSITIONS - listed("up down out off over")
    | CONJUNCTIONS
    | RELATIVES
    | listed(
        """
    every daily weekly monthly yearly hourly twice today tomorrow yesterday tonight together
    including using called named says according based located made together starting ending
    costing
    """
    )
)

OPENING_PREPOSITIONS: Final = listed("on in at during throughout")
# These open an adjunct of time only: "since May", "every Friday".
TIMED_OPENINGS: Final = listed("every since by after before until")
MOVING_ADVERBS: Final = listed(
    "today tomorrow yesterday tonight daily weekly monthly yearly hourly"
)
OPENINGS: Final = OPENING_PREPOSITIONS | TIMED_OPENINGS | MOVING_ADVERBS

# Anything after one of these may hang on a clause of its own, so nothing is moved past it.
CLAUSE_MAKERS: Final = (
    RELATIVES
    | CONJUNCTIONS
    | listed(
        """
    to then respectively from order before after since until till than as said say says think
    thinks thought believe believes believed know knows knew tell tells told promise promises
    promised plan plans want wants wanted agree agrees agreed decide decides decided ask asks
    asked expect expects expected hope hopes hoped report reports reported claim claims claimed
    write writes wrote hear hears heard see sees saw remember remembers remembered order orders
    ordered announce announces announced suggest suggests suggested mention mentions mentioned
    warn warns warned learn learned confirm confirms confirmed saying
    """
    )
)
SEQUENCE_WORDS: Final = listed(
    "then respectively from order first second last former latter before after versus vs between"
)

# Words of a sentence that add nothing to what it states (spec: please, also, really, ...).
FILLERS: Final = listed("please also really actually currently basically indeed")
REPORTING: Final = listed(
    """
    say says said think thinks thought believe believes believed know knows knew mention mentions
    mentioned report reports reported confirm confirms confirmed hope hopes hoped agree agrees
    agreed decide decides decided notice notices noticed mean means meant insist insists insisted
    explain explains explained realize realizes realized learn learned remember remembers
    remembered claim claims claimed suggest suggests suggested sure glad
    """
)
SUBJECTS: Final = listed("i you he she we they")
# With one of these "a" is more than an article: "few members came" and "a few members came".
COUNTED_WITH_ARTICLE: Final = listed("few little bit couple number")

STOP_WORDS: Final = (
    ARTICLES
    | PREPOSITIONS - listed("without over under up down out off")
    | CONJUNCTIONS - listed("if but once")
    | PRONOUNS
    | FILLERS
    | listed(
        "this that these those which who whose whom has have had do does did be been not no number"
    )
)

ENGLISH: Final = listed(
    """
    the is are has have had of for with to and does do did will would from by uses not it its he
    she they we you his her their our my this that there was were be been at on can must should
    who which every or if when then i'm
    """
)
# Function words of German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages,
# Polish and Russian that are no English words.
FOREIGN: Final = listed(
    """
    der das dem den und ist nicht ein eine einen einem einer auf für mit von vom zum zur bei sich
    auch sind wird wurde haben sie er wir ihr ich du es im am um zu aus nach kein keine sein seine
    le les des du est une dans et ne pas il elle nous vous avec pour sur au aux qui que ce cette
    ses la el los las del al y una con por para su sus es en no un lo se più gli della dei di che
    è non nel alla sono il ha per o os uma não na pelo pela em com são seu sua ao foi het een de
    niet voor met op zijn naar ook bij och att är som på av till inte den og ikke er til jeg ei
    nie jest się na w z i do и в не на с что он она это для по à où
    """  # noqa: RUF001 - Russian among the others
) - listed("no i do in on a at me so per of w z o y met till am ha um mai")

# Capitals that spell a common word mean another thing than the word: US / us, IT / it.
CODES_LIKE_WORDS: Final = listed(
    """
    us it who or in is as on at be do go me no so aids pat cat may can all what let set get put
    act art fast lamp rest soap cap map apt vat sat ram rip gif tap pin sad bat ice east id pa ma
    he we my by up if of to an add arc bar bid bit cop cow dam dot ear era eta far fat fed fee fit
    flu gas hip hot ion led lit log man mat mom net nut oar oil par pay pet pie pig pit pod pot
    raw saw sea sip sit sum sun tab tan tar tie tip van war was win zip care cobra core dare dart
    pets star step swift start hero
    """
)
# With a capital inside a sentence these are names; small, they are something else.
NAMES_LIKE_WORDS: Final = listed(
    """
    turkey polish china japan chile march may june august will mark bill rose rich jack frank
    grant nice reading bath cork mobile apple amazon windows word excel teams slack notion access
    pages numbers keynote go rust swift python ruby rails flask spring express oracle shell target
    gap bush brown green black white gray grey young long short king page penny daisy lily iris
    ivy jade pearl ruby amber dawn eve joy hope faith grace summer autumn guy art pat drew chip
    dean earl duke baker smith cook carter mason fisher hunter taylor turner potter cooper archer
    miller
    """
)
# "A" in a text all in capitals is an article after one of these, elsewhere perhaps a letter.
BEFORE_ARTICLE: Final = (
    PREPOSITIONS
    | AUXILIARIES
    | CONJUNCTIONS
    | listed(
        "takes needs wants likes uses owns buys keeps makes gets gives drives wears holds plays"
    )
)
ABBREVIATIONS: Final = listed("dr mr mrs ms prof st approx vs eg ie e.g i.e mt")

DEICTIC: Final = listed(
    """
    today tomorrow yesterday tonight now ago nowadays heute gestern vorgestern übermorgen morgen
    vandaag gisteren aujourd'hui demain hier hoy mañana ayer oggi domani ieri hoje amanhã ontem
    idag imorgon igår сегодня завтра вчера dziś dzisiaj jutro wczoraj 오늘 내일 어제 모레 그저께
    """
)
DEICTIC_BEFORE_TIME: Final = listed("this next last coming past")
CALENDAR: Final = listed(
    """
    second minute hour day week weekend fortnight month quarter year decade century term semester
    morning afternoon evening night noon sprint season spring summer autumn fall winter monday
    tuesday wednesday thursday friday saturday sunday christmas easter january february march
    april may june july august september october november december
    """
)
