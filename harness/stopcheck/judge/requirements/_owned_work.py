"""Clauses about children (CHILD), delivery and restart (DLV) and shared work (SHR)."""

from __future__ import annotations

from stopcheck.judge.requirements._types import Requirement

OWNED_WORK: tuple[Requirement, ...] = (
    Requirement(
        id="CHILD-1",
        family="CHILD",
        title="Ownership precedes the child's run",
        wording="A gate MUST have recorded who owns a child before that child is able to run.",
        sources=("A", "C"),
        capability="children",
    ),
    Requirement(
        id="CHILD-2",
        family="CHILD",
        title="Racing child is rejected or inventoried",
        wording=(
            "If the registration of a child and the cancellation run concurrently, a gate MUST either "
            "reject the child or list it in the inventory of that cancellation, with no third outcome. A "
            "registration that begins after the cutoff MUST be rejected."
        ),
        sources=("A",),
        capability="children",
        atomic=True,
        operations=("register_child", "request_cancel"),
    ),
    Requirement(
        id="CHILD-3",
        family="CHILD",
        title="Ancestor's cutoff binds every child",
        wording=(
            "Under scope `subtree` a gate MUST NOT admit ordinary work of any child, queued or running, "
            "after the cutoff of its ancestor. It MUST therefore check the ancestors at every commitment, "
            "although the cascade itself may reach the child later."
        ),
        sources=("A", "B"),
        capability="children",
        atomic=True,
        operations=("commit_effect", "request_cancel"),
    ),
    Requirement(
        id="CHILD-4",
        family="CHILD",
        title="Draining creates no new work",
        wording=(
            "While a task cancelled with scope `subtree` is draining, a gate MUST NOT let any grandchild or "
            "any retry of the original work come into being."
        ),
        sources=("A",),
        capability="children",
    ),
    Requirement(
        id="CHILD-5",
        family="CHILD",
        title="Parent settles after its operations",
        wording=(
            "A gate MUST NOT settle a stopped parent before every owned operation in scope is terminal "
            "(`confirmed_cancelled`, `completed`, `completed_after_cancel`, `failed` or `force_stopped`). "
            "If one of them is explicitly unknown, the parent MUST be `stopped_unresolved`."
        ),
        sources=("A", "B"),
        capability="children",
    ),
    Requirement(
        id="CHILD-6",
        family="CHILD",
        title="Detached work stands on its own",
        wording=(
            "Detached work MUST have an owner, an identity, a deadline and an authority separate from those "
            "of the task that it came from. A gate MUST NOT turn owned work into detached work by "
            "cancelling."
        ),
        sources=("A", "B"),
        capability="children",
    ),
    Requirement(
        id="CHILD-7",
        family="CHILD",
        title="Inventory covers all owned work",
        wording=(
            "A gate MUST list owned work of every kind in its inventory: model requests, tool calls, "
            "children both queued and running, subprocesses and remote jobs."
        ),
        sources=("A", "C"),
        capability="children",
    ),
    Requirement(
        id="CHILD-8",
        family="CHILD",
        title="Interrupted cascade strands nobody",
        wording=(
            "A crash that interrupts a cascade MUST NOT leave a gate with a terminal parent above a child "
            "that is still live. The gate MUST release whoever waits on a stopped child, and a child that "
            "has finished or never came to be MUST NOT block anything."
        ),
        sources=("field",),
        capability="children",
    ),
    Requirement(
        id="DLV-1",
        family="DLV",
        title="Stale messages do no work",
        wording=(
            "After the cutoff a gate MUST NOT let a message that is redelivered, duplicated or delayed lead "
            "to any ordinary work, and whoever consumes it MUST go by the durable state as read then."
        ),
        sources=("A",),
        capability="delivery",
    ),
    Requirement(
        id="DLV-2",
        family="DLV",
        title="Replacement worker inherits the stop",
        wording=(
            "A gate MUST hold a worker that takes another's place to the cancellation already accepted for the task."
        ),
        sources=("A",),
        capability="delivery",
    ),
    Requirement(
        id="DLV-3",
        family="DLV",
        title="Restart leads into draining",
        wording=(
            "A gate that restarts with a cancelled task MUST recover it into draining or reconciliation, "
            "and MUST NOT begin another attempt at it."
        ),
        sources=("A",),
        capability="delivery",
    ),
    Requirement(
        id="DLV-4",
        family="DLV",
        title="Pending retries and timers are void",
        wording=(
            "From the cutoff on a gate MUST treat every pending retry and timer as void. Both the expiry of "
            "the deadline and an explicit stop MUST be final for the run."
        ),
        sources=("B", "C"),
        capability="retries",
    ),
    Requirement(
        id="DLV-5",
        family="DLV",
        title="Old checkpoint checks current status",
        wording=(
            "A gate MUST make a worker that resumes from an old checkpoint observe the current status of "
            "its task before it acts in any way."
        ),
        sources=("C",),
        capability="delivery",
    ),
    Requirement(
        id="DLV-6",
        family="DLV",
        title="Removal proves no end",
        wording=(
            "A gate MUST NOT record the removal of a message, a row or an object as proof that the work "
            "behind it has come to an end."
        ),
        sources=("A", "B"),
        capability="delivery",
    ),
    Requirement(
        id="DLV-7",
        family="DLV",
        title="Next run starts clean",
        wording=(
            "A gate MUST let the next run begin clean, so that its worker, its session, its cloned "
            "specification and its next input bear no trace of the earlier stop."
        ),
        sources=("field",),
        capability="delivery",
    ),
    Requirement(
        id="DLV-8",
        family="DLV",
        title="Execution identity differs from task identity",
        wording=(
            "A gate MUST keep the identity of an execution, such as a pid, connection, thread or attempt, "
            "distinct from the identity of the task, so that a stop sent through a handle recycled since "
            "then harms no other run."
        ),
        sources=("field",),
        capability="delivery",
    ),
    Requirement(
        id="SHR-1",
        family="SHR",
        title="One subscriber's stop spares others",
        wording=(
            "When one subscriber of shared work is cancelled, even together with its whole subtree, a gate "
            "MUST release the interest of that subscriber and nothing else, and MUST let the work continue "
            "for the others."
        ),
        sources=("A",),
        capability="shared",
    ),
    Requirement(
        id="SHR-2",
        family="SHR",
        title="Last release leaves no hidden work",
        wording=(
            "When the last interest in shared work is released, a gate MUST either stop that work or report "
            "it as running without an owner."
        ),
        sources=("A",),
        capability="shared",
    ),
    Requirement(
        id="SHR-3",
        family="SHR",
        title="Release is counted once",
        wording=(
            "A gate MUST count the release of one interest a single time, no matter how many times, one "
            "after the other or at once, the release is repeated."
        ),
        sources=("A",),
        capability="shared",
        atomic=True,
        operations=("release",),
    ),
)
