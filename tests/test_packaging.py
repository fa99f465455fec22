"""The repository as a package: four layers at the top, one package when it is installed."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("commands", "domain", "projections", "queries")
UNKEPT = {
    ".git", ".venv", ".venv-bench", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".import_linter_cache", "__pycache__", "build", "dist", "muniment.egg-info",
}  # fmt: skip
FAMILIES = {
    "Conflict", "Invalid", "MunimentError", "NotFound", "Refused", "StorageFailed", "Unavailable",
}  # fmt: skip


def files(suffix: str = "") -> Iterator[Path]:
    """Every file that belongs to the repository, once: links are not followed."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name not in UNKEPT and not (Path(folder) / name).is_symlink()
        ]
        yield from (Path(folder) / name for name in names if name.endswith(suffix))


def packages() -> dict[str, Path]:
    """Every package of ours by its name when installed."""
    found: dict[str, Path] = {}
    for path in files("__init__.py"):
        parts = path.parent.relative_to(ROOT).parts
        if parts and parts[0] in ("muniment", *LAYERS):
            found[".".join(parts if parts[0] == "muniment" else ("muniment", *parts))] = path.parent
    return found


def sources() -> list[Path]:
    """Every module of ours."""
    return [path for path in files(".py") if path.relative_to(ROOT).parts[0] in _OURS]


_OURS = ("muniment", *LAYERS)
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


# the layers


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_at_the_top_is_linked_into_the_package(layer: str) -> None:
    link = ROOT / "muniment" / layer
    assert link.is_symlink()
    assert link.readlink() == Path("..") / layer
    assert link.resolve() == ROOT / layer
    assert (link / "__init__.py").is_file()


def test_every_package_is_listed_with_its_directory() -> None:
    listed = _PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(packages())
    assert listed == sorted(listed)
    directories = _PROJECT["tool"]["setuptools"]["package-dir"]
    for name, directory in packages().items():
        parts = directory.relative_to(ROOT).parts
        assert directories.get(name, name.replace(".", "/")) == "/".join(parts)


def test_every_directory_of_modules_is_a_package() -> None:
    assert {path.parent for path in sources()} == set(packages().values())


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Each import of a module: its level (0: absolute), and the module's name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""


def test_no_layer_is_imported_by_its_bare_name() -> None:
    bare = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files(".py")
        for level, name in _imports(path)
        if level == 0 and name.partition(".")[0] in LAYERS
    ]
    assert bare == []


def test_the_domain_looks_outward_nowhere() -> None:
    outward: list[str] = []
    for path in files(".py"):
        parts = path.relative_to(ROOT).parts
        if parts[0] != "domain":
            continue
        for level, name in _imports(path):
            leaves = level >= len(parts) if level else name.partition(".")[0] == "muniment"
            if leaves and not name.startswith("muniment.domain"):
                outward.append(f"{'/'.join(parts)}: {'.' * level}{name}")
    assert outward == []


# the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a wheel that was built from a copy of the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(
        ROOT, folder / "copy", symlinks=True, ignore=shutil.ignore_patterns(*UNKEPT, "tests")
    )
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), "./copy"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        return archive.namelist()


def test_a_wheel_has_one_name_at_its_top_level(wheel: list[str]) -> None:
    tops = {name.partition("/")[0] for name in wheel}
    assert tops == {"muniment", f"muniment-{_PROJECT['project']['version']}.dist-info"}


def test_a_wheel_holds_every_module_and_says_that_it_is_typed(wheel: list[str]) -> None:
    expected = {"muniment/__init__.pyi", "muniment/py.typed"}
    for path in sources():
        parts = path.relative_to(ROOT).parts
        expected.add("/".join(parts if parts[0] == "muniment" else ("muniment", *parts)))
    assert {name for name in wheel if name.startswith("muniment/")} == expected


def test_outside_the_checkout_only_the_package_has_a_name(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = (
        "import importlib.util, muniment\n"
        f"found = [one for one in {LAYERS!r} if importlib.util.find_spec(one)]\n"
        "raise SystemExit(', '.join(found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=kept, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"\n")


# what no file may say


_ADDRESSES = re.compile(
    r"(?<!no-emit-)(?:extra-)?index" + r"-url|trusted" + r"-host|/sim" + r"ple/?(?:\s|$|[\"'])"
)
_MACHINE = re.compile(r"(?<![\w.~-])/(?:ho" + r"me|ro" + r"ot)/\w")
_SCRATCH = re.compile(r"(?<![\w.~-])/t" + r"mp/\w")


def _texts() -> Iterator[tuple[str, str]]:
    for path in files():
        if path.is_symlink():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        yield str(path.relative_to(ROOT)), text


def test_no_file_names_a_package_index_or_a_place_on_some_machine() -> None:
    found = [
        f"{name}: {match[0]}"
        for name, text in _texts()
        for pattern in (_ADDRESSES, _MACHINE)
        if (match := pattern.search(text))
    ]
    assert found == []


def test_no_document_names_a_scratch_directory() -> None:
    assert [name for name, text in _texts() if name.endswith(".md") and _SCRATCH.search(text)] == []


def test_every_requirement_is_pinned_with_hashes_and_without_an_address() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    requirements = [line for line in lines if not line.lstrip().startswith("#")]
    assert len(requirements) > 20
    for requirement in requirements:
        assert re.match(r"^[a-z0-9][a-z0-9._-]*(\[[a-z,]+\])?==[^\s;]+", requirement), requirement
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", requirement), requirement


def test_every_dependency_is_among_the_pinned_requirements() -> None:
    pinned = {
        line.partition("==")[0].partition("[")[0]
        for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    wanted = {
        re.split(r"[\[<>=~! ]", one)[0].lower() for one in _PROJECT["project"]["dependencies"]
    }
    assert wanted <= pinned


# codes of errors


def _codes() -> Iterator[tuple[str, str]]:
    """Where an error is made, and the code that it is given; a part that is computed as ``x``."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = path.relative_to(ROOT)
            if isinstance(node, ast.Call) and _name(node.func) in FAMILIES:
                for keyword in node.keywords:
                    if keyword.arg == "code":
                        yield from ((f"{where}:{node.lineno}", one) for one in _said(keyword.value))
            elif (
                isinstance(node, ast.AnnAssign)
                and _name(node.target) == "default_code"
                and node.value is not None
            ):
                yield from ((f"{where}:{node.lineno}", one) for one in _said(node.value))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _said(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.IfExp):
        return _said(node.body) + _said(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return ["".join((*_said(part), "x")[0] for part in node.values)]
    return []


def test_every_code_of_an_error_is_snake_case() -> None:
    codes = list(_codes())
    assert len({code for _, code in codes}) > 30
    assert [one for one in codes if not re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", one[1])] == []


def test_every_family_has_a_code_of_its_own() -> None:
    import muniment  # noqa: PLC0415 (the other tests need no install)

    families = [getattr(muniment, name) for name in sorted(FAMILIES)]
    assert len({family.default_code for family in families}) == len(families)
    assert len({family.exit_status for family in families}) == len(families)
    assert all(issubclass(family, muniment.MunimentError) for family in families)


def test_nothing_that_runs_is_under_the_gpl() -> None:
    """The packages that ours needs, and what they need in turn; those of the tests may be."""
    waiting, seen = ["muniment"], set[str]()
    while waiting:
        name = re.split(r"[^A-Za-z0-9._-]", waiting.pop(), maxsplit=1)[0].lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            package = metadata(name)
        except PackageNotFoundError:
            continue  # it is for another platform or Python
        licence = " ".join(
            package.get_all("License-Expression", [])
            + package.get_all("License", [])
            + [one for one in package.get_all("Classifier", []) if one.startswith("License")]
        )[:500]
        assert not re.search(r"\bA?GPL|General Public License", licence), name
        waiting += [one for one in requires(name) or [] if "extra ==" not in one]
    assert {"eventsourcing", "numpy", "httpx"} <= seen
