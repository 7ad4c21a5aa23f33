"""load_dataset("OUT") without other arguments: python folder.py WORK OLDER_PYTHON. Builds logs of two days: the first without calls and longer
than the block from which the loader guesses types, the second with tools and arguments that differ in every record. folder_load.py
compares what the loader yields with the shards; a version without a JSON type reads only what has none in the card."""

import json
import subprocess
import sys
from pathlib import Path

from folder_tables import by_duckdb, by_polars, by_pyarrow, compare

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
DEFAULTS = ["007", False, "2026-01-20T15:00:00", 2, None, {"a": []}]
LONG = "The tulips were planted in October. " * 280
TEXTS = ["sharegpt", "prompt", "functiongemma"]
ALL = ["trl", "axolotl", "openai", "chat", "chat-inline", "atif", "sts", "samples", *TEXTS]
SAFE = ["trl", "openai", "chat", "chat-inline", *TEXTS]
TIME = "2026-01-20T15:00:00"


def entry(second, session, messages, tools, answer):
    request = {"messages": messages, "tools": tools}
    response = {"choices": [{"message": {"role": "assistant", **answer}}]}
    return {"timestamp": 1768300000 + second, "session_id": session, "request": request, "response": response}


def called(number, default, answer, has_parts):
    schema = {"type": "object", "properties": {"mode": {"default": default}}}
    tool = {"type": "function", "function": {"name": "put", "description": "x", "parameters": schema}}
    function = {"name": "put", "arguments": json.dumps({"mode": default, f"key{number}": number})}
    calls = [{"id": f"c{i}", "type": "function", "function": function} for i in range(1 + number % 2)]
    parts = [{"type": "text", "text": "007"}, {"type": "text", "text": "2026-01-20"}]
    asked = {"role": "user", "content": parts if has_parts and number % 2 else "q"}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "false"} for call in calls]
    messages = [asked, {"role": "assistant", "content": None, "tool_calls": calls}, *results]
    return entry(86400 + number, f"b{number}", messages, [tool], answer)


def log_of(path, first, second, has_parts=False):
    """The log of two days with an answer each, the second with calls before it."""
    plain = [entry(i, f"a{i}", [{"role": "user", "content": LONG}], [], first) for i in range(1300)]
    days = [*plain, *(called(i, default, second, has_parts) for i, default in enumerate(DEFAULTS))]
    path.write_text("".join(json.dumps(line) + "\n" for line in days))


def samples_of(path):
    """Members that are in some records only, texts that look like times or numbers, and one whose type differs."""
    expected = [["a"], {"b": 1}, {"c": [TIME]}, 3, None, 0.5]
    members = [{"expected": one, "tags": ["007", TIME], "when": TIME, "level": 7, **({"extra": True} if i else {})} for i, one in enumerate(expected)]
    samples = [{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": TIME}], **member} for member in members]
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))


def build(log, out, *options):
    command = ["node", ROOT / "dist/package/bin.js", "build", log, "--session-by", "id", "--out", out, *options]
    subprocess.run(command, check=True, capture_output=True)
    return str(out)


def formats(names):
    return [word for name in names for word in ("--format", name)]


def load(python, out, *configs):
    return subprocess.run([python, HERE / "folder_load.py", out, *configs]).returncode


def main(work, older):
    log_of(work / "times.jsonl", {"content": "done"}, {"content": TIME}, has_parts=True)
    log_of(work / "texts.jsonl", {"content": "hello", "annotations": []}, {"content": "42"})
    call = {"id": "d", "type": "function", "function": {"name": "put", "arguments": '{"mode": "007"}'}}
    log_of(work / "calls.jsonl", {"content": None, "tool_calls": [call]}, {"content": None, "tool_calls": [call]})
    samples_of(work / "samples.jsonl")
    whole = build(work / "times.jsonl", work / "whole", *formats(ALL))
    safe = build(work / "texts.jsonl", work / "safe", "--arrow-safe", *formats(SAFE))
    teaching = build(work / "calls.jsonl", work / "teaching", "--format", "functiongemma-teaching")
    samples = build(work / "samples.jsonl", work / "samples", "--format", "samples", "--shard-size", "500")
    plain = ["prompt", "functiongemma"]
    bad = [
        compare(whole, ALL, by_duckdb),
        compare(whole, ALL, by_polars),
        compare(whole, plain, by_pyarrow),
        load(sys.executable, whole, "--exact", *ALL),
        load(sys.executable, samples, "--exact", "samples"),
        load(sys.executable, safe, *SAFE),
        load(older, safe, *SAFE),
        *(load(python, teaching, "--exact", "functiongemma-teaching") for python in (sys.executable, older)),
    ]
    refused = load(older, whole, "sharegpt")
    print(f"folder: a card with JSON is {'refused' if refused else 'READ'} by the older version")
    return 1 if any(bad) or not refused else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
