"""How the verdicts on single records are summed: by rule, and how many records were taken as they are or refused."""

from collections import Counter

WHOLE = "whole"
REFUSED = "refused"


class Verdicts:
    def __init__(self):
        self.rules, self.records = Counter(), Counter()

    def add(self, rules: set[str]) -> None:
        """One record's rules: `refuses: WHY`, `drops: WHAT`, `changes: WHAT` or `takes: HOW`; none is taken as it is."""
        self.rules.update(rules)
        self.records["in"] += 1
        self.records[WHOLE] += not rules
        self.records[REFUSED] += any(rule.startswith("refuses: ") for rule in rules)

    def told(self) -> str:
        taken = self.records["in"] - self.records[REFUSED]
        return f"{self.records['in']} in, {taken} accepted ({self.records[WHOLE]} as they are), {self.records[REFUSED]} refused"
