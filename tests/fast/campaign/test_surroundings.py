"""What a gate's calls change of the process is put back after each run."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import as_loaded, load_gate
from stopcheck.campaign._results import JobSpec
from stopcheck.gate import CommitEffect, Environment, HostKind
from stopcheck_fixtures.reference.memory import MemoryGate


class Wanders(MemoryGate):
    """Its commitment goes to a directory that is gone then, and lets calls go no deeper than they are."""

    def commit_effect(self, request: CommitEffect) -> object:  # type: ignore[override]
        """As it should be but for that."""
        folder = Path(os.environ["GONE"])
        folder.mkdir(exist_ok=True)
        os.chdir(folder)
        folder.rmdir()
        sys.setrecursionlimit(sys.getrecursionlimit() - 1)
        return super().commit_effect(request)


def test_each_run_begins_where_the_first_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GONE", str(tmp_path / "gone"))
    limit = sys.getrecursionlimit()
    with JobRunner(as_loaded("wanders", Wanders)) as runner:
        result = runner.run(JobSpec("before-admission", 1, "calls", "state-machine", 1, 0), lambda *_: None)
    assert result.fault is None
    assert Path.cwd() == tmp_path
    assert sys.getrecursionlimit() == limit


class TakesHooks(MemoryGate):
    """Opened, it leaves nobody to be told of exceptions."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        sys.excepthook = threading.excepthook = None  # type: ignore[assignment]


@pytest.mark.parametrize("host", [HostKind.INLINE, HostKind.THREAD])
def test_runs_go_on_without_hooks_for_exceptions(host: HostKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(TakesHooks, "contract", msgspec.structs.replace(MemoryGate.contract, host=host))
    with JobRunner(as_loaded("takes hooks", TakesHooks)) as runner:
        result = runner.run(JobSpec("before-admission", 1, "calls", "state-machine", 20, 0), lambda *_: None)
    assert result.fault is None


def test_a_gate_knows_where_its_path_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goes.py").write_text(
        "import os\nos.chdir('/')\nfrom stopcheck_fixtures.reference.memory import MemoryGate\n"
    )
    assert load_gate("goes.py:MemoryGate").home == str(tmp_path)
