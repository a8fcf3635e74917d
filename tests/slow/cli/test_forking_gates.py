"""A gate that forks multiplies nobody: the fork is refused and told, and a copy that comes to be all the same ends.

Each gate here forks once in all, whatever happens, and notes what its copy does: where the guard is broken one process
too many runs, and no more.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from stopcheck.campaign import ExitCode
from tests.slow.cli.support import HASTY, stopcheck, write_gate

FAULT = "ADAPTER FAULT GateForked: the gate forks its process (os.fork), at "
_ONCE = """
import ctypes, multiprocessing, subprocess
from pathlib import Path

HERE = Path(__file__).parent


def first_time():
    try:
        (HERE / "forked").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def fork():
    if first_time() and os.fork() == 0:
        (HERE / "copy").touch()
"""
IN_A_CALL = {
    "forks": "fork()",
    "swallows the refusal": "try:\n    fork()\nexcept Exception:\n    pass",
    "uses multiprocessing": """
        if first_time():
            process = multiprocessing.get_context("fork").Process(target=(HERE / "copy").touch)
            process.start()
            process.join()
    """,
    "forks in a thread": "thread = threading.Thread(target=fork)\nthread.start()\nthread.join()",
}


def forking(folder: Path, body: str, host: str = "INLINE") -> str:
    """A gate that does it in each commitment; how to name it."""
    lines = "\n".join(f"    {line}" for line in dedent(body).strip().splitlines())
    operation = f"def commit_effect(self, request):\n{lines}\n    return super().commit_effect(request)"
    contract = f'contract = sg.GateContract(name="forking", version="1", host=sg.HostKind.{host})'
    gate = write_gate(folder, f"{contract}\n\n{operation}", "forking")
    path = folder / "forking.py"
    imports, _, rest = path.read_text().partition("\n\n\n")
    path.write_text(f"{imports}\n{_ONCE}\n\n{rest}")
    return gate


@pytest.mark.parametrize("body", IN_A_CALL.values(), ids=IN_A_CALL)
def test_a_fork_is_refused_and_told_in_one_line(body: str, tmp_path: Path) -> None:
    done = stopcheck("smoke", forking(tmp_path, body))
    assert done.returncode == ExitCode.ADAPTER_FAULT, done.stdout
    assert (tmp_path / "forked").exists()
    assert not (tmp_path / "copy").exists()
    faults = [line for line in done.stdout.splitlines() if line.startswith("ADAPTER FAULT")]
    assert len(faults) == 1
    assert faults[0].startswith(f"{FAULT}forking.py:")
    assert "gate that needs processes can be one itself" in done.stdout


def test_in_a_campaign_it_is_one_fault_with_a_line_that_replays_it(tmp_path: Path) -> None:
    gate = forking(tmp_path, "fork()", "THREAD")
    done = stopcheck("certify", gate, *HASTY)
    assert done.returncode == ExitCode.ADAPTER_FAULT, done.stdout
    assert done.stdout.count(FAULT) == 1
    assert done.stdout.count("is NOT certified") == 1
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("stopcheck replay"))
    (tmp_path / "forked").unlink()
    done = stopcheck(*line.split()[1:])
    assert done.returncode == ExitCode.ADAPTER_FAULT, done.stdout
    assert done.stdout.count(FAULT) == 1
    assert not (tmp_path / "copy").exists()


def test_a_module_that_forks_when_it_is_imported_is_told_so(tmp_path: Path) -> None:
    gate = forking(tmp_path, "pass")
    with (tmp_path / "forking.py").open("a") as file:
        file.write("\n\nfork()\n")
    done = stopcheck("smoke", gate)
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert done.stderr.count(f"{FAULT}forking.py:") == 1
    assert not (tmp_path / "copy").exists()


def test_a_copy_that_native_code_makes_ends_where_it_comes_back_to_the_kit(tmp_path: Path) -> None:
    body = """
        if first_time():
            ctypes.CDLL(None).fork()
        self.calls = HERE / f"commitments-of-{os.getpid()}"
        self.calls.touch()
    """
    gate = forking(tmp_path, body)
    with (tmp_path / "forking.py").open("a") as file:
        file.write("\n    def complete(self, request):\n")
        file.write('        (HERE / f"completed-by-{os.getpid()}").touch()\n')
        file.write("        return super().complete(request)\n")
    done = stopcheck("smoke", gate)
    assert done.returncode == ExitCode.CERTIFIED, done.stdout
    assert done.stdout.count("the gate can be tried") == 1
    assert len(list(tmp_path.glob("commitments-of-*"))) == 2
    assert len(list(tmp_path.glob("completed-by-*"))) == 1


def test_a_program_that_a_gate_starts_is_no_copy(tmp_path: Path) -> None:
    gate = forking(tmp_path, 'subprocess.run(["true"], preexec_fn=lambda: None, check=True)')
    done = stopcheck("smoke", gate)
    assert done.returncode == ExitCode.CERTIFIED, done.stdout
