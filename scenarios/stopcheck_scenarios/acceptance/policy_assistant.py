"""Case 15. The policy assistant: eight seconds in all, and the user leaves after 2.4.

An assistant answers a question about a policy. Of its eight seconds, retrieval may take two, generation four, and two
are kept for closing down; a second draft at 2.1 seconds would need more than is left before those. When the user
leaves, the database is still searching and the model still writing, and the assistant is about to leave a note in the
case file: the note may be there already, on its way, or refused. The database cannot be interrupted and answers at
three seconds, to nobody.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    AckStrength,
    Admitted,
    CancellationClass,
    Capability,
    Done,
    ExistingEffect,
    NoTime,
    OwnedKind,
    Quarantined,
    ResultPlace,
    Right,
    Scope,
    Stage,
    Stopped,
    TaskRef,
    ViewEnd,
)
from stopcheck.world import (
    Child,
    Client,
    Effect,
    FaultBudget,
    Holder,
    Scenario,
    Witness,
    World,
    sleep_until,
    wait_until,
)
from stopcheck_scenarios._seen import answer, both, commit, in_order, never

TENTH_NS = SECOND_NS // 10
DEADLINE_NS = 8 * SECOND_NS
RETRIEVAL_NS, GENERATION_NS, RESERVE_NS = 2 * SECOND_NS, 4 * SECOND_NS, 2 * SECOND_NS
QUESTION_READ_NS, FIRST_DRAFT_NS = 6 * TENTH_NS, 21 * TENTH_NS
USER_LEAVES_NS, DATABASE_ANSWERS_NS = 24 * TENTH_NS, 30 * TENTH_NS


def build(world: World) -> None:
    """The assistant and what it owns, its note, the user, and a database that answers late."""
    assistant = world.task("assistant")
    retrieval = world.child(
        assistant, "retrieval", OwnedKind.TOOL_CALL, cap_ns=RETRIEVAL_NS, minimum_ns=SECOND_NS, reserve_ns=RESERVE_NS
    )
    generation = world.child(
        assistant,
        "generation",
        OwnedKind.MODEL_REQUEST,
        cap_ns=GENERATION_NS,
        minimum_ns=SECOND_NS,
        reserve_ns=RESERVE_NS,
    )
    second_draft = world.child(
        assistant, "second-draft", OwnedKind.MODEL_REQUEST, minimum_ns=GENERATION_NS, reserve_ns=RESERVE_NS
    )
    note = world.effect(
        assistant, "case-note", world.receiver("case-file"), CancellationClass.IRREVERSIBLE, "asked about the policy"
    )
    world.opens(assistant, DEADLINE_NS)
    holder = world.under_way(assistant, "assistant")
    world.prepare(search_and_write(holder, (retrieval, generation), second_draft))
    world.actor("assistant", leave_a_note(world, holder, generation, note))
    world.dispatcher()
    world.actor("user", leave(world, world.client(world.cast.person, Right.STOP, Right.INSPECT), assistant))
    world.actor("database", answer_late(world.client("database", Right.WORK), holder, retrieval))


async def search_and_write(holder: Holder, parts: tuple[Child, ...], second_draft: Child) -> None:
    """Before the first choice: search and write at once, and wish for a second draft."""
    await sleep_until("question read", QUESTION_READ_NS, "the question is read")
    for part in parts:
        await holder.client.register_child(part, holder.epoch)
        await holder.client.start_child(part)
    await sleep_until("first draft", FIRST_DRAFT_NS, "the first draft disappoints")
    await holder.client.register_child(second_draft, holder.epoch)


async def leave_a_note(world: World, holder: Holder, generation: Child, note: Effect) -> None:
    """Leave a note; and when told to stop, abandon the model and say so."""
    client = holder.client
    await sleep_until("note", USER_LEAVES_NS, "the note is written")
    reply = await client.commit_effect(note, holder.epoch)
    if isinstance(reply, Admitted | ExistingEffect):
        world.post(note)
    await wait_until("stop", lambda: note.task in world.records, ("stop",))
    record = world.records[note.task]
    world.hear(record)
    await client.finish_child(generation, Stage.CONFIRMED_CANCELLED)
    await client.acknowledge(note.task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)


async def leave(world: World, client: Client, assistant: TaskRef) -> None:
    """The page asks for a stop of everything, and its stream closes."""
    await sleep_until("leave", USER_LEAVES_NS, "the user leaves")
    reply = await client.request_cancel(assistant, Scope.SUBTREE, "user-left", reason="the user left")
    if isinstance(reply, Accepted):
        world.records[assistant] = reply.record
    await client.close_view(assistant, "answer stream", ViewEnd.STREAM_CLOSED)


async def answer_late(client: Client, holder: Holder, retrieval: Child) -> None:
    """The database has found something, for nobody: it enters no plan, where the gate takes results at all."""
    await sleep_until("query", DATABASE_ANSWERS_NS, "the query answers")
    await client.offer_result(retrieval.parent, "retrieval", ResultPlace.PLAN, holder.epoch, "passages found")
    await client.finish_child(retrieval, Stage.COMPLETED)


LEFT = answer("request_cancel", Accepted)

SCENARIO = Scenario(
    id="policy-assistant",
    title="The user leaves a policy assistant",
    sentence="With retrieval and generation in flight and perhaps a case note written, the user leaves at 2.4 seconds.",
    case=15,
    build=build,
    needs=frozenset((Capability.CHILDREN, Capability.DEADLINES)),
    budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
    witnesses=(
        Witness(
            "both parts were in flight, and a second draft had no time",
            in_order(answer("start_child", Done), answer("start_child", Done), answer("register_child", NoTime), LEFT),
        ),
        Witness("the note was there before the user left", in_order(commit("case-note"), LEFT)),
        Witness(
            "the note was on its way when the user left",
            in_order(answer("commit_effect", Admitted), LEFT, commit("case-note")),
        ),
        Witness(
            "the note came too late",
            both(in_order(LEFT, answer("commit_effect", Stopped)), never(commit("case-note"))),
        ),
        Witness("the database answered to nobody", in_order(LEFT, answer("finish_child", Done, actor="database"))),
        Witness(
            "what the database found entered no plan",
            in_order(LEFT, answer("offer_result", Quarantined, actor="database")),
            capability=Capability.RESULTS,
        ),
    ),
    clauses=(
        "DDL-1",
        "DDL-2",
        "CHILD-5",
        "CHILD-7",
        "CHILD-8",
        "SCOPE-5",
        "ADM-1",
        "ADM-4",
        "CMP-3",
        "RES-1",
        "EFF-6",
        "RPT-2",
        "LIVE-3",
    ),
    points=("during retrieval", "immediately before a commitment", "immediately after a commitment"),
)
