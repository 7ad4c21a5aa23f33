"""Loads files of records with `datasets`, one at a time, and reports how the loader changed every value.

    python load.py FILE...      one line of JSON for each file: {"refused": WHY} or {"records": N, "changes": {CHANGE: RECORDS}}

Runs in any environment that has `datasets`, so that several versions of it can be compared.
"""

import json
import re
import sys
import tempfile
from collections import Counter

import datasets
import pyarrow
from exact import differences, read

REFUSALS = {
    "changed from": "a column holds values of two kinds",
    "Value is too big": "a whole number is beyond 64 bits",
    "Number too big": "a number is beyond the range of a double",
    "specified twice": "an object has a duplicate key",
    "Unmatched": "a text of a trace holds a line separator of Unicode",
    "surrogate": "a text holds half of a surrogate pair",
    "Couldn't cast": "a later part of the file has another shape than the first 10 MB",
}
#: Everything below these members belongs to the user.
OWN = re.compile(r"(\.(?:arguments|tools(?:\[\])?|tool_definitions(?:\[\])?|content|expected))\..*")


def refusal(error: BaseException) -> str:
    message = f"{error} {error.__cause__}"
    return next((meaning for sign, meaning in REFUSALS.items() if sign in message), message)


def describe(where: str, change: str) -> str:
    path = OWN.sub(r"\1", where)
    return f"{path.lstrip('.')}: {change}"


def load(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        lines = file.read().removesuffix("\n").split("\n")
    with tempfile.TemporaryDirectory() as cache:
        try:
            rows = datasets.load_dataset("json", data_files=path, split="train", cache_dir=cache)
            seen = list(rows)
        except Exception as error:  # its exceptions are the answer
            return {"refused": refusal(error)}
    if len(seen) != len(lines):
        return {"refused": f"{len(lines)} records became {len(seen)}"}
    changes = Counter()
    for line, row in zip(lines, seen):
        found = differences(read(line), row)
        changes.update({describe(where, change) for where, change in found})
    return {"records": len(lines), "changes": dict(sorted(changes.items()))}


if __name__ == "__main__":
    pyarrow.set_cpu_count(1)  # of several faults in a file its threads report whichever they come to first
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    for file in sys.argv[1:]:
        print(json.dumps(load(file)))
