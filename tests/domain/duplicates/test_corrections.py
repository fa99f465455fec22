"""Corrections: the same sentence with another value, name or polarity."""

import pytest

from muniment.domain.duplicates import Relation, Verdict, form, jaccard, relate

CORRECTIONS = [
    ("The bridge toll is 4 euros", "The bridge toll is 6 euros"),
    ("Locker combination: 3", "Locker combination: 8"),
    ("The wifi password is kestrel-42", "The wifi password is kestrel-43"),
    ("The ferry leaves at 07:45", "The ferry leaves at 08:15"),
    ("The regatta is on 2031-04-17", "The regatta is on 2031-04-24"),
    ("The museum shuts on Wednesdays", "The museum shuts on Thursdays"),
    ("The parcel weighs 3 kg", "The parcel weighs 4 kg"),
    ("Rent is €850 per month", "Rent is €900 per month"),
    ("The hall seats twelve people", "The hall seats fourteen people"),
    ("The importer listens on port 8443", "The importer listens on port 9443"),
    ("The library needs Node 20.1", "The library needs Node 22.4"),
    ("Order PO-88213 is on hold", "Order PO-88231 is on hold"),
    ("Store the scans in /srv/scans", "Store the scans in /mnt/scans"),
    ("Write to press@harbour.example", "Write to sales@harbour.example"),
    ("Use the -v flag for the importer", "Use the -q flag for the importer"),
    ("The lease ends in May 2031", "The lease ends in June 2031"),
    ("The backup runs at noon", "The backup runs at midnight"),
    ("Ibrahim finished in second place", "Ibrahim finished in third place"),
    ("The oven runs at 180 °C", "The oven runs at 200 °C"),
    ("The trip takes 3 days", "The trip takes 5 days"),
    ("Our vet is in Galway", "Our vet is in Limerick"),
    ("The drummer is Oleg", "The drummer is Piet"),
    ("Catherine Lowe chairs the board", "Katherine Lowe chairs the board"),
    ("Arjun lives in Pune", "Arjun lives in Delft"),
    ("Ilse works for Quillmark", "Ilse works for Tessera"),
    ("Rosa's brother is Joris", "Rosa's brother is Stefan"),
    ("The meeting room is Marigold", "The meeting room is Kestrel"),
    ("Ship the crate to Oslo", "Ship the crate to Bergen"),
    ("Leyla reports to Hannah", "Leyla reports to Mara"),
    ("The repository moved to GitLab", "The repository moved to GitHub"),
    ("Milan coaches Stefan", "Stefan coaches Milan"),
    ("Hannah is older than Lukas", "Lukas is older than Hannah"),
    ("Ship it from Oslo to Bergen", "Ship it from Bergen to Oslo"),
    ("Nadia is vegetarian", "Nadia is not vegetarian"),
    ("Nadia is vegetarian", "Nadia isn't vegetarian"),
    ("The kiln may be opened", "The kiln may not be opened"),
    ("Visitors can photograph the exhibits", "Visitors can't photograph the exhibits"),
    ("The orchard is sprayed", "The orchard is no longer sprayed"),
    ("There is a key under the mat", "There is no key under the mat"),
    ("The committee always meets here", "The committee never meets here"),
    ("Only members may borrow tools", "Members may borrow tools"),
    ("Everyone but the treasurer can sign", "Everyone can sign"),
    ("The pilot must file a plan", "The pilot may file a plan"),
    ("The choir rehearses with a conductor", "The choir rehearses without a conductor"),
    ("Leyla works at the observatory", "Leyla worked at the observatory"),
    ("The reservoir gate is open", "The reservoir gate is closed"),
    ("The trustees approved the loan", "The trustees rejected the loan"),
    ("Rosa plays the viola", "Rosa plays the violin"),
    ("The favourite colour is grey", "The favourite colour is blue"),
    ("Feed the sourdough before kneading", "Feed the sourdough after kneading"),
    ("Der Laden hat sonntags geöffnet", "Der Laden hat sonntags nicht geöffnet"),
    ("Die Miete beträgt 850 Euro", "Die Miete beträgt 900 Euro"),
    ("Le train passe par Dijon", "Le train passe par Lyon"),
    ("Le train passe par Dijon", "Le train ne passe pas par Dijon"),
    ("El museo abre a las 18:00", "El museo abre a las 19:00"),
    ("図書館は九時に開く", "図書館は十時に開く"),
    ("她会开车", "她不会开车"),
    ("도서관은 일요일에 닫는다", "도서관은 일요일에 닫지 않는다"),
    ("ห้องนี้เปิดให้จอง", "ห้องนี้ไม่เปิดให้จอง"),
    ("The user prefers tabs", "The user prefers spaces"),
]


def _conflicts(old: str, new: str) -> bool:
    one, other = form(old), form(new)
    found = jaccard(one.terms, other.terms) >= 0.5
    return found and relate(one, other, same_day=True).relation is Relation.CONFLICTS


def test_four_corrections_in_five_are_found_and_labelled_as_conflicts() -> None:
    missed = [pair for pair in CORRECTIONS if not _conflicts(*pair)]
    assert len(CORRECTIONS) >= 50
    assert len(missed) <= len(CORRECTIONS) * 0.2, missed


@pytest.mark.parametrize(("old", "new"), CORRECTIONS)
def test_no_correction_is_taken_for_a_repetition_or_an_addition(old: str, new: str) -> None:
    apart = {Relation.CONFLICTS, Relation.DIFFERS}
    assert relate(form(old), form(new), same_day=True).relation in apart


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The toll is 4 euros", "The toll is 6 euros", "value"),
        ("Our vet is in Galway", "Our vet is in Limerick", "name"),
        ("Milan coaches Stefan", "Stefan coaches Milan", "order"),
        ("Nadia is vegetarian", "Nadia is not vegetarian", "operator"),
        ("Rosa plays the viola", "Rosa plays the violin", "slot"),
        ("The load is 5", "The load is ~5", "sign"),
        ("x = y holds", "x != y holds", "sign"),
    ],
)
def test_a_conflict_names_what_differs(old: str, new: str, reason: str) -> None:
    verdict = relate(form(old), form(new), same_day=True)
    assert verdict == Verdict(Relation.CONFLICTS, reason)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The fair is on 5 May", "The fair is on 5 May 2031"),
        ("The lease ends in April 2031", "The lease ends in 2031-04-17"),
    ],
)
def test_a_date_in_more_detail_is_no_conflict(old: str, new: str) -> None:
    expected = Verdict(Relation.DIFFERS, "date in more detail")
    assert relate(form(old), form(new), same_day=True) == expected
    assert relate(form(new), form(old), same_day=True) == expected
