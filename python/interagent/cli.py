"""The program, for those who call it from Python."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn, Optional, Sequence

from ._errors import ProgramNotFoundError
from ._find import find_program


def main(arguments: Optional[Sequence[str]] = None) -> NoReturn:
    """Runs the program `interagent` in the place of this process, with the arguments of this process."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        program = find_program()
    except ProgramNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(5)
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        sys.exit(subprocess.run([program, *given], check=False).returncode)
    os.execv(program, [program, *given])
