"""Two spellings of one word: word lists only, since a rule would make "poring" of "pouring"."""

from typing import Final

from .words import listed, ordered

_OUR: Final = ordered("""
    arm behavi cand clam col demean endeav fav ferv flav glam harb hon hum lab neighb od parl ranc
    rig rum savi sav splend succ tum val vap vig
""")
_OUR_ENDINGS: Final = (
    "",
    *ordered("s ed ing able ably ful fully less ite ites ist ists hood hoods er ers ly al ally y"),
)
_ISE: Final = ordered("""
    agon anonym apolog author capital categor central character civil colon commercial computer
    critic crystall custom decentral deserial digit economi emphas energ equal fertil final formal
    general global harmon hospital human ideal immun industrial initial item jeopard legal local
    magnet material maxim memor minim mobil modern monet monopol moistur nation neutral normal
    optim organ reorgan parallel parameter patron penal personal polar popular prior privat public
    random rational real recogn revital scrutin serial social special stabil standard steril
    subsid summar symbol sympath synchron tokenis util vandal vapor verbal visual western
    containers virtual
""")
_ISE_ENDINGS: Final = ordered("ise ised ises ising iser isers isation isations isable")
_YSE: Final = ordered("anal paral catal electrol hydrol dial")
_RE: Final = ordered("""
    cent theat fib lit met calib lust meag somb och sab spect kilomet centimet millimet
""")
_DOUBLED: Final = ordered("""
    cancel channel counsel dial duel equal fuel label level marshal marvel model panel parcel
    pedal pencil quarrel refuel relabel remodel rival shovel signal snorkel spiral swivel total
    travel tunnel unravel yodel
""")
_PAIRS: Final = ordered("""
    favourite favorite favourites favorites grey gray greys grays greyer grayer greyish grayish
    licence license licences licenses defence defense defences defenses offence offense offences
    offenses pretence pretense practise practice practised practiced practising practicing
    programme program programmes programs catalogue catalog catalogues catalogs catalogued
    cataloged dialogue dialog dialogues dialogs analogue analog analogues analogs jewellery
    jewelry jeweller jeweler jewellers jewelers tyre tire tyres tires aluminium aluminum plough
    plow ploughs plows ploughed plowed ploughing plowing pyjamas pajamas mum mom mums moms okay ok
    whilst while amongst among towards toward afterwards afterward learnt learned burnt burned
    dreamt dreamed leapt leaped moustache mustache moustaches mustaches sceptical skeptical
    sceptic skeptic sceptics skeptics cosy cozy cosier cozier fulfil fulfill fulfils fulfills
    fulfilment fulfillment enrol enroll enrols enrolls enrolment enrollment enrolments enrollments
    instalment installment instalments installments skilful skillful wilful willful marvellous
    marvelous woollen woolen aeroplane airplane aeroplanes airplanes manoeuvre maneuver manoeuvres
    maneuvers paediatric pediatric paediatrician pediatrician anaemia anemia anaemic anemic
    oestrogen estrogen foetus fetus haemoglobin hemoglobin diarrhoea diarrhea leukaemia leukemia
    archaeology archeology archaeologist archeologist archaeologists archeologists anaesthetic
    anesthetic orthopaedic orthopedic encyclopaedia encyclopedia gynaecologist gynecologist
    judgement judgment judgements judgments acknowledgement acknowledgment acknowledgements
    acknowledgments ageing aging likeable likable sizeable sizable artefact artifact artefacts
    artifacts mould mold moulds molds mouldy moldy moulded molded smoulder smolder sulphur sulfur
    traveller traveler travellers travelers modeller modeler modellers modelers labeller labeler
    councillor councilor councillors councilors counsellor counselor counsellors counselors
    cancellation cancelation axe ax omelette omelet omelettes omelets yoghurt yogurt yoghurts
    yogurts doughnut donut doughnuts donuts ketchup catsup chequered checkered liquorice licorice
    kilogramme kilogram gramme gram routeing routing speciality specialty specialities specialties
    disc disk discs disks e-mail email e-mails emails cypher cipher grille grill storeys stories
""")


def _variants() -> dict[str, str]:
    table = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
    for stem in _OUR:
        table |= {f"{stem}our{ending}": f"{stem}or{ending}" for ending in _OUR_ENDINGS}
    for stem in _ISE:
        table |= {stem + ending: stem + "iz" + ending[2:] for ending in _ISE_ENDINGS}
    for stem in _YSE:
        for ending in ("yse", "ysed", "yses", "ysing", "yser", "ysers"):
            table[stem + ending] = stem + "yz" + ending[2:]
    for stem in _RE:
        table |= {f"{stem}re": f"{stem}er", f"{stem}res": f"{stem}ers"}
    table |= {"centred": "centered", "centring": "centering"}
    for stem in _DOUBLED:
        table |= {f"{stem}l{ending}": f"{stem}{ending}" for ending in ("ed", "ing")}
    for wrong in ("storeys", "grille", "armory", "laborer", "favorite", "disc", "discs"):
        table.pop(wrong, None)
    return table


# "sub-committee" is a "subcommittee". Not re-, co-, pre-, super-: "re-sign" is not to "resign".
JOINING_PREFIXES: Final = listed("sub non multi micro mini anti semi ultra")

# British to American. Names keep their letters: Mr Grey is not Mr Gray.
SPELLINGS: Final = _variants()
NEVER_AT_THE_START: Final = listed(
    "grey greys centre harbour honour labour theatre mum mums parlour calibre armour"
)

CONTRACTIONS: Final = {
    "won't": "will not",
    "can't": "can not",
    "cannot": "can not",
    "shan't": "shall not",
    "let's": "let us",
    "i'm": "i am",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "werent": "were not",
    "hasnt": "has not",
    "havent": "have not",
    "couldnt": "could not",
    "shouldnt": "should not",
    "wouldnt": "would not",
    "gonna": "going to",
    "wanna": "want to",
    "y'all": "you all",
}
# Before "been" and "got" the 's of these is "has"; after any other word it marks the possessor.
IS_AFTER: Final = listed(
    "it he she that there here what who where how when this everything everyone"
)
ENDINGS: Final = {"re": "are", "ll": "will", "ve": "have"}

_FIRST: Final = listed("""
    air arm back ball band bar base bath bed bell bird birth block blood boat body book brain
    bread break bug build butter cake camp candle car card cart case ceiling cell chain change
    check cheese chess church city class clip clock cloth club coach coal coast code coffee corn
    cotton court cow craft cross cup dash data day death desk dish dog door dream drum dust ear
    earth egg end event eye face farm feed fiber field file film finger fire fish flag floor flow
    flower folk food foot fork frame fuel game gate girl glass goal grape grass guard guest guide
    gun hair hall ham hand hash hay head health heart heel help hill home honey horn horse house
    ice jail jaw key kick kitchen knee lady lake lamp land lap lead leaf life line lip list load
    lock log lunch mail map market meat message metal mile milk moon motor mouse mouth mud name
    neck needle net news night note nut oil page paper park pass patch path pay pea pen pepper
    phone pig pillow pin pipe plant plate play pool port post pot power price print rail rain
    river road rock roof room root rose row run salt sand saw scrap screen sea seed ship shirt
    shoe shop show side sign silk skate ski skin sky slide smoke snow song source space speed
    spider spread spring staff stake star station steam steel stock stone store storm story street
    string sugar sun table tail task tax tea team tear text thumb thunder ticket time toe tool
    tooth torch touch town toy track trade traffic train tree truck turn type user view voice wall
    war wash waste watch water wave web week weekend whale wheat wheel wind window wine wire wood
    word work workshop wrist yard
""")
_SECOND: Final = listed("""
    ache air back bag ball band bank base basket bed bell belt bench berry bird blower board boat
    book box breaker brow brush burn byte cake camp card case cast chain chair chat cloth coat
    code count craft cream cup cut day desk dock dog door drop end field fight file fire fish fix
    flake flow flower frame front fruit game gate girl glass ground guard guide gun hall head hill
    hold holder hole hook house jam keeper kit lace lamp land lane lash light line link list load
    lock mail maker man map mark market master mate melon mill nail name nap neck note number nut
    pack pad page pan paper park pass paste path pick piece pin pit place plan plane plate point
    pool port post pot power print proof rack reader road room runner saw scape screen seller set
    shade shake sheet shelf ship shop shot show side site skin skirt smith space spoon spot stack
    staff stamp stand station stick stone stop storm story stream string strip style suit switch
    table tag tail tank tape text thread time top tower track trap tray tree truck tub tube tune
    type view walk wall ware wash watch water wave way weed weight wheel wire word work worker
    works worm worth wreck writer yard zone
""")
_VERBS: Final = listed("""
    back blow break build call cash catch change check clean close cook count cover crack cut
    drive drop fall fill follow get give hand hang hide hold hook kick knock lay let lift lock log
    look make mark mix opt pay pick play plug pop print pull push read roll round run scale sell
    send set shut sign sit slow speed spin stand start step sync take tear tidy tie trade try turn
    wake walk warm wash wind wipe work wrap write
""")
_PARTICLES: Final = listed("up out in off down back over away through on around")
# Joined these are words of their own, or parts of names.
_NOT_COMPOUNDS: Final = listed("""
    sunday carpet carport passport seaman pinpoint newsman layman landmark carton income homework
    housework leadon earthwork
    """)


def compound(word: str) -> tuple[str, str] | None:
    """The halves of a word that is also written as two: "database" is "data base".

    Nouns before nouns and verbs before particles only: an adjective before a noun may be meant word
    by word, as in "a green house".
    """
    if word in _NOT_COMPOUNDS:
        return None
    for cut in range(3, len(word) - 1):
        first = word[:cut]
        if first in _FIRST or first in _VERBS:
            second = word[cut:]
            ends = {second, second.removesuffix("s")}
            if (first in _FIRST and ends & _SECOND) or (first in _VERBS and ends & _PARTICLES):
                return first, second
    return None
