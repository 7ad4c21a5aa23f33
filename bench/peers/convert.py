"""Peer: a plain Python script with the standard json or with orjson.

    python convert.py json|orjson DIR OUTFILE [--by-id]

Applies only: the last entry with the most messages wins, its reply is appended, developer becomes
system, tools are the union by name (the first one wins). orjson works on bytes, json on text.
A file is a session; with --by-id a session is a run of entries with the same session_id.
"""

import gzip
import itertools
import sys

from peer_files import json_codec, orjson_codec, session_files


def record_of(entries):
    best, most, tools = None, -1, {}
    for entry in entries:
        request = entry["request"]
        for tool in request.get("tools") or []:
            definition = tool.get("function") or tool
            tools.setdefault(definition["name"], definition)
        if len(request["messages"]) >= most:
            most, best = len(request["messages"]), entry
    if best is None:
        return None
    messages = list(best["request"]["messages"])
    choices = (best.get("response") or {}).get("choices") or []
    if choices and choices[0].get("message") is not None:
        messages.append(choices[0]["message"])
    return {
        "messages": [
            {**m, "role": "system"} if m["role"] == "developer" else m for m in messages
        ],
        "tools": list(tools.values()),
    }


def sessions_of(entries, by_id):
    if not by_id:
        return [entries]
    return (session for _, session in itertools.groupby(entries, lambda entry: entry["session_id"]))


def main():
    codec, directory, out_file, *options = sys.argv[1:]
    loads, dumps = orjson_codec() if codec == "orjson" else json_codec()
    mode = {"mode": "rb"} if codec == "orjson" else {"mode": "rt", "encoding": "utf-8"}
    with open(out_file, "wb") as out:
        for path in session_files(directory, (".jsonl", ".jsonl.gz")):
            opener = gzip.open if path.endswith(".gz") else open
            with opener(path, **mode) as lines:
                entries = (loads(line) for line in lines if not line.isspace())
                for session in sessions_of(entries, "--by-id" in options):
                    record = record_of(session)
                    if record is not None:
                        out.write(dumps(record) + b"\n")


main()
