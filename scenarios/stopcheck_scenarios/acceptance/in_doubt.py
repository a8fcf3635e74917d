"""The receiver cannot say what became of the mail; then nobody may.

Three receivers: one whose look-up is stale, one without any look-up, and one that looks up truly but cannot promise
never to execute what it has not seen. The request or its answer is lost, and somebody presses Stop.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.gate import Accepted, LookupAnswer, LookupEvidence, NoEvidence, Recorded, Same
from stopcheck.world import Abilities, Answered, Event, FaultBudget, Lookup, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, commit, fault, in_order, never


def with_receiver(abilities: Abilities) -> Callable[[World], None]:
    """The situation with a receiver of these abilities."""

    def build(world: World) -> None:
        """An admitted mail, a dispatcher, a reconciler, and a person at Stop who also wants to withdraw the mail."""
        task = world.task("refund")
        refund_mail = world.effect(task, "refund-mail", world.receiver("mail", abilities))
        world.opens(task)
        world.under_way(task, effects=(refund_mail,))
        world.dispatcher()
        world.reconciler()
        world.person("person", task, withdraws=(refund_mail,))

    return build


def found_nothing(*answers: LookupAnswer) -> Callable[[Event], bool]:
    """A look-up was answered so, or with nothing at all."""

    def match(event: Event) -> bool:
        if not isinstance(event, Answered):
            return False
        evidence = event.evidence
        return (isinstance(evidence, NoEvidence) and not answers) or (
            isinstance(evidence, LookupEvidence) and evidence.answer in answers
        )

    return match


def scenario(id: str, title: str, abilities: Abilities, *answers: LookupAnswer) -> Scenario:
    """One of the three."""
    learned_nothing = found_nothing(*answers)
    told = answer("record_outcome", Recorded, Same)
    return Scenario(
        id=id,
        title=title,
        sentence="If the receiver cannot say, the effect stays unknown and a stopped task stopped_unresolved.",
        build=with_receiver(abilities),
        budget=FaultBudget(crashes=1, provider=1, provider_faults=("drop", "drop_answer")),
        witnesses=(
            Witness(
                "nothing was learned of a mail that never arrived",
                both(in_order(fault("drop"), learned_nothing, told), never(commit("refund-mail"))),
            ),
            Witness(
                "the stop came after the mail was in doubt",
                in_order(learned_nothing, answer("request_cancel", Accepted)),
            ),
            Witness("the answer was lost after the commit", in_order(commit("refund-mail"), fault("drop_answer"))),
        ),
        clauses=("EFF-2", "EFF-3", "EFF-5", "EFF-8", "ESC-4", "RPT-1", "RCN-1", "LIVE-4"),
        points=("after its commit and before its answer", "while the answer is in flight"),
    )


SCENARIOS = (
    scenario(
        "stale-look-up",
        "The receiver's look-up is stale",
        Abilities(lookup=Lookup.STALE, can_fence=False),
        LookupAnswer.STALE,
    ),
    scenario("no-look-up", "The receiver has no look-up", Abilities(lookup=Lookup.NONE, can_fence=False)),
    scenario(
        "absent-without-fence",
        "The receiver has not seen the mail and cannot fence it",
        Abilities(can_fence=False),
        LookupAnswer.ABSENT,
    ),
)
