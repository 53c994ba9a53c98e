"""Protobuf code, generated out of ``proto/**/*.proto`` whenever the project is built.

A build hook of hatchling (wheel and editable install), and a command: ``python hatch_build.py``
regenerates in place (``make proto``). Messages, typing stubs and gRPC services land beside their
``.proto`` file and are never committed. Files are replaced whole and only where they differ, so
that a process that is running at the same time never imports half a module.
"""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def _plugin(name: str) -> str:
    """Path of a protoc plugin, which need not be on PATH when its environment is not activated."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed; run `make env` (package mypy-protobuf)")
    return found


def generate(root: Path) -> list[Path]:
    """Generate code for every ``.proto`` below ``root/proto``; return the generated files.

    Files whose ``.proto`` is gone are removed.

    Raises:
        subprocess.CalledProcessError: protoc refused a file; its message is on stderr.
        FileNotFoundError: a protoc plugin is not installed.
    """
    proto = root / "proto"
    sources = sorted(str(path.relative_to(proto)) for path in proto.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        if sources:
            subprocess.run(
                [
                    *(sys.executable, "-m", "grpc_tools.protoc", "--proto_path=."),
                    f"--plugin=protoc-gen-mypy={_plugin('protoc-gen-mypy')}",
                    f"--plugin=protoc-gen-mypy_grpc={_plugin('protoc-gen-mypy_grpc')}",
                    *(f"--python_out={scratch}", f"--grpc_python_out={scratch}"),
                    *(f"--mypy_out=quiet:{scratch}", f"--mypy_grpc_out=quiet:{scratch}"),
                    *sources,
                ],
                cwd=proto,
                check=True,
            )
        fresh = {proto / path.relative_to(scratch): path for path in Path(scratch).rglob("*") if path.is_file()}
        for target, made in fresh.items():
            if not target.exists() or target.read_bytes() != made.read_bytes():
                beside = target.with_name(f".{target.name}.new")
                shutil.copyfile(made, beside)
                beside.replace(target)
    for pattern in GENERATED:
        for stale in set(proto.rglob(pattern)) - set(fresh):
            stale.unlink()
    return sorted(fresh)


class ProtobufHook(BuildHookInterface):  # type: ignore[type-arg]  # generic over a config we do not use
    """Generates before the build and puts the generated, git-ignored files into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate, and name the generated files as artifacts of the build."""
        root = Path(self.root)
        build_data["artifacts"] += [path.relative_to(root).as_posix() for path in generate(root)]


if __name__ == "__main__":
    try:
        made = generate(Path(__file__).parent)
    except subprocess.CalledProcessError:
        sys.exit("error: protoc refused the .proto files, see above; generated code is unchanged")
    print(f"{len(made)} protobuf modules and stubs are up to date")
