"""Who acts, where, and as what."""

from typing import Any

import pytest

from muniment.domain.errors import Invalid
from muniment.domain.identity import TRUST, identity
from muniment.domain.memory.events import SourceType


class TestRoles:
    @pytest.mark.parametrize(
        ("actor", "role", "source"),
        [
            ("manual", "owner", "owner"),
            ("bot:main", "main", "agent"),
            ("skill:mail", "main", "agent"),
            ("reflection:s-1", "main", "agent"),
            ("subagent:scout", "contributor", "agent"),
            ("system:dream", "service", "model"),
        ],
    )
    def test_the_role_and_the_source_follow_from_the_actor(
        self, actor: str, role: str, source: str
    ) -> None:
        acting = identity("default", actor)
        assert (acting.role, acting.source_type) == (role, source)

    @pytest.mark.parametrize(
        "role", ["owner", "main", "contributor", "service", "auditor", "admin"]
    )
    def test_a_role_that_is_given_wins(self, role: Any) -> None:
        assert identity("default", "bot:x", role).role == role

    def test_trust_falls_from_the_owner_to_the_web(self) -> None:
        assert TRUST == {"owner": 3, "user": 2, "agent": 1, "tool": 1, "model": 1, "web": 0}

    @pytest.mark.parametrize(
        ("actor", "up_to"),
        [("manual", 3), ("bot:main", 2), ("subagent:scout", 1), ("system:dream", 1)],
    )
    @pytest.mark.parametrize("source", list(TRUST))
    def test_nobody_speaks_for_who_is_trusted_further(
        self, actor: str, up_to: int, source: SourceType
    ) -> None:
        acting = identity("default", actor)
        if TRUST[source] <= up_to:
            acting.require_vouched(source)
            return
        with pytest.raises(Invalid) as caught:
            acting.require_vouched(source)
        assert (caught.value.code, caught.value.field) == ("source_invalid", "source.type")


class TestNames:
    @pytest.mark.parametrize("space", ["a", "A-b_c.9", "x" * 64])
    def test_a_space_has_a_plain_name(self, space: str) -> None:
        assert identity(space, "manual").space == space

    @pytest.mark.parametrize(
        "space", ["", "a b", "a/b", "x" * 65, "é", "a\n", "*", "a\x00", 5, None, b"a", ["a"]]
    )
    def test_any_other_is_refused(self, space: Any) -> None:
        with pytest.raises(Invalid) as caught:
            identity(space, "manual")
        assert (caught.value.code, caught.value.field) == ("space_invalid", "space")

    @pytest.mark.parametrize(
        "actor",
        ["", "bot", "bot:", "bot: x", "bot:a b", "root", "manual:x", "Bot:x", "bot:x\n", "bot:\x00",
         "bot:" + "x" * 129, 5, None, b"manual"],
    )  # fmt: skip
    def test_an_actor_has_a_kind_and_a_name(self, actor: Any) -> None:
        with pytest.raises(Invalid) as caught:
            identity("default", actor)
        assert (caught.value.code, caught.value.field) == ("actor_invalid", "actor")

    @pytest.mark.parametrize("role", ["king", "", 5, ["owner"]])
    def test_a_role_is_one_of_six(self, role: Any) -> None:
        with pytest.raises(Invalid) as caught:
            identity("default", "manual", role)
        assert (caught.value.code, caught.value.field) == ("role_invalid", "role")


@pytest.mark.parametrize("actor", ["subagent:research", "system:retention"])
@pytest.mark.parametrize("role", ["owner", "main"])
def test_neither_sub_agents_nor_the_system_pass_for_who_writes(actor: str, role: Any) -> None:
    with pytest.raises(Invalid) as refused:
        identity("default", actor, role)
    assert (refused.value.code, refused.value.field) == ("role_invalid", "role")
