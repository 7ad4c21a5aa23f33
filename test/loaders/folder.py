"""load_dataset("OUT") without other arguments: python folder.py WORK. Builds logs of two days, the first without calls and longer than the
block from which the loader guesses types, and compares every record that it yields, plain and streaming, with the line of its shard."""

import glob
import json
import subprocess
import sys
from pathlib import Path

import datasets

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ["trl", "axolotl", "openai", "chat", "chat-inline", "atif", "sts", "sharegpt", "prompt", "functiongemma"]
DEFAULTS = ["007", False, "2026-01-20T15:00:00", 2, None, {"a": []}]
LONG = "The tulips were planted in October. " * 280


def entry(second, session, messages, tools, answer):
    request = {"messages": messages, "tools": tools}
    response = {"choices": [{"message": {"role": "assistant", **answer}}]}
    return {"timestamp": 1768300000 + second, "session_id": session, "request": request, "response": response}


def called(number, default):
    schema = {"type": "object", "properties": {"mode": {"default": default}}}
    tool = {"type": "function", "function": {"name": "put", "description": "x", "parameters": schema}}
    function = {"name": "put", "arguments": json.dumps({"mode": default, f"key{number}": number})}
    call = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    parts = [{"type": "text", "text": "007"}, {"type": "text", "text": "2026-01-20"}]
    asked = {"role": "user", "content": parts if number % 2 else "q"}
    messages = [asked, call, {"role": "tool", "tool_call_id": "c", "content": "false"}]
    # if all texts of a column look like times, the loader rewrites them whatever the card says (docs/formats.md)
    answer = "done" if number == 0 else "2026-01-20T15:00:00"
    return entry(86400 + number, f"b{number}", messages, [tool], {"content": answer})


def without_nulls(row):
    return json.dumps({key: value for key, value in row.items() if value is not None})


def main(work):
    plain = [entry(i, f"a{i}", [{"role": "user", "content": LONG}], [], {"content": "hello"}) for i in range(1300)]
    log = work / "folder.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in [*plain, *map(called, range(6), DEFAULTS)]))
    out = work / "folder"
    names = [word for name in FORMATS for word in ("--format", name)]
    command = ["node", ROOT / "dist/package/bin.js", "build", log, "--session-by", "id", "--out", out, *names]
    subprocess.run(command, check=True, capture_output=True)
    bad = 0
    for name in FORMATS:
        shards = sorted(glob.glob(f"{out}/data/{name}/*"))
        want = [json.dumps(json.loads(line)) for shard in shards for line in open(shard, encoding="utf-8")]
        assert len(shards) == 2 and len(want) >= 1306, (name, len(shards), len(want))
        for streaming in (False, True):
            rows = datasets.load_dataset(str(out), name, split="train", streaming=streaming, cache_dir=str(work / "cache"))
            differ = [i for i, (row, line) in enumerate(zip(rows, want, strict=True)) if without_nulls(row) != line]
            bad += len(differ)
            print(f"folder: {name}{', streaming' if streaming else ''}: {len(want)} records, {len(differ)} differ")
    return 1 if bad > 0 else 0


if __name__ == "__main__":
    datasets.disable_progress_bars()
    sys.exit(main(Path(sys.argv[1])))
