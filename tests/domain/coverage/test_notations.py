"""Equal notations cover, unequal ones do not."""

import pytest

from muniment.domain.coverage import Source, missing

EQUAL = [
    ("Ann's kiln", "the kiln of Ann"),
    ("Ann’s kiln", "Ann's kiln"),
    ("the girls' coach from Lisbon's club", "the girls' coach from the Lisbon club"),
    ("the 17th of October 2027", "October 17, 2027"),
    ("the 17th of October 2027", "17 Oct 2027"),
    ("Sept. 4, 2027", "2027-09-04"),
    ("in March 2027", "on 9 March 2027"),
    ("in March 2027", "on 2027-03-09"),
    ("in 2027-03", "in March 2027"),
    ("in 2027", "on 2027-03-09"),
    ("on October 7", "on 2027-10-07"),
    ("2,400 rows", "2400 rows"),
    ("2400 rows", "2,400 rows"),
    ("3k rows", "3,000 rows"),
    ("4 rows", "four rows"),
    ("42 rows", "forty-two rows"),
    ("105 rows", "one hundred and five rows"),
    ("the 1st row", "the first row"),
    ("the 21st row", "row 21"),
    ("$5m", "$5 million"),
    ("20 euros", "€20"),
    ("5kg", "5 kilograms"),
    ("a 5-day trip", "a trip of 5 days"),
    ("60 s", "one minute"),
    ("7:45 p.m.", "19:45"),
    ("3 pm", "15:00"),
    ("12%", "12 percent"),
    ("30–60 rows", "30-60 rows"),
    ("30 rows", "30–60 rows"),
    ("2027-01-02–2027-03-04", "2027-01-02 to March 4, 2027"),
    ("on October 7, 2027, Ann, not Bo, met Cy", "on 2027-10-07 Ann met Cy, not Bo"),
    ("the U.S. office", "the US office"),
    ("`tide` runs", "tide runs"),
    ("we use Kafka", "we use `Kafka`"),
    ("we use Kafka", "a Kafka-based queue"),
    ("**Ann** sings", "Ann sings"),
    ("the LISBON fair", "the Lisbon fair"),
    ("mail press@heron.example", "mail Press@heron.example"),
    ("see https://kiln.example/", "see HTTPS://kiln.example"),
    ("- Ann sings\n- Bob paints", "Ann sings and Bob paints"),
    ("1. Ann sings\n2. Bob paints", "Ann sings and Bob paints"),
    ("Ann (from Oslo) sings", "Ann sings and is from Oslo"),
]

UNEQUAL = [
    ("it is 3.1", "it is 3.10", ("3.1",)),
    ("it is 1.2.3", "it is 1.2", ("1.2.3",)),
    ("it is -5", "it is 5", ("-5",)),
    ("it is <5", "it is 5", ("<5",)),
    ("it is 5", "it is ~5", ("5",)),
    ("it takes 30 s", "it takes 30 ms", ("30 s",)),
    ("it takes 30 s", "it takes 30", ("30 s",)),
    ("we have 5 pumps", "we have 5 kg", ("5",)),
    ("it costs $5", "it costs €5", ("$5",)),
    ("it costs 5%", "it costs 5", ("5%",)),
    ("it costs $5 million", "it costs $5", ("$5 million",)),
    ("it costs $5/day", "it costs €5/day", ("$5/day",)),
    ("at 7:45 am", "at 7:45 pm", ("7:45 am",)),
    ("at 7 pm", "at 7", ("7 pm",)),
    ("on 05/03/2028", "on 2028-03-05", ("05/03/2028",)),
    ("on October 7, 2027", "on October 8, 2027", ("7",)),
    ("on October 7, 2027", "on November 7, 2027", ("7", "October")),
    ("on October 7, 2027", "on October 7", ("2027", "7", "October")),
    ("on May 2, 2027 and on June 3", "on June 2, 2027 and on May 3", ("2", "3", "May")),
    ("4 rooms", "on October 4, 2027", ("4",)),
    ("4 rooms", "on 2027-10-04", ("4",)),
    ("5 rooms", "two hundred and five rooms", ("5",)),
    ("10² tiles", "102 tiles", ("10^2",)),
    ("call 555-1234", "call 555-1235", ("555-1234",)),
    ("open 24/7", "open 24 hours", ("24/7",)),
    ("fixed in #12", "fixed in #13", ("#12",)),
    ("SR-2023-052", "SR-2023-053", ("SR-2023-052",)),
    ("sent to the US", "sent to us", ("US",)),
    ("ask the IT desk", "ask the desk about it", ("IT",)),
    ("under /srv/Scans", "under /srv/scans", ("/srv/Scans",)),
    ("in docs/adr", "in docs", ("docs/adr",)),
    ("in config.yaml", "in the config", ("config.yaml",)),
    ("set user_id", "set user", ("user_id",)),
    ("set maxRetries", "set max retries", ("maxRetries",)),
    ("run `rm -r a`", "run `rm -r b`", ("`rm -r a`",)),
    ("pass --fast", "pass it fast", ("--fast",)),
    ("written in C++", "written in C", ("C++",)),
    ("use plan B", "use the plan", ("B",)),
    ("we met Ann", "we met Ann-Marie", ("Ann",)),
    ("we met Ann-Marie", "we met Ann", ("Ann-Marie",)),
    ("we met O'Brien", "we met Brien", ("O'Brien",)),
    ("we met Élodie", "we met Elodie", ("Élodie",)),
    ("ask about the key to 4.12", "ask about the key to 4,12", ("4.12",)),
]


@pytest.mark.parametrize(("content", "text"), EQUAL)
def test_an_equal_notation_covers(content: str, text: str) -> None:
    assert missing([Source(content, None)], text) == ()


@pytest.mark.parametrize(("content", "text", "lost"), UNEQUAL)
def test_another_value_or_name_does_not_cover(
    content: str, text: str, lost: tuple[str, ...]
) -> None:
    assert missing([Source(content, None)], text) == lost
