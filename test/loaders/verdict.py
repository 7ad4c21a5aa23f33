"""Sums the verdicts on single records: by rule, and how many records were accepted unchanged or refused."""

from collections import Counter

from exact import differences
from truth import Truth

WHOLE = "whole"
REFUSED = "refused"


class Verdicts:
    def __init__(self):
        self.rules, self.records = Counter(), Counter()

    def add(self, rules: set[str]) -> None:
        """Adds the rules of one record: `refuses: WHY`, `drops: WHAT`, `changes: WHAT` or `takes: HOW`; none if it was accepted
        unchanged."""
        self.rules.update(rules)
        self.records["in"] += 1
        self.records[WHOLE] += not rules
        self.records[REFUSED] += any(rule.startswith("refuses: ") for rule in rules)

    def summary(self) -> str:
        taken = self.records["in"] - self.records[REFUSED]
        return f"{self.records['in']} in, {taken} accepted ({self.records[WHOLE]} as they are), {self.records[REFUSED]} refused"


def functions_in(messages: list[dict]) -> list[dict]:
    """The functions of the calls that a consumer has read into `tool_calls`, with name and arguments."""
    return [call["function"] for message in messages for call in message.get("tool_calls") or []]


def changed_calls(seen: list, truth: Truth, parse=lambda call: call):
    """The rules for the calls that a consumer sees; `parse` turns each into an object with a name and arguments."""
    if len(seen) != len(truth.calls):
        yield "drops: calls"
        return
    for call, function in zip(truth.calls, map(parse, seen)):
        if function["name"] != call.name:
            yield "changes: the name of a call"
        for _, change in differences(call.arguments, function["arguments"]):
            yield f"changes: arguments, {change}"
