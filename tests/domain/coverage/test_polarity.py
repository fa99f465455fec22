"""What a clause affirms stays affirmed, what it denies stays denied."""

import pytest

from muniment.domain.coverage import Source, missing

KEPT: list[tuple[list[str], str]] = [
    (["Ann doesn't use Kafka"], "Ann does not use Kafka"),
    (["Ann does not use Kafka"], "Ann never uses Kafka"),
    (["Kafka isn't used by Ann"], "Ann does not use Kafka"),
    (["Ann and Bob do not drive"], "Bob and Ann don't drive"),
    (["Ann and Bob are not admins"], "Neither Ann nor Bob is an admin"),
    (["Use Redis, not Kafka"], "Use Redis instead of Kafka"),
    (["Ann, not Bob, signs"], "Ann signs, not Bob"),
    (["Don't deploy on weekends"], "Never deploy on a weekend"),
    (["Ann prefers tea.", "Ann doesn't drink coffee."], "Ann prefers tea and drinks no coffee."),
    (["Ann uses Redis.", "Ann does not use Kafka."], "Ann uses Redis but not Kafka."),
    (["Ann uses Redis.", "Ann does not use Kafka."], "Ann does not use Kafka; she uses Redis."),
    (["Ann uses Redis.", "Ann does not use Kafka."], "Ann uses Redis. She does not use Kafka."),
    (["Ann does not use Kafka or Redis."], "Ann does not use Kafka. She does not use Redis."),
    (["Ann not only sings but also paints in Oslo"], "Ann sings and paints in Oslo"),
    (["No. 5 is Ann"], "Ann has no. 5"),
    (["NEVER deploy to Pune"], "Never deploy to Pune"),
    (["Use uv instead of pip in Oslo."], "In Oslo, use uv instead of pip."),
    (
        ["Bo isn't in Berlin", "Bo can't meet before 9"],
        "Bo can't meet before 9 and isn't in Berlin",
    ),
    (["Only Ann may sign"], "Signing is allowed to Ann only"),
]

TURNED: list[tuple[list[str], str, tuple[str, ...]]] = [
    (["Ann does not use Kafka"], "Ann uses Kafka", ("not",)),
    (["Ann doesn't use Kafka"], "Ann uses Kafka", ("doesn't",)),
    (["Lind can't open the Kiln"], "Lind can open the Kiln", ("can't",)),
    (["Lind cannot open the Kiln"], "Lind can open the Kiln", ("cannot",)),
    (["Ann never met Bob"], "Ann met Bob", ("never",)),
    (["Ann eats no meat"], "Ann eats meat", ("no",)),
    (["Ann works without Bob"], "Ann works with Bob", ("without",)),
    (["Only Ann may sign"], "Ann may sign", ("Only",)),
    (["Everyone except Ann may enter"], "Everyone may enter, Ann too", ("except",)),
    (["Ann signs unless Bob objects"], "Ann signs; Bob objects", ("unless",)),
    (["Use Redis instead of Kafka"], "Use Redis with Kafka", ("instead of",)),
    (["Ann, not Bob, signs"], "Bob, not Ann, signs", ("Ann", "not")),
    (["Don't deploy on weekends"], "Deploy on weekends", ("Don't",)),
    (["Do not deploy."], "Deploy.", ("not",)),
    (["They see dark mode"], "They never see dark mode", ("dark", "mode", "see")),
    (["Ann does not eat nuts"], "Ann eats nuts. Ann does not eat gluten.", ("not",)),
    (["The Lisbon office has no parking"], "Lisbon has parking. We may not park.", ("no",)),
    (
        ["Never use the search tool for questions"],
        "Use the search tool for questions, never for a search",
        ("Never",),
    ),
    (["Ann sings, not in Oslo but in Pune"], "Ann sings in Oslo and in Pune", ("not",)),
    (["Ann signs, not Bo from Oslo"], "Ann signs, and Bo from Oslo", ("not",)),
    (["Bo is a Kafka user"], "Bo is a non-Kafka user", ("Bo", "Kafka")),
    (["Ann uses Kafka"], "Ann does not use Kafka", ("Ann", "Kafka")),
    (["Deploys to Pune are allowed"], "deploys to Pune aren't allowed", ("Pune",)),
    (
        ["Alice does not use Kafka. Bob does not use Kafka."],
        "Alice uses Kafka; Bob does not use Kafka.",
        ("not",),
    ),
    (
        ["Ann uses Redis.", "Ann does not use Kafka."],
        "Ann uses Kafka but not Redis.",
        ("Redis", "not"),
    ),
    (["Ann never met Bo. Cy met Dan."], "Ann met Bo. Cy never met Dan.", ("Cy", "Dan", "never")),
    (["Ann and Bob are not admins"], "Ann is an admin and Bob is not", ("not",)),
    (["Ann does not swim"], "Ann swims. The lift does not work.", ("not",)),
    (["Ann does not swim"], "Ann swims and the lift does not work.", ("not",)),
    (["Ann uses Kafka"], "Ann does not\nuse Kafka", ("Ann", "Kafka")),
]  # fmt: skip


def _sources(contents: list[str]) -> list[Source]:
    return [Source(content, None) for content in contents]


@pytest.mark.parametrize(("contents", "text"), KEPT)
def test_a_merge_that_says_the_same_of_each_covers(contents: list[str], text: str) -> None:
    assert missing(_sources(contents), text) == ()


@pytest.mark.parametrize(("contents", "text", "lost"), TURNED)
def test_a_merge_that_turns_a_statement_around_misses_what_it_turned(
    contents: list[str], text: str, lost: tuple[str, ...]
) -> None:
    assert missing(_sources(contents), text) == lost


def test_a_denial_whose_subject_is_gone_is_reported_once_for_the_subject() -> None:
    assert missing(_sources(["Bob does not swim"]), "Ann swims") == ("Bob",)
