"""The output of the built command: datasets by format, their records by session, and why sessions have none."""

import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(__file__).resolve().parents[2] / "dist/package/bin.js"
WRITTEN = {0, 3}
#: The end of a trace: the next line is a header.
TRACE = r'\n(?=\{"type":"session",)'


@dataclass(frozen=True)
class Dataset:
    """A folder written by the command."""

    folder: Path

    def shards(self) -> list[str]:
        return sorted(str(path) for path in (self.folder / "data").rglob("*.jsonl"))

    def records(self) -> dict[str, str]:
        """The record of each session that has one: a line, or all lines of a trace in `sts`."""
        written = {path: records_of(Path(path)) for path in self.shards()}
        found = {}
        for session in self._sessions():
            if session["fate"] == "written":
                found[session["id"]] = written[str(self.folder / session["shard"])][session["line"] - 1]
        return found

    def rejected(self) -> Counter:
        """How many sessions each rule rejected."""
        fates = [session["fate"] for session in self._sessions()]
        return Counter(fate.removeprefix("rejected:") for fate in fates if fate.startswith("rejected:"))

    def _sessions(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "ledger/sessions.jsonl").read_text(encoding="utf-8").split("\n") if line]


def records_of(shard: Path) -> list[str]:
    text = shard.read_text(encoding="utf-8").removesuffix("\n")
    return re.split(TRACE if shard.name.endswith(".sts.jsonl") else "\n", text)


def build(logs: Path, out: Path, *options: str) -> Dataset:
    """Runs `turnmill build`; anything but a committed dataset ends the whole run."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = ["node", str(COMMAND), "build", str(logs), "--out", str(out), "--session-by", "id", *options]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in WRITTEN:
        raise SystemExit(f"{' '.join(command)}\nended with {ended.returncode}:\n{ended.stderr}")
    return Dataset(out)
