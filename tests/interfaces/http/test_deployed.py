"""The container and the unit, without either: what they start is parsed, and run as they say."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from started import PATIENCE, owner_token, started

ROOT = Path(__file__).resolve().parents[3]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
UNIT = ROOT / "deploy" / "muniment.service"
GUIDE = ROOT / "docs" / "server.md"
HEALTHY_WITHIN = 5.0


class Instruction(NamedTuple):
    name: str
    said: str


class Started(NamedTuple):
    """What a file starts: the command, and all of the environment that it sets."""

    command: list[str]
    environment: dict[str, str]


def instructions() -> list[Instruction]:
    """Those of the Containerfile, in order."""
    lines = CONTAINERFILE.read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    stated = [line for line in lines if line and not line.startswith("#")]
    return [Instruction(*line.split(" ", 1)) for line in stated]


def final_stage() -> list[Instruction]:
    """The instructions that make the image itself."""
    whole = instructions()
    first = max(at for at, one in enumerate(whole) if one.name == "FROM")
    return whole[first:]


def only(name: str) -> str:
    """What the one instruction of that name says."""
    (said,) = [one.said for one in final_stage() if one.name == name]
    return said


def options() -> dict[str, list[str]]:
    """What ``[Service]`` says: every value of every option."""
    section = UNIT.read_text(encoding="utf-8").split("[Service]\n")[1].split("\n[Install]")[0]
    found: dict[str, list[str]] = {}
    for line in section.splitlines():
        if line and not line.startswith("#"):
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


def head() -> list[list[str]]:
    """The commands of the unit's head comment, which install it."""
    lines = UNIT.read_text(encoding="utf-8").split("[Unit]")[0].splitlines()
    return [shlex.split(line[4:]) for line in lines if line.startswith("#   ")]


def of_the_container() -> Started:
    environment: dict[str, str] = {}
    for one in final_stage():
        if one.name == "ENV":
            (word,) = shlex.split(one.said)
            name, value = word.split("=", 1)
            environment[name] = value
    return Started(json.loads(only("ENTRYPOINT")) + json.loads(only("CMD")), environment)


def of_the_unit() -> Started:
    stated = options()
    (command,) = stated["ExecStart"]
    environment = dict(pair.split("=", 1) for pair in stated["Environment"])
    return Started(shlex.split(command), environment)


def mapped(start: Started, data: str, to: Path) -> Started:
    """The same on this machine: the program of the checkout, a directory and a port of the test."""
    program, *rest = start.command
    assert Path(program).name == "muniment"
    assert start.environment["MUNIMENT_DATA"] == data
    ours = {**start.environment, "MUNIMENT_DATA": str(to), "PYTHONPATH": str(ROOT)}
    ours["PATH"] = os.environ["PATH"]
    return Started([sys.executable, "-m", "muniment", *rest, "--port", "0"], ours)


def answers(start: Started, data: Path, names: Sequence[str]) -> None:
    """It becomes ready, lets the token in under each name, nobody else, and ends soon."""
    with started(start.command, start.environment) as child:
        port = httpx.URL(child.base).port
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            assert client.get("/readyz").json()["status"] == "ready"
            assert client.post("/v1/search", json={}).status_code == 401
            bearer = {"Authorization": f"Bearer {owner_token(data)}"}
            fact = {"content": "Rack 1 is full."}
            assert client.post("/v1/memories", json=fact, headers=bearer).status_code == 201
            for name in names:
                found = client.post("/v1/search", json={}, headers={**bearer, "Host": name})
                assert [hit["memory"]["content"] for hit in found.json()["hits"]] == [
                    fact["content"]
                ]
            other = client.post("/v1/search", json={}, headers={**bearer, "Host": "evil.example"})
            assert other.status_code == 403
        assert child.end() < 5


# the container


def test_what_the_container_starts_becomes_ready_answers_and_ends(tmp_path: Path) -> None:
    start = mapped(of_the_container(), only("VOLUME"), tmp_path / "data")
    assert start.command[3:6] == ["serve", "--host", "0.0.0.0"]
    answers(start, tmp_path / "data", ["localhost", "127.0.0.1", "[::1]"])


@pytest.mark.parametrize("hosts", ["unless set", '["memory.example"]'])
def test_the_health_check_passes_whatever_names_are_set_and_fails_when_nothing_answers(
    tmp_path: Path, hosts: str
) -> None:
    start = mapped(of_the_container(), only("VOLUME"), tmp_path / "data")
    if hosts.startswith("["):
        start.environment["MUNIMENT_SERVER__HOSTS"] = hosts
    with started(start.command, start.environment) as child:
        assert _health(child.base, start.environment) == 0
        if hosts.startswith("["):
            client = httpx.Client(base_url=child.base, headers={"Host": "localhost"})
            assert client.get("/readyz").status_code == 403
            client.close()
        child.end()
        assert _health(child.base, start.environment) != 0


def test_the_health_check_fails_on_any_other_status() -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as unready:  # 501 to everybody
        thread = threading.Thread(target=unready.handle_request)
        thread.start()
        environment = {"PATH": os.environ["PATH"]}
        assert _health(f"http://127.0.0.1:{unready.server_port}", environment) != 0
        thread.join(PATIENCE)
        assert not thread.is_alive()


def _health(base: str, environment: Mapping[str, str]) -> int:
    """How the check of the image ends, asked of the port of the test."""
    check = json.loads(only("HEALTHCHECK").split(" CMD ", 1)[1])
    assert check[0] == "python"
    code = check[2].replace("8420", str(httpx.URL(base).port))
    assert code != check[2]
    assert "/readyz" in code
    ran = subprocess.run(
        [sys.executable, *check[1:2], code],
        env=environment,
        capture_output=True,
        timeout=HEALTHY_WITHIN,
        check=False,
    )
    return ran.returncode


def test_the_image_runs_as_nobody_in_particular_and_on_a_volume_of_its_own() -> None:
    assert int(only("USER")) > 0
    made = [one.said for one in final_stage() if one.name == "RUN"]
    assert any(f"--uid {only('USER')} " in said for said in made)
    assert any(f"--gid {only('USER')} " in said for said in made)
    assert any(f"-o muniment -g muniment -m 0700 {only('VOLUME')}" in said for said in made)
    names = [one.name for one in final_stage()]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert only("EXPOSE") == "8420"
    bases = {one.said.split(" ")[0] for one in instructions() if one.name == "FROM"}
    assert len(bases) == 1
    assert bases.pop().endswith("-slim")


def test_what_is_built_in_is_hash_checked_and_holds_no_secret() -> None:
    installs = [one.said for one in instructions() if one.name == "RUN" and "pip " in one.said]
    assert "--require-hashes --no-deps -r requirements.txt" in installs[0]
    assert installs[1:]
    assert all("--no-index --find-links /wheels" in said for said in installs[1:])
    assert installs[-1].endswith("'.[server]'")
    copied = [
        word for one in instructions() if one.name == "COPY" for word in one.said.split()[:-1]
    ]
    kept = {
        *("requirements.txt", "pyproject.toml", "README.md", "LICENSE", "muniment"),
        *("commands", "domain", "projections", "queries", "--from=build", "/opt/muniment"),
    }
    assert set(copied) == kept
    assert all((ROOT / name).exists() for name in kept if not name.startswith(("-", "/")))
    assert set(of_the_container().environment) == {
        *("PATH", "PYTHONDONTWRITEBYTECODE", "MUNIMENT_DATA")
    }


def test_the_image_is_built_in_the_format_that_keeps_the_health_check() -> None:
    told = [
        line.strip("#$ ")
        for file in (CONTAINERFILE, GUIDE)
        for line in file.read_text(encoding="utf-8").splitlines()
        if "podman build -" in line
    ]
    assert told == ["podman build --format docker -f deploy/Containerfile -t muniment ."] * 2


# the unit


def test_what_the_unit_starts_becomes_ready_answers_and_ends(tmp_path: Path) -> None:
    (directory,) = options()["StateDirectory"]
    start = mapped(of_the_unit(), f"%S/{directory}", tmp_path / "data")
    answers(start, tmp_path / "data", ["localhost", "127.0.0.1"])


def test_the_unit_keeps_the_token_out_of_the_journal_and_gives_time_to_end() -> None:
    stated = options()
    assert stated["StandardOutput"] == ["null"]
    assert stated["StandardError"] == ["journal"]
    assert stated["KillSignal"] == ["SIGTERM"]
    (stop,) = stated["TimeoutStopSec"]
    assert int(stop) > 5


def test_the_unit_runs_as_nobody_else_and_reaches_nothing_else() -> None:
    stated = options()
    yes = {
        *("DynamicUser", "NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices"),
        *("ProtectClock", "ProtectControlGroups", "ProtectHostname", "ProtectKernelLogs"),
        *("ProtectKernelModules", "ProtectKernelTunables", "LockPersonality"),
        *("MemoryDenyWriteExecute", "RestrictNamespaces", "RestrictRealtime"),
        *("RestrictSUIDSGID", "RemoveIPC"),
    }
    assert {name for name, values in stated.items() if values == ["yes"]} == yes
    assert stated["ProtectSystem"] == ["strict"]
    assert stated["CapabilityBoundingSet"] == [""]
    assert stated["StateDirectoryMode"] == ["0700"]
    assert stated["UMask"] == ["0077"]
    assert stated["SystemCallFilter"] == ["@system-service", "~@privileged @resources"]
    assert not {"User", "ReadWritePaths"} & stated.keys()


def test_the_unit_is_installed_hash_checked_and_without_what_tests_need() -> None:
    wheels, *installs = [words for words in head() if words[0] == "/opt/muniment/bin/pip"]
    assert wheels[1:] == shlex.split(
        "wheel --require-hashes --no-deps -r requirements.txt -w build/wheels"
    )
    offline = ["install", "--no-index", "--find-links", "build/wheels"]
    assert [words[1:5] for words in installs] == [offline, offline]
    assert [words[5:] for words in installs] == [
        *(["setuptools"], ["--no-build-isolation", ".[server]"])
    ]


def test_an_invalid_setting_ends_what_the_unit_starts_with_the_status_that_keeps_it_ended(
    tmp_path: Path,
) -> None:
    start = mapped(of_the_unit(), "%S/muniment", tmp_path / "data")
    ran = subprocess.run(
        start.command,
        env={**start.environment, "MUNIMENT_LIMITS__BODY_BYTES": "many"},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert b"MUNIMENT_LIMITS__BODY_BYTES" in ran.stderr
    assert options()["Restart"] == ["on-failure"]
    assert options()["RestartPreventExitStatus"] == [str(ran.returncode)]


def test_other_verbs_are_run_by_the_user_of_the_unit_with_its_modes_and_settings() -> None:
    found = re.search(
        r"^  (systemd-run .*?)\n}", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found is not None
    words = shlex.split(found[1].replace("\\\n", ""))
    given = dict(words[at + 1].split("=", 1) for at, one in enumerate(words) if one in {"-p", "-E"})
    stated = options()
    (directory,) = stated["StateDirectory"]
    assert given.pop("User") == UNIT.stem  # the name that DynamicUser= takes unless told
    assert given.pop("StateDirectory").split()[0] == directory
    assert given.pop("MUNIMENT_DATA") == f"/var/lib/{directory}"
    assert set(given) == {"DynamicUser", "StateDirectoryMode", "UMask", "EnvironmentFile"}
    assert {name: [value] for name, value in given.items()} == {
        name: stated[name] for name in given
    }
    assert words[-2:] == [shlex.split(stated["ExecStart"][0])[0], "$@"]


def test_systemd_finds_no_fault_with_the_unit_where_it_is_there_to_ask(tmp_path: Path) -> None:
    text = UNIT.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("[")] == [
        *("[Unit]", "[Service]", "[Install]")
    ]
    analyze = shutil.which("systemd-analyze")
    if analyze is None:  # the options are asserted on above
        return
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace("/opt/muniment/bin/muniment", sys.executable), encoding="utf-8")
    said = subprocess.run(
        [analyze, "verify", "--man=no", copy],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
