"""Sums the verdicts on single records: by rule, and how many records were accepted unchanged or refused."""

from collections import Counter

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
