"""Pairs that say the same, by kind, found the way a save finds them."""

import pytest

from muniment.domain.duplicates import Relation, form, jaccard, relate

REPETITIONS: dict[str, list[tuple[str, str]]] = {
    "end punctuation": [
        ("The kiln is hot", "The kiln is hot!"),
        ("The kiln is hot.", "The kiln is hot..."),
        ("Das Boot liegt im Hafen", "Das Boot liegt im Hafen."),
        ("Where is the kiln?", "Where is the kiln ?"),
        ("El museo cierra el lunes", "El museo cierra el lunes."),
        ("도서관은 일요일에 닫는다", "도서관은 일요일에 닫는다."),
        ("図書館は日曜日に閉まる", "図書館は日曜日に閉まる。"),
    ],
    "case": [
        ("Nadia paints in oils", "nadia paints in oils"),
        ("THE FERRY LEAVES AT 7 PM", "The ferry leaves at 7 pm"),
        ("Order PO-88213 is on hold", "order po-88213 is on hold"),
        ("ROSA DOESN'T DRINK MILK", "Rosa doesn't drink milk"),
        ("Le Train Passe Par Dijon", "le train passe par dijon"),
    ],
    "blanks and width": [
        ("Nadia  paints\tin oils", "Nadia paints in oils"),
        ("Nadia\u00a0paints in oils", "Nadia paints in oils"),
        ("Nadia paints\nin oils", "Nadia paints in oils"),
        ("The hall seats 2\u202f400 people", "The hall seats 2400 people"),
        ("今天 图书馆 闭馆", "今天图书馆闭馆"),
        ("ร้านนี้ เปิดทุกวัน", "ร้านนี้เปิดทุกวัน"),
        ("ｶﾒﾗは高い", "カメラは高い"),
        ("ka\u200bf\u00adka reads", "kafka reads"),
    ],
    "quotes and dashes": [
        ("Leyla’s codename is “Fig”", 'Leyla\'s codename is "Fig"'),
        ("The kiln — the old one — is hot", "The kiln – the old one – is hot"),
        ("It is −5 °C outside", "It is -5 °C outside"),
        ("Rosa doesn’t drink milk", "Rosa doesn't drink milk"),
        ("Use **rye** flour for the loaf", "Use rye flour for the loaf"),
        ("La fête s’appelle « Lumière »", "La fête s'appelle “Lumière”"),
    ],
    "articles": [
        ("The choir meets in the crypt", "Choir meets in a crypt"),
        ("Oleg bought an accordion for the choir", "Oleg bought accordion for the choir"),
        ("A kiln needs the space", "The kiln needs space"),
    ],
    "dates": [
        ("The lease ends on 3 March 2031", "The lease ends on March 3rd, 2031"),
        ("The lease ends on 2031/03/03", "The lease ends on 3.3.2031"),
        ("The lease ends on 17/04/2031", "The lease ends on 04/17/2031"),
        ("The lease ends on 5 May", "The lease ends on May 5"),
        ("The lease began in Sept. 2030", "The lease began in September 2030"),
        ("Existing since 2027-10-07", "Existing since October 7, 2027"),
        ("Der Vertrag endet am 17. April 2031", "Der Vertrag endet am 2031-04-17"),
        ("Le bail finit le 17 avril 2031", "Le bail finit le 17/04/2031"),
        ("El contrato termina el 17 de abril de 2031", "El contrato termina el 2031-04-17"),
        ("会议在2031年4月17日", "会议在2031-04-17"),
        ("The fair is on 05/03/2031", "The fair is on 5/3/2031"),
    ],
    "clock times": [
        ("Der Laden öffnet um 9 Uhr", "Der Laden öffnet um 9:00"),
        ("Der Laden öffnet um 9:30 Uhr", "Der Laden öffnet um 09:30"),
        ("Le train part à 9h30", "Le train part à 9:30"),
        ("The pool opens at 6.30 pm", "The pool opens at 18:30"),
        ("The pool opens at 6:30 p.m. on Mondays", "The pool opens at 18:30 on Mondays"),
        ("The pool opens at 12 am", "The pool opens at 00:00"),
        ("The pool opens at noon", "The pool opens at 12:00"),
        ("The pool opens at 9am", "The pool opens at 9 AM"),
        ("店は午後3時に閉まる", "店は15:00に閉まる"),
        ("图书馆上午九点开门", "图书馆9:00开门"),
        ("図書館は九時半に開く", "図書館は9:30に開く"),
        ("図書館は９時に開く", "図書館は九時に開く"),
    ],
    "numbers": [
        ("Check the best 4 options", "Check the best four options"),
        ("The hall seats two hundred and fifty people", "The hall seats 250 people"),
        ("The town has 12,500 people", "The town has twelve thousand five hundred people"),
        ("The firm has 1.5 million users", "The firm has 1,500,000 users"),
        ("The firm has 40k users", "The firm has 40,000 users"),
        ("A hundred people came", "100 people came"),
        ("Oleg needs two dozen eggs", "Oleg needs 24 eggs"),
        ("Ilse finished twenty-first", "Ilse finished 21st"),
        ("Le village compte 2\u202f400 maisons", "Le village compte 2\u202f400 maisons."),
        ("那里有十二个房间", "那里有12个房间"),
    ],
    "units": [
        ("THE PARCEL WEIGHS 3 KG", "The parcel weighs 3 kg"),
        ("Boil it for 90 minutes", "Boil it for 1.5 hours"),
        ("The parcel weighs 1500 g", "The parcel weighs 1.5 kg"),
        ("The rope is 25 m long", "The rope is 25 metres long"),
        ("The path is 2 km long", "The path is 2,000 m long"),
        ("The disk holds 500GB", "The disk holds 500 GB"),
        ("The telescope has a 12-inch mirror", "The telescope has a 12 inch mirror"),
        ("The oven runs at 180°C", "The oven runs at 180 degrees Celsius"),
        ("Ilse took a 3-day course", "Ilse took a three day course"),
        ("The tank is 50% full", "The tank is 50 per cent full"),
        ("The car does 50km/h", "The car does 50 km/h"),
        ("Das Paket wiegt 3 kg", "Das Paket wiegt 3kg"),
    ],
    "money": [
        ("The grant is $2M", "The grant is 2 million dollars"),
        ("The fine is £1,200", "The fine is 1200 GBP"),
        ("The ticket costs EUR 18", "The ticket costs €18.00"),
        ("The ticket costs 18€", "The ticket costs 18 euro"),
        ("Hosting costs $5/month", "Hosting costs $5 per month"),
        ("The deal is worth US$3bn", "The deal is worth 3 billion USD"),
    ],
    "contractions": [
        ("Oleg can't swim", "Oleg cannot swim"),
        ("I'm allergic to nuts", "I am allergic to nuts"),
        ("They're in Ghent", "They are in Ghent"),
        ("It's been closed since May", "It has been closed since May"),
        ("We've got a kiln", "We have a kiln"),
        ("The guests haven't paid", "The guests have not paid"),
        ("Visitors shouldn't feed the goats", "Visitors should not feed the goats"),
        ("The band's drummer is Oleg", "The band drummer is Oleg"),
    ],
    "spelling": [
        ("We organise the harbour tour", "We organize the harbor tour"),
        ("Colour prints cost more", "Color prints cost more"),
        ("The jewellery is in the theatre", "The jewelry is in the theater"),
        ("They cancelled the catalogue", "They canceled the catalog"),
        ("Rosa has analysed the licence", "Rosa has analyzed the license"),
    ],
    "compounds": [
        ("The sub-committee meets on Monday", "The subcommittee meets on Monday"),
        ("Rosa runs a non-profit", "Rosa runs a nonprofit"),
        ("The time stamp is wrong", "The timestamp is wrong"),
        ("The pass word is kestrel", "The password is kestrel"),
        ("Ilse fixed the key board", "Ilse fixed the keyboard"),
        ("Rosa wrote a check list", "Rosa wrote a check-list"),
        ("The e-mail list is private", "The email list is private"),
        ("The web site is down", "The website is down"),
        ("The signup sheet is on the door", "The sign-up sheet is on the door"),
        ("The time zone is wrong", "The timezone is wrong"),
        ("The on-line shop is open", "The online shop is open"),
        ("Nadia sorted the thimbleberry jars in the cold shed near Ghent harbour",
         "Nadia sorted the thimble berry jars in the cold shed near Ghent harbour"),
    ],
    "phrases": [
        ("Oleg paints each day", "Oleg paints daily"),
        ("The bakery bakes every week", "The bakery bakes weekly"),
        ("Clean the lens using alcohol", "Clean the lens with alcohol"),
        ("Call Ilse prior to the trip", "Call Ilse before the trip"),
        ("She trains in order to win", "She trains to win"),
        ("Feed it two times per day", "Feed it twice per day"),
        ("The boat is named Marigold", "The boat is called Marigold"),
        ("Ann & Leyla share a desk", "Ann and Leyla share a desk"),
    ],
    "lead-ins": [
        ("Don't forget that Leyla likes figs", "Leyla likes figs"),
        ("As a reminder, the bridge is narrow", "The bridge is narrow"),
        ("Just a reminder that the bridge is narrow", "The bridge is narrow"),
        ("Please note that the bridge is narrow", "The bridge is narrow"),
        ("Reminder: the bridge is narrow", "The bridge is narrow"),
        ("Keep in mind that Leyla likes figs", "Leyla likes figs"),
        ("BTW, Leyla likes figs", "Leyla likes figs"),
        ("For the record, Leyla likes figs", "Leyla likes figs"),
        ("As mentioned before, Leyla likes figs", "Leyla likes figs"),
    ],
    "fillers": [
        ("The tools that we sell are old", "The tools we sell are old"),
        ("Ilse knows that the kiln leaks", "Ilse knows the kiln leaks"),
        ("Please water the ferns", "Water the ferns"),
        ("Leyla also likes figs", "Leyla likes figs"),
        ("Leyla really likes figs", "Leyla likes figs"),
        ("Currently, Arjun lives in Pune", "Arjun lives in Pune"),
        ("Rosa says that the kiln is hot", "Rosa says the kiln is hot"),
        ("Water the ferns, please", "Water the ferns"),
    ],
    "commas": [
        ("If it rains, the match is off", "If it rains the match is off"),
        ("In winter, Ilse swims", "In winter Ilse swims"),
        ("On Mondays, the bakery is closed", "On Mondays the bakery is closed"),
        ("Call Ilse, because the boat leaks", "Call Ilse because the boat leaks"),
        ("Rope, tape, glue, and nails are sold", "Rope, tape, glue and nails are sold"),
    ],
    "colon": [
        ("Locker combination: 3", "Locker combination is 3"),
        ("The codename: Marigold", "The codename is Marigold"),
    ],
    "plurals": [
        ("Leyla likes fig", "Leyla likes figs"),
        ("The intern studies bird song in spring", "The intern studies bird songs in spring"),
        ("Oleg sells garden tool", "Oleg sells garden tools"),
    ],
    "moved adjuncts": [
        ("Every Friday the choir rehearses", "The choir rehearses every Friday"),
        ("Since 2019 Oleg works in Ghent", "Oleg works in Ghent since 2019"),
        ("On Monday, the kiln was fired", "The kiln was fired on Monday"),
        ("Tomorrow Ann leaves", "Ann leaves tomorrow"),
        ("In winter the lake freezes", "The lake freezes in winter"),
        ("At 9:00 the pool opens", "The pool opens at 9:00"),
        ("On 2031-04-17, the lease ends", "The lease ends on April 17, 2031"),
        ("In spring the orchard is sprayed with copper",
         "The orchard is sprayed with copper in spring"),
        ("In Ghent Ilse sells boats", "Ilse sells boats in Ghent"),
    ],
    "swapped names": [
        ("Ask Ann and Bob", "Ask Bob and Ann"),
        ("Ann Lee and Bob Ray share a desk", "Bob Ray and Ann Lee share a desk"),
        ("The desk belongs to Ann and Leyla", "The desk belongs to Leyla and Ann"),
    ],
    "polite endings": [
        ("図書館は九時に開く", "図書館は九時に開きます"),
        ("彼は毎朝パンを食べる", "彼は毎朝パンを食べます"),
        ("그는 담배를 끊었습니다", "그는 담배를 끊었다"),
        ("彼は東京に住んでいる", "彼は東京に住んでいます"),
        ("妹は医者だ", "妹は医者である"),
        ("この本は高いです", "この本は高い"),
        ("犬は好きではありません", "犬は好きではない"),
        ("彼女は京都で勉強します", "彼女は京都で勉強する"),
        ("ร้านนี้เปิดทุกวันครับ", "ร้านนี้เปิดทุกวัน"),
        ("그는 의사입니다", "그는 의사이다"),
        ("그는 서울에 있습니다", "그는 서울에 있다"),
    ],
    "accents": [("Le café est fermé", "Le cafe\u0301 est ferme\u0301")],
}  # fmt: skip


PAIRS = [
    pytest.param(first, second, id=f"{kind} {number}")
    for kind, pairs in REPETITIONS.items()
    for number, (first, second) in enumerate(pairs, 1)
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_repetition_is_the_same_in_both_directions(first: str, second: str) -> None:
    one, other = form(first), form(second)
    assert relate(one, other, same_day=True).relation is Relation.SAME
    assert relate(other, one, same_day=True).relation is Relation.SAME


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_repetition_is_found_by_its_key_or_by_its_terms(first: str, second: str) -> None:
    one, other = form(first), form(second)
    assert one.key == other.key or jaccard(one.terms, other.terms) >= 0.6
