"""The protobuf code follows its ``.proto`` files, and only they change it."""

import subprocess
from pathlib import Path

import pytest

from hatch_build import generate

PROTO = 'syntax = "proto3";\npackage demo.v1;\nmessage Demo { uint32 turn = 1; }\n'
MADE = ["demo_pb2.py", "demo_pb2.pyi", "demo_pb2_grpc.py", "demo_pb2_grpc.pyi"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The only package of a project that holds one ``.proto`` file."""
    folder = tmp_path / "proto/demo/v1"
    folder.mkdir(parents=True)
    (folder / "demo.proto").write_text(PROTO, "utf-8")
    return folder


def test_code_lands_beside_its_proto_and_goes_with_it(tmp_path: Path, folder: Path) -> None:
    assert generate(tmp_path) == sorted(folder / name for name in MADE)
    (folder / "demo.proto").rename(folder / "other.proto")
    generate(tmp_path)
    assert {path.name for path in folder.iterdir()} == {
        "other.proto",
        *(name.replace("demo", "other") for name in MADE),
    }


def test_what_has_not_changed_is_left_alone(tmp_path: Path, folder: Path) -> None:
    generate(tmp_path)
    before = {name: (folder / name).stat().st_ino for name in MADE}
    (folder / "demo.proto").write_text(PROTO.replace("turn", "phase"), "utf-8")
    generate(tmp_path)
    after = {name: (folder / name).stat().st_ino for name in MADE}
    assert {name for name in MADE if before[name] != after[name]} == {"demo_pb2.py", "demo_pb2.pyi"}


def test_a_broken_proto_leaves_the_code_as_it_was(
    tmp_path: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    generate(tmp_path)
    before = (folder / "demo_pb2.py").read_bytes()
    (folder / "demo.proto").write_text(PROTO.replace("uint32", "uint33"), "utf-8")
    with pytest.raises(subprocess.CalledProcessError):
        generate(tmp_path)
    assert '"uint33" is not defined' in capfd.readouterr().err
    assert (folder / "demo_pb2.py").read_bytes() == before
