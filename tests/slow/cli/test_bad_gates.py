"""Adapters that break the protocol itself: exit 4, one clear line, no traceback, and no process left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode
from stopcheck.kernel import Schedule
from tests.slow.cli.support import HASTY, stopcheck, write_gate

RAISES = "def commit_effect(self, request):\n    raise ValueError('boom')"
BAD = {
    "raises": (RAISES, "GateRaised: commit_effect", "raised ValueError: boom"),
    "returns nothing": ("def commit_effect(self, request):\n    return None", "WrongReply", "answered None"),
    "returns a huge string": (
        "def commit_effect(self, request):\n    return 'x' * 1_000_000",
        "WrongReply",
        "no reply of that operation",
    ),
    "answers another operation": (
        "def commit_effect(self, request):\n    return sg.Ticked()",
        "WrongReply",
        "answered Ticked(",
    ),
    "loops for ever": ("def commit_effect(self, request):\n    while True: pass", "GateHung", "in Gate.commit_effect"),
    "sleeps in real time": (
        "def commit_effect(self, request):\n    time.sleep(1e6)",
        "GateHung",
        "in Gate.commit_effect",
    ),
    "waits for a real lock": (
        """
        contract = sg.GateContract(name="locked", version="1", host=sg.HostKind.THREAD)
        def commit_effect(self, request):
            lock = __import__("_thread").allocate_lock()
            lock.acquire()
            lock.acquire()
        """,
        "GateHung",
        "in Gate.commit_effect",
    ),
    "ends its process": (
        "def commit_effect(self, request):\n    print('last words', flush=True)\n    os._exit(0)",
        "GateDied",
        "ended by itself with exit status 0",
    ),
    "crashes natively": (
        "def commit_effect(self, request):\n    __import__('ctypes').string_at(0)",
        "GateDied",
        "died of SIGSEGV",
    ),
    "calls sys.exit": ("def commit_effect(self, request):\n    sys.exit(0)", "GateRaised", "raised SystemExit: 0"),
    "raises KeyboardInterrupt": (
        "def commit_effect(self, request):\n    raise KeyboardInterrupt",
        "GateRaised",
        "raised KeyboardInterrupt",
    ),
    "raises a BaseException": (
        "class Own(BaseException): pass\ndef commit_effect(self, request):\n    raise self.Own('mine')",
        "GateRaised",
        "raised Own: mine",
    ),
    "raises what cannot be said": (
        """
        class Mute(Exception):
            def __str__(self):
                raise ValueError
        def commit_effect(self, request):
            raise self.Mute
        """,
        "GateRaised",
        "raised Mute, whose str raises ValueError",
    ),
    "fingerprint raises": (
        "def fingerprint(self):\n    raise ValueError('no print')",
        "GateRaised",
        "fingerprint raised ValueError: no print",
    ),
    "fingerprint is text": (
        "def fingerprint(self):\n    return 'text'",
        "WrongReply",
        "fingerprint returned 'text', which is str",
    ),
    "fingerprint is missing": (
        "def fingerprint(self):\n    return None",
        "AdapterFault",
        "the gate's fingerprint is None",
    ),
    "changes its contract": (
        """
        def commit_effect(self, request):
            type(self).contract = sg.GateContract(name="other", version="2")
            return super().commit_effect(request)
        """,
        "NotAGate",
        "changed while the gate was tried",
    ),
    "awaits asyncio": (
        "async def commit_effect(self, request):\n    await asyncio.sleep(1)",
        "HostMismatch",
        "asks for an event loop",
    ),
    "awaits trio": (
        "async def commit_effect(self, request):\n    await __import__('trio').sleep(1)",
        "HostMismatch",
        "asks for an event loop",
    ),
    "waits for a lock of asyncio": (
        """
        async def commit_effect(self, request):
            lock = asyncio.Lock()
            await lock.acquire()
            await lock.acquire()
        """,
        "HostMismatch",
        "asks for an event loop",
    ),
    "awaits something strange": (
        """
        class Strange:
            def __await__(self):
                yield 42
        async def commit_effect(self, request):
            await self.Strange()
        """,
        "HostMismatch",
        "which needs an event loop",
    ),
    "cannot be opened": (
        "def __init__(self, environment):\n    raise OSError('no disk')",
        "GateRaised",
        "the factory raised OSError: no disk",
    ),
}


#: Like another of them: `make campaign` tries these.
ALIKE = {
    "returns a huge string",
    "sleeps in real time",
    "waits for a real lock",
    "raises KeyboardInterrupt",
    "raises what cannot be said",
    "fingerprint is text",
    "fingerprint is missing",
    "awaits trio",
    "waits for a lock of asyncio",
    "awaits something strange",
}
assert set(BAD) >= ALIKE


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign if name in ALIKE else ()) for name in BAD]
)
def test_each_is_one_clear_fault(name: str, tmp_path: Path) -> None:
    body, kind, words = BAD[name]
    done = stopcheck("certify", write_gate(tmp_path, body), *HASTY)
    assert done.returncode == ExitCode.ADAPTER_FAULT, done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stderr == ""
    fault = [line for line in done.stdout.splitlines() if line.startswith("ADAPTER FAULT")]
    assert len(fault) == 1, fault  # however often it was seen
    assert fault[0].startswith(f"ADAPTER FAULT {kind}")
    assert words in fault[0]
    assert len(fault[0]) < 500
    below = done.stdout[done.stdout.index(fault[0]) :].splitlines()
    assert below[1].startswith("  cause: ")
    assert any(line.startswith("  next: ") for line in below[1:5])
    assert "NOT certified: the adapter broke the protocol" in done.stdout.splitlines()[-1]


def test_the_place_of_a_fault_is_in_the_adapter(tmp_path: Path) -> None:
    gate = write_gate(tmp_path, "async def commit_effect(self, request):\n    await asyncio.sleep(1)")
    done = stopcheck("certify", gate, *HASTY)
    assert "cause: raised at " + gate.split(":")[0] in done.stdout


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("def commit_effect(self, request, more):\n    return sg.Ticked()", "one argument, the request"),
        ("def __init__(self):\n    pass", "one argument, the environment"),
    ],
    ids=["an operation", "the factory"],
)
def test_a_wrong_signature_is_said_to_be_one(body: str, cause: str, tmp_path: Path) -> None:
    done = stopcheck("certify", write_gate(tmp_path, body), *HASTY)
    assert done.returncode == ExitCode.ADAPTER_FAULT, done.stdout
    assert f"cause: it cannot be called with {cause}" in done.stdout
    assert "harness" not in done.stdout


def test_a_fault_comes_with_a_line_that_replays_it(tmp_path: Path) -> None:
    gate = write_gate(tmp_path, RAISES)
    printed = stopcheck("certify", gate, *HASTY).stdout
    line = next(line for line in printed.splitlines() if line.strip().startswith("stopcheck replay"))
    done = stopcheck(*line.split()[1:])
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert "ADAPTER FAULT GateRaised" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_gate_cannot_end_a_replay_with_a_status_that_reads_like_a_verdict(tmp_path: Path) -> None:
    printed = stopcheck("certify", write_gate(tmp_path, RAISES), *HASTY).stdout
    token = next(line.split()[2] for line in printed.splitlines() if line.strip().startswith("stopcheck replay"))
    exiting = write_gate(tmp_path, "def commit_effect(self, request):\n    os._exit(0)", "exiting")
    done = stopcheck("replay", token, "--gate", exiting)
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert "ended by itself with exit status 0" in done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("KeyboardInterrupt", "the adapter raised KeyboardInterrupt"),
        ("GeneratorExit", "the adapter raised GeneratorExit"),
    ],
)
def test_a_gate_cannot_interrupt_a_smoke_test(name: str, words: str, tmp_path: Path) -> None:
    done = stopcheck("smoke", write_gate(tmp_path, f"def commit_effect(self, request):\n    raise {name}"))
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert f"ADAPTER FAULT GateRaised: {words}" in done.stderr
    assert "interrupted" not in done.stderr


def test_a_gate_cannot_keep_the_report_of_a_smoke_test_from_its_reader(tmp_path: Path) -> None:
    body = """
        def commit_effect(self, request):
            os.closerange(0, 3)
            os.kill(os.getpid(), 2)
            return super().commit_effect(request)
    """
    done = stopcheck("smoke", write_gate(tmp_path, body))
    assert (done.returncode, done.stderr) == (ExitCode.CERTIFIED, "")
    assert "the gate can be tried" in done.stdout


#: Loops inside of a built-in, where no signal is looked at.
HANGS_NATIVELY = "def commit_effect(self, request):\n    sum(iter(int, 1))"


def test_a_replay_that_hangs_natively_is_killed_in_one_clear_line(tmp_path: Path) -> None:
    token = Schedule.of("before-admission", {"handles": "1", "granularity": "calls"}, []).token()
    gate = write_gate(tmp_path, HANGS_NATIVELY, "hanging")
    done = stopcheck("replay", token, "--gate", gate, "--execution-seconds", "1", "--silence-seconds", "4")
    assert done.returncode == ExitCode.ADAPTER_FAULT
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    fault = "ADAPTER FAULT GateHung: the run that was replayed did not come back for 4 s and was killed"
    assert lines[1:]
    assert lines[1] == fault
    assert [line.split(":")[0].strip() for line in lines[2:]] == ["cause", "next"]


@pytest.mark.parametrize(
    "body",
    [
        "def commit_effect(self, request):\n    print('noise ' * 5000)\n    return super().commit_effect(request)",
        "def close(self):\n    raise OSError('no disk')",
        """
        def commit_effect(self, request):
            subprocess = __import__("subprocess")
            subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
            return super().commit_effect(request)
        """,
    ],
    ids=["prints a lot", "close raises", "starts processes"],
)
def test_what_is_only_untidy_is_no_fault_and_leaves_nothing(body: str, tmp_path: Path) -> None:
    done = stopcheck("certify", write_gate(tmp_path, body), *HASTY)
    assert done.returncode == ExitCode.INCONCLUSIVE, done.stdout  # one scenario proves little
    assert "noise" not in done.stdout
    assert "FAULT" not in done.stdout
