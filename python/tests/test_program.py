"""The program behind the package: how it is found, run and ended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import interagent
from interagent import Hub, InterAgentError, ProgramNotFoundError, ProgramVersionError, find_program


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ProgramNotFoundError) as missing:
        Hub.open(program=tmp_path / "nothing").whoami()
    assert "nothing" in missing.value.message
    monkeypatch.setenv("INTERAGENT_PROGRAM", str(tmp_path / "gone"))
    with pytest.raises(ProgramNotFoundError) as gone:
        Hub.open().whoami()
    assert gone.value.hint == "unset INTERAGENT_PROGRAM"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo \"error: unrecognized subcommand 'api'\" >&2; exit 2", "unrecognized subcommand"),
        ("exit 0", "does not speak the API"),
        ("echo hello; cat", "does not speak the API"),
        ("echo '{\"interagent\": \"9.0.0\", \"api\": 9, \"schema\": 1}'; cat", "9.0.0"),
    ],
)
def test_program_of_another_version_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ProgramVersionError) as error:
        Hub.open(program=script(tmp_path / "interagent", text)).whoami()
    assert said in error.value.message and "\n" not in error.value.message


def test_program_that_dies_at_every_call_is_given_up(tmp_path: Path) -> None:
    hello = '{"interagent": "0.1.0", "api": 1, "schema": 1}'
    program = script(tmp_path / "interagent", f"echo '{hello}'; echo started >> {tmp_path}/starts; read line; exit 1")
    with pytest.raises(InterAgentError) as error:
        Hub.open(program=program).task.list()
    assert error.value.code == "connection_lost"
    assert (tmp_path / "starts").read_text().split() == ["started", "started"]


def test_module_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "interagent", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"interagent {interagent.__version__}\n"
    refused = subprocess.run([sys.executable, "-m", "interagent", "no-such"], capture_output=True, text=True)
    assert refused.returncode == 2 and "no-such" in refused.stderr


def test_watchdog_tells_of_news(hub: Hub) -> None:
    command = [sys.executable, "-m", "interagent.watchdog", "--interval", "10"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None and watching.stderr is not None
        assert "watching" in watching.stderr.readline()
        hub.message.send(to="kimi", subject="News", body="hello")
        assert "News" in watching.stdout.readline()
        watching.terminate()


def test_program_ends_with_the_interpreter(hub: Hub, tmp_path: Path) -> None:
    hub.whoami()
    for end in ("", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"):
        text = f"""
from interagent import Hub
hub = Hub.open()
hub.whoami()
print(hub._link.connection()._process.pid, flush=True)
{end}
"""
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        assert done.stderr == ""
        child = int(done.stdout)
        for _ in range(3000):
            try:
                os.kill(child, 0)
            except ProcessLookupError:
                break
            subprocess.run(["sleep", "0.01"], check=True)
        else:
            pytest.fail("the program outlived the interpreter")


def test_interrupt_reaches_the_caller_alone(hub: Hub) -> None:
    text = """
import os, signal
from interagent import Hub
hub = Hub.open()
hub.whoami()
child = hub._link.connection()._process.pid
try:
    os.killpg(0, signal.SIGINT)
    hub.wait(60, agent="kimi")
except KeyboardInterrupt:
    pass
hub.whoami()
print(child == hub._link.connection()._process.pid)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, start_new_session=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_processes_share_a_hub_without_loss(hub: Hub) -> None:
    text = """
import sys
from interagent import Hub
with Hub.open() as hub:
    for count in range(10):
        hub.message.send(to="kimi", body=f"{sys.argv[1]}: {count}")
"""
    running = [subprocess.Popen([sys.executable, "-c", text, str(number)]) for number in range(8)]
    assert [one.wait() for one in running] == [0] * 8
    bodies = {hub.message.read(row.id).body for row in hub.message.list(limit=200)}
    assert bodies == {f"{number}: {count}" for number in range(8) for count in range(10)}


def test_program_is_found_without_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    if "INTERAGENT_PROGRAM" in os.environ:
        pytest.skip("the package is not installed")
    monkeypatch.setenv("PATH", "/nowhere")
    assert os.path.basename(find_program()) == "interagent"


def test_generated_code_is_current(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    generator = root / "python" / "tools" / "generate.py"
    catalog = subprocess.run([find_program(), "operations", "--json"], capture_output=True, check=True).stdout
    subprocess.run([sys.executable, str(generator), str(tmp_path)], input=catalog, check=True)
    for name in ("types.py", "operations.py", "async_operations.py"):
        committed = (root / "python" / "interagent" / name).read_text(encoding="utf-8")
        made = (tmp_path / name).read_text(encoding="utf-8")
        assert made == committed, f"{name} is behind the catalog: cargo xtask python --update"
