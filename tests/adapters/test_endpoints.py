import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import certificates
import loopback
import pytest
import structlog
from loopback import Loopback

from muniment.adapters.endpoints import Endpoint, Resolve, endpoint, resolved
from muniment.adapters.json_client import JsonClient, Patience
from muniment.domain.errors import Invalid, Unavailable

NAME = "vectors.example"
QUICK = Patience(connect=0.3, deadline=1.0, tries=1)


def listed(url: str) -> Endpoint:
    return endpoint(url, field="embedding.endpoint", written_by_operator=True)


def unlisted(url: str, *hosts: str) -> Endpoint:
    return endpoint(url, field="webhook", written_by_operator=False, listed=hosts)


def at(*addresses: str) -> Resolve:
    return lambda _host, _port: addresses


def ask(client: JsonClient) -> str:
    """``ok``, or the words of the failure."""
    try:
        client.post("/v1/embeddings", {"model": "m", "input": ["x"]}, lambda _: None)
    except Unavailable as error:
        return error.message
    finally:
        client.close()
    return "ok"


class TestAnAddress:
    @pytest.mark.parametrize(
        ("url", "base"),
        [
            ("http://ollama:11434", "http://ollama:11434"),
            ("http://ollama:11434/", "http://ollama:11434"),
            ("https://api.example/v1", "https://api.example"),
            ("https://api.example/proxy/v1/", "https://api.example/proxy"),
            ("https://api.example/a%20b/ü/v1", "https://api.example/a%20b/%C3%BC"),
            ("HTTPS://API.EXAMPLE:443/v1", "https://api.example"),
            ("http://[::1]:8080/v1", "http://[::1]:8080"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
        ],
    )
    def test_is_kept_without_what_every_one_has(self, url: str, base: str) -> None:
        assert listed(url).base == base

    @pytest.mark.parametrize(
        "url",
        [
            "",
            "ollama:11434",
            "ftp://a",
            "file:///etc/passwd",
            "http://",
            "http:///v1",
            "//a/v1",
            "http://a:99999",
            "http://a:0",
            "http://a:x",
            "http://[::1",
            "http://[fe80::1%25eth0]/",
            "https://a/?k=1",
            "https://a/#f",
            "https://a/?",
            "http://a b/",
            "http://a\n/",
            "http://..",
        ],
    )
    def test_that_is_none_is_refused(self, url: str) -> None:
        with pytest.raises(Invalid) as caught:
            listed(url)
        assert caught.value.code == "endpoint_invalid"
        assert caught.value.field == "embedding.endpoint"

    def test_with_a_password_is_refused_without_showing_it(self) -> None:
        with pytest.raises(Invalid) as caught:
            listed("https://user:hunter2@api.example/v1")
        assert caught.value.code == "endpoint_invalid"
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize(
        "url",
        [
            "http://169.254.169.254/v1",
            "http://[fd00:ec2::254]/v1",
            "http://100.100.100.200",
            "http://[fe80::1]",
            "http://0.0.0.0:11434",
            "http://[::]:1",
            "http://224.0.0.1",
            "http://255.255.255.255",
            "http://[::ffff:169.254.169.254]",
            "http://240.0.0.1",
            "http://[64:ff9b::a9fe:a9fe]",
            "http://[2002:a9fe:a9fe::1]",
            "http://[::a9fe:a9fe]",
        ],
    )
    def test_of_the_link_or_of_a_cloud_s_credentials_is_refused_even_when_listed(
        self, url: str
    ) -> None:
        with pytest.raises(Invalid) as caught:
            listed(url)
        assert caught.value.code == "endpoint_refused"

    @pytest.mark.parametrize(
        "url",
        [
            "https://10.0.0.5",
            "https://192.168.1.1",
            "https://172.16.0.1",
            "https://[fd00::1]",
            "https://[::ffff:127.0.0.1]",
            "https://[::ffff:8.8.8.8]",
            "https://[64:ff9b::808:808]",
            "https://[64:ff9b:1::808:808]",
            "https://[2002:808:808::]",
            "https://100.64.0.1",
            "https://[fec0::1]",
            "http://example.com",
            "http://10.0.0.5",
            "http://[::ffff:127.0.0.1]",
        ],
    )
    def test_that_is_private_or_a_disguise_must_be_listed(self, url: str) -> None:
        with pytest.raises(Invalid) as caught:
            unlisted(url)
        assert caught.value.code == "endpoint_refused"
        host = url.partition("//")[2].strip("[]")
        assert unlisted(url, host).is_listed
        assert listed(url).is_listed

    @pytest.mark.parametrize("url", ["http://localhost:1", "http://127.0.0.9", "http://[::1]:1"])
    def test_of_this_machine_needs_no_list_and_no_tls(self, url: str) -> None:
        assert not unlisted(url).is_listed
        assert not unlisted(url).is_plain

    def test_in_plain_http_beyond_this_machine_is_plain(self) -> None:
        assert listed("http://ollama:11434").is_plain
        assert not listed("https://ollama:11434").is_plain


class TestWhatANameResolvesTo:
    @pytest.mark.parametrize(
        ("given", "address", "admitted"),
        [
            (unlisted("https://api.example"), "93.184.216.34", True),
            (unlisted("https://api.example"), "2606:2800:220:1::1", True),
            (unlisted("https://api.example"), "127.0.0.1", False),
            (unlisted("https://api.example"), "10.1.2.3", False),
            (unlisted("https://api.example"), "::1", False),
            (unlisted("https://api.example"), "::ffff:93.184.216.34", False),
            (unlisted("https://api.example"), "169.254.169.254", False),
            (unlisted("http://localhost"), "127.0.0.1", True),
            (unlisted("http://localhost"), "::1", True),
            (unlisted("http://localhost"), "93.184.216.34", False),
            (unlisted("http://localhost"), "::ffff:127.0.0.1", False),
            (listed("http://ollama"), "172.18.0.2", True),
            (listed("http://ollama"), "127.0.0.1", True),
            (listed("http://ollama"), "::ffff:127.0.0.1", True),
            (listed("http://ollama"), "169.254.169.254", False),
            (listed("http://ollama"), "fe80::1%eth0", False),
            (listed("http://ollama"), "fd00:ec2::254", False),
            (listed("http://ollama"), "64:ff9b::a9fe:a9fe", False),
        ],
    )
    def test_is_judged_by_the_same_rules(
        self, given: Endpoint, address: str, admitted: bool
    ) -> None:
        assert given.admits(address) is admitted

    def test_is_what_the_connection_goes_to(self) -> None:
        asked: list[tuple[str, int]] = []

        def resolve(host: str, port: int) -> Sequence[str]:
            asked.append((host, port))
            return ["127.0.0.1"]

        with Loopback() as server:
            client = JsonClient(listed(server.url(NAME)), patience=QUICK, resolve=resolve)
            assert ask(client) == "ok"
            assert asked == [(NAME, server.port)]
            assert server.requests[0].headers["Host"] == f"{NAME}:{server.port}"

    def test_is_refused_before_anything_is_sent(self) -> None:
        with Loopback() as server:
            url = server.url(NAME).replace("http:", "https:")
            client = JsonClient(unlisted(url), patience=QUICK, resolve=at("127.0.0.1", "::1"))
            assert "may not be asked" in ask(client)
            assert server.connections == 0

    def test_is_tried_address_by_address(self) -> None:
        with Loopback() as server:
            addresses = at("169.254.169.254", "127.0.0.2", "127.0.0.1")
            client = JsonClient(listed(server.url(NAME)), patience=QUICK, resolve=addresses)
            assert ask(client) == "ok"

    def test_may_be_nothing(self) -> None:
        client = JsonClient(listed(f"http://{NAME}"), patience=QUICK, resolve=at())
        assert "is not known" in ask(client)

    def test_is_not_waited_for_beyond_the_time_to_connect_in(self) -> None:
        release = threading.Event()

        def resolve(_host: str, _port: int) -> Sequence[str]:
            release.wait(10)
            return ["127.0.0.1"]

        client = JsonClient(listed(f"http://{NAME}"), patience=QUICK, resolve=resolve)
        before = threading.active_count()
        for _ in range(2):
            started = time.monotonic()
            with pytest.raises(Unavailable):
                client.post("/", {}, lambda _: None)
            assert time.monotonic() - started < 0.8
        assert threading.active_count() <= before + 1
        release.set()
        client.close()

    def test_is_asked_of_the_machine(self) -> None:
        assert "127.0.0.1" in resolved("localhost", 80)
        assert resolved("::1", 80) == ["::1"]
        assert resolved("a" * 64 + ".invalid", 80) == []


class TestAConnection:
    @pytest.fixture
    def full(self) -> Iterator[int]:
        """The port of a listener that takes no connection."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        others = [socket.socket() for _ in range(4)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(listener.getsockname())
        yield int(listener.getsockname()[1])
        for each in (listener, *others):
            each.close()

    def test_that_is_not_made_in_time_is_given_up(self, full: int) -> None:
        started = time.monotonic()
        client = JsonClient(listed(f"http://127.0.0.1:{full}"), patience=QUICK)
        assert "no connection in time" in ask(client)
        assert 0.25 < time.monotonic() - started < 0.8

    def test_checks_the_certificate_against_the_name_at_the_address(self, tmp_path: Path) -> None:
        offered, trusted = certificates.contexts(NAME, tmp_path)
        with Loopback(tls=offered) as server:
            for host, words in ((NAME, "ok"), ("other.example", "not valid for its name")):
                client = JsonClient(
                    listed(server.url(host)), patience=QUICK, resolve=at("127.0.0.1"), tls=trusted
                )
                assert words in ask(client)
            client = JsonClient(listed(server.url(NAME)), patience=QUICK, resolve=at("127.0.0.1"))
            assert "not valid for its name" in ask(client)
            assert len(server.requests) == 1

    @pytest.mark.parametrize("behaviour", [loopback.slow_body(0.02), loopback.hangs])
    def test_by_tls_is_cut_off_at_the_deadline_too(
        self, behaviour: loopback.Behaviour, tmp_path: Path
    ) -> None:
        offered, trusted = certificates.contexts(NAME, tmp_path)
        with Loopback(always=behaviour, tls=offered) as server:
            started = time.monotonic()
            client = JsonClient(
                listed(server.url(NAME)),
                patience=Patience(deadline=0.4, tries=1),
                resolve=at("127.0.0.1"),
                tls=trusted,
            )
            assert "no answer in time" in ask(client)
            assert time.monotonic() - started < 0.8

    def test_whose_tls_never_begins_is_cut_off(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = JsonClient(
                listed(f"https://127.0.0.1:{silent.getsockname()[1]}"),
                patience=Patience(deadline=0.4, tries=1),
            )
            started = time.monotonic()
            assert "no TLS in time" in ask(client)
            assert time.monotonic() - started < 0.8


class TestPlainHttp:
    def test_beyond_this_machine_is_warned_of_once(self) -> None:
        with structlog.testing.capture_logs() as logs:
            client = JsonClient(listed("http://ollama:11434"))
            client.close()
            JsonClient(listed("http://127.0.0.1:11434")).close()
        assert [entry["event"] for entry in logs] == ["endpoint_in_plain_http"]
