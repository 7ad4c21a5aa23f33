"""Runs the commands of docs/publish.md up to its section on redaction, with a stand-in for the Hub, and compares what they wrote.

    python publish.py WORK      exit status 1 and a text for each difference
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from glob import glob
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pyarrow.parquet
from huggingface_hub import DatasetCard

ROOT = Path(__file__).resolve().parents[2]
REPO = "me/agent-logs"


class Hub(BaseHTTPRequestHandler):
    """Answers an upload of small files, and keeps what the commits bring."""

    uploaded: dict[str, bytes] = {}

    def do_GET(self) -> None:
        self.answer({"id": REPO, "sha": "b" * 40, "siblings": [], "private": True})

    def do_POST(self) -> None:
        lines = self.rfile.read(int(self.headers["Content-Length"])).decode().splitlines()
        values = [json.loads(line) for line in lines if line]
        if self.path == "/api/validate-yaml":
            DatasetCard(values[0]["content"]).data.to_dict()  # throws if the YAML of the card is not valid
            self.answer({"errors": [], "warnings": []})
        elif self.path == "/api/repos/create":
            self.answer({"url": f"http://{self.headers['Host']}/datasets/{REPO}", "id": REPO})
        elif "/preupload/" in self.path:
            paths = [file["path"] for file in values[0]["files"]]
            self.answer({"files": [{"path": path, "uploadMode": "regular", "shouldIgnore": False} for path in paths]})
        else:
            for item in (value["value"] for value in values if value["key"] == "file"):
                self.uploaded[item["path"]] = base64.b64decode(item["content"])
            commit = {"commitUrl": f"http://{self.headers['Host']}/datasets/{REPO}/commit/{'a' * 40}"}
            self.answer({"success": True, "commitOid": "a" * 40, "hookOutput": "", **commit})

    def answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def shared() -> tuple[list[tuple[str, int]], str]:
    """The commands of README.md from logs to a dataset that loads, and the last line of the output that it shows."""
    section = (ROOT / "README.md").read_text().split("As a library", 1)[1]
    lines = re.search(r"^```sh\n(.*?)^```", section, re.M | re.S)[1].splitlines()
    return [(line, 0) for line in lines], re.search(r"^```text\n(.*?)^```", section, re.M | re.S)[1].splitlines()[-1]


def commands() -> list[tuple[str, int]]:
    page = (ROOT / "docs/publish.md").read_text().split("\n## Redaction")[0]
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S) for line in block.splitlines()]
    statuses = [re.search(r"# exit status (\d+)", line) for line in lines]
    return [(line, int(status[1]) if status else 0) for line, status in zip(lines, statuses)]


def plant(work: Path) -> set[str]:
    """Adds a session that is almost another one, a benchmark, and runs with little reward; returns the sessions of which one must go."""
    name = "market-brief-1768342443120394000"
    logs = work / "examples/logs/2026-01-13"
    again = name.replace("4000", "4001")
    text = (logs / f"{name}.jsonl").read_text()
    assert "on the train" in text
    (logs / f"{again}.jsonl").write_text(text.replace(name, again).replace("on the train", "on the bus"))
    (work / "benchmark.txt").write_text("You compare places for travellers. Use the weather tools, give temperatures in °C, and say when.\n")
    path = work / "examples/dialects/runs.json"
    runs = json.loads(path.read_text())
    path.write_text(json.dumps([{**run, "reward": reward} for run in runs for reward in (0.0, 1.0, 0.4)]))
    return {name, again}


def run(work: Path, hub: str) -> str:
    """Returns what the last command prints."""
    tools = work / "tools"
    tools.mkdir()
    shim = tools / "turnmill"
    shim.write_text(f'#!/bin/sh\nexec node "{ROOT}/dist/package/bin.js" "$@"\n')
    shim.chmod(0o755)
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HF_ENDPOINT": hub, "HF_TOKEN": "hf_none"}
    for line, status in [*commands(), *shared()[0]]:
        offline = {"HF_HUB_OFFLINE": "0" if line.startswith("hf ") else "1"}
        ended = subprocess.run(["bash", "-c", line], cwd=work, env={**env, **offline}, capture_output=True, text=True)
        if ended.returncode != status:
            sys.exit(f"{line}\n{ended.stderr}\nexpected the status {status}, found {ended.returncode}")
    return ended.stdout


def records(pattern: str) -> list[object]:
    return [json.loads(line) for path in sorted(glob(pattern)) for line in Path(path).read_text().split("\n") if line]


def parquet(path: Path) -> list[object]:
    """The rows with their JSON parsed; a member that the record does not have is null."""

    def value(column: object) -> object:
        return [json.loads(item) for item in column] if isinstance(column, list) else json.loads(column)

    rows = pyarrow.parquet.read_table(path).to_pylist()
    return [{name: value(column) for name, column in row.items() if column is not None} for row in rows]


def check_cleaned(work: Path, twins: set[str]) -> None:
    """One of the twins and the session with the benchmark are gone, and nothing else."""
    before = {session["id"] for session in records(f"{work}/dataset/ledger/sessions.jsonl") if "shard" in session}
    after = {session["id"] for session in records(f"{work}/cleaned/ledger/sessions.jsonl") if "shard" in session}
    assert len(after & twins) == 1, f"kept {sorted(after & twins)}"
    assert before - after - twins == {"0b1f6c2e-94a7-4d35-8e1c-72d9a5f3b480"}, f"gone: {sorted(before - after)}"


def main(work: Path) -> None:
    shutil.copytree(ROOT / "examples", work / "examples")
    twins = plant(work)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, daemon=True).start()
    loaded = run(work, f"http://127.0.0.1:{server.server_port}")
    assert loaded.splitlines()[-1] == shared()[1], f"README.md shows {shared()[1]}, found {loaded}"
    dataset = work / "dataset"
    files = [path for path in dataset.rglob("*") if path.is_file() and path.name != "run.json"]
    kept = {str(path.relative_to(dataset)): path.read_bytes() for path in files}
    assert len(kept) > 8 and Hub.uploaded == kept, f"uploaded {sorted(Hub.uploaded)}, expected {sorted(kept)}"
    written = records(f"{dataset}/data/*.jsonl")
    assert len(written) > 10 and parquet(work / "dataset.parquet") == written, "dataset.parquet differs from the records"
    scored = records(f"{work}/scored/data/*.jsonl")
    good = [record for record in scored if float(record["metadata"]["reward"]) >= 0.5]
    assert 0 < len(good) < len(scored) and parquet(work / "good.parquet") == good, "good.parquet differs from the records with that reward"
    chosen = records(f"{work}/good/data/*.jsonl")
    assert chosen == [{name: value for name, value in record.items() if name != "metadata"} for record in good]
    check_cleaned(work, twins)
    print(f"publish: {len(commands())} commands of docs/publish.md, {len(kept)} files uploaded, {len(written)} records equal")


main(Path(sys.argv[1]))
