"""Words that turn a statement around, narrow it or widen it.

The list chooses the label between an addition and a conflict, and holds back the rules that reorder
a text. Sameness is never proven by a word's absence from it.
"""

from typing import Final

from .words import listed

NEGATIONS: Final = listed("""
    not no never none nobody nothing nowhere neither nor without cannot ain't hardly barely
    scarcely seldom rarely only except excluding unless solely merely just nicht kein keine keinen
    keinem keiner keines nie niemals ohne ne pas sans jamais rien aucun aucune niet geen nooit
    zonder não nao nunca jamás jamas nada sin non senza mai sem inte ikke ej ei ikkje nie nigdy
    bez не нет без никогда ни değil yok नहीं لا ليس غير
    """)

OPERATORS: Final = NEGATIONS | listed("""
    or but besides apart save if whether provided otherwise can could may might must should shall
    will would ought need needn't used wants supposed meant former formerly previously past ex
    once late future would-be acting interim deputy vice assistant junior honorary fake mock toy
    pretend so-called alleged allegedly supposedly reportedly putative almost nearly about
    approximately roughly around half partly partially mostly mainly largely most some few fewer
    several many all every each any both either more less least fewer than enough too over under
    maximum minimum up always sometimes often usually frequently occasionally generally normally
    probably possibly maybe perhaps likely unlikely apparently presumably potentially planned
    proposed draft tentative provisional instead rather longer anymore still yet already again old
    new first last stop stops stopped stopping cease ceased quit deny denies denied lack lacks
    lacking fail fails failed refuse refuses refused cancel cancels canceled cancelled revoke
    revoked disable disabled forbid forbidden prohibit prohibited ban banned reject rejected
    remove removed deprecated obsolete false untrue wrong incorrect impossible was were had did
    been si wenn falls nur außer fast vielleicht immer manchmal sauf seulement seul presque peut
    toujours parfois si solo salvo casi quizás siempre excepto soltanto quasi forse sempre alleen
    behalve bijna soms altijd misschien только кроме если почти иногда всегда
    """)

# An adjunct or clause put after a whole statement may hold these and leave it as it was: "... in
# the old mill", "... and was born in Oslo".
HARMLESS_IN_ADDITIONS: Final = listed("""
    about around approximately roughly some few fewer several many all every each any both
    half more less up over under too enough old new first last once was were had did been
    """)

# These say when or how large, and scope over nothing: an adjunct may move past them.
UNSCOPED: Final = listed("was were had did been old new up over under")

# In scripts without spaces an operator is read off the characters in which two texts differ.
SCRIPT_OPERATORS: Final = frozenset("不没沒無无非未勿別别只仅僅若除否莫毋禁ずぬ") | listed(
    "ไม่ ห้าม อย่า เฉพาะ ยกเว้น ない ません なら だけ 안 못 않 없 아니"
)
