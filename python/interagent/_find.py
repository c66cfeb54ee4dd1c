"""Finding the program `interagent`."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from typing import Iterator

from ._errors import ProgramNotFoundError

_NAME = "interagent" + (".exe" if sys.platform == "win32" else "")


def _directories() -> Iterator[str]:
    """Where pip puts programs, most likely first."""
    yield sysconfig.get_path("scripts")
    # `pip install --prefix` and `--target` put them beside the package.
    package = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(package)
    yield os.path.join(above, "bin")
    yield os.path.normpath(os.path.join(above, "..", "..", "..", "bin"))
    scheme = "osx_framework_user" if sys.platform == "darwin" and "framework" in sys.exec_prefix else f"{os.name}_user"
    yield sysconfig.get_path("scripts", scheme=scheme)
    # The environment may be used without being activated.
    yield os.path.dirname(sys.executable)


def find_program() -> str:
    """Finds the program.

    `INTERAGENT_PROGRAM` names another one.
    """
    named = os.environ.get("INTERAGENT_PROGRAM")
    if named:
        if os.path.isfile(named):
            return named
        raise ProgramNotFoundError(f"INTERAGENT_PROGRAM names no file: {named}", hint="unset INTERAGENT_PROGRAM")
    for directory in _directories():
        program = os.path.join(directory, _NAME)
        if os.path.isfile(program) and not _is_script(program):
            return program
    on_path = shutil.which(_NAME)
    if on_path is not None and not _is_script(on_path):
        return on_path
    raise ProgramNotFoundError(
        "the program `interagent` is not installed beside this package",
        hint="pip install --force-reinstall interagent",
    )


def _is_script(program: str) -> bool:
    """Whether this is a Python script, such as the one that interagent-framework installs under the same name."""
    try:
        with open(program, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True
