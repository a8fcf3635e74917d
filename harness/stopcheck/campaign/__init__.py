"""Campaigns: scenario x strategy x adapter -> results, verdicts and the exit code.

One idea: a campaign emits frozen events and ends in one frozen report; terminal, JSON and JUnit only consume them.
"""

from stopcheck.campaign._badge import badge
from stopcheck.campaign._catalogue import Coverage, as_markdown, catalogue
from stopcheck.campaign._certificate import Statement, canonical, statement_of
from stopcheck.campaign._certify import Campaign, Options, certify, run_campaign
from stopcheck.campaign._death_run import replay_any
from stopcheck.campaign._durable import Stored
from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._failures import FailureFile, Replayable, failure_files, read_replayable, seen_from
from stopcheck.campaign._faults import escaped, kit_fault, report_of
from stopcheck.campaign._interleavings import Broken, Held, Interleaving, Kind, Lane, Move, Part
from stopcheck.campaign._journal import Shard
from stopcheck.campaign._ledger import ledger_of, totals
from stopcheck.campaign._ledger_records import Cover, Gap, Ledger, Subject
from stopcheck.campaign._loading import (
    COMMAND,
    LoadedGate,
    gates_with_a_server,
    installed_gates,
    load_faults,
    load_gate,
    load_right,
    load_scenarios,
    pick_scenarios,
)
from stopcheck.campaign._merge import merge
from stopcheck.campaign._messages import EXECUTION_S
from stopcheck.campaign._outcome import SILENCE_S
from stopcheck.campaign._plan import DEFAULT_BUDGET, RESTRICTED_SAMPLES, known_strategies
from stopcheck.campaign._point_table import points_as_markdown, points_carried
from stopcheck.campaign._profiles import PROFILES, Profile
from stopcheck.campaign._progress import (
    CampaignEvent,
    CampaignFinished,
    CampaignStarted,
    JobFinished,
    JobProgress,
    JobStarted,
)
from stopcheck.campaign._protocol_page import protocol_page
from stopcheck.campaign._replaying import REPLAY_S, Deviation, replay_death, replay_finding, replay_schedule, stop_at
from stopcheck.campaign._replaying import Replayed as ReplayedRun
from stopcheck.campaign._rerun import Rerun, rerun
from stopcheck.campaign._results import (
    ClauseVerdict,
    ExitCode,
    FaultReport,
    Finding,
    FirstBreak,
    GateIdentity,
    Ground,
    JobResult,
    JobSpec,
    Missed,
    NamedChoice,
    NearestPass,
    ProfileVerdict,
    Report,
    Searched,
    UpTo,
    Verdict,
    Waived,
    Waiver,
    WaiverState,
)
from stopcheck.campaign._scaffolds import load_scaffolds, write_scaffold
from stopcheck.campaign._selftest import Row, selftest, unproved
from stopcheck.campaign._sigkill import is_real_death
from stopcheck.campaign._signing import Refused, checked, read_private_key, read_public_key, signed
from stopcheck.campaign._smoke import Smoke, lookalikes, smoke
from stopcheck.campaign._trying import Tried, gate_of, trial_of, try_scenario
from stopcheck.campaign._verdict_ground import power_losses_in
from stopcheck.campaign._verdicts import missed_witnesses
from stopcheck.campaign._waivers import Waivers, broken_in, drifted, read_waivers, stanza

__all__ = [
    "COMMAND",
    "DEFAULT_BUDGET",
    "EXECUTION_S",
    "PROFILES",
    "REPLAY_S",
    "RESTRICTED_SAMPLES",
    "SILENCE_S",
    "Broken",
    "Campaign",
    "CampaignEvent",
    "CampaignFinished",
    "CampaignStarted",
    "ClauseVerdict",
    "Cover",
    "Coverage",
    "Deviation",
    "ExitCode",
    "FailureFile",
    "FaultReport",
    "Finding",
    "FirstBreak",
    "Gap",
    "GateIdentity",
    "Ground",
    "Held",
    "Interleaving",
    "JobFinished",
    "JobProgress",
    "JobResult",
    "JobSpec",
    "JobStarted",
    "Kind",
    "Lane",
    "Ledger",
    "LoadedGate",
    "Missed",
    "Move",
    "NamedChoice",
    "NearestPass",
    "Options",
    "Part",
    "Profile",
    "ProfileVerdict",
    "Refused",
    "Replayable",
    "ReplayedRun",
    "Report",
    "Rerun",
    "Row",
    "Searched",
    "Shard",
    "Smoke",
    "Statement",
    "Stored",
    "Subject",
    "Tried",
    "UpTo",
    "UsageFault",
    "Verdict",
    "Waived",
    "Waiver",
    "WaiverState",
    "Waivers",
    "as_markdown",
    "badge",
    "broken_in",
    "canonical",
    "catalogue",
    "certify",
    "checked",
    "did_you_mean",
    "drifted",
    "escaped",
    "failure_files",
    "gate_of",
    "gates_with_a_server",
    "installed_gates",
    "is_real_death",
    "kit_fault",
    "known_strategies",
    "ledger_of",
    "load_faults",
    "load_gate",
    "load_right",
    "load_scaffolds",
    "load_scenarios",
    "lookalikes",
    "merge",
    "missed_witnesses",
    "pick_scenarios",
    "points_as_markdown",
    "points_carried",
    "power_losses_in",
    "protocol_page",
    "read_private_key",
    "read_public_key",
    "read_replayable",
    "read_waivers",
    "replay_any",
    "replay_death",
    "replay_finding",
    "replay_schedule",
    "report_of",
    "rerun",
    "run_campaign",
    "seen_from",
    "selftest",
    "signed",
    "smoke",
    "stanza",
    "statement_of",
    "stop_at",
    "totals",
    "trial_of",
    "try_scenario",
    "unproved",
    "write_scaffold",
]
