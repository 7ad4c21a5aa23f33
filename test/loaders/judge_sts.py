"""The conversion of agent traces in `datasets` as judge of `sts`: what `load_dataset("json")` does to a file with one trace.

It leaves the conversion to the package `teich`, which takes a session trace for a session of the agent pi. The viewer of the Hub,
for which the format is, is not published.
"""

import tempfile
from pathlib import Path

import teich
from datasets.packaged_modules.json.json import parse_traces_info
from exact import read
from judge_openai import parsed
from judge_sharegpt import lost
from truth import Truth
from verdict import Verdicts, changed_calls, functions_in


def converted(lines: str, file: Path, truth: Truth) -> set[str]:
    """What the conversion of one trace refuses, leaves out or changes."""
    file.write_text(lines, encoding="utf-8")
    try:
        parse_traces_info(lines.splitlines())
    except ValueError:
        return {"refuses: a text that holds a line separator of Unicode"}
    [row] = teich.convert_traces_to_training_data(file)
    messages = row["messages"]
    text = "\n".join(f"{message['content']}\n{message.get('reasoning_content', '')}" for message in messages)
    return {*changed_calls(functions_in(messages), truth), *unlinked(messages), *invented(row), *lost(text, truth)}


def unlinked(messages: list[dict]):
    if any(message["role"] == "tool" and "tool_call_id" not in message for message in messages):
        yield "drops: the ids of results"


def invented(row: dict):
    if row["tools"]:
        yield "changes: tools, those of pi are added"


def written_calls(lines: str) -> list:
    """The calls in the record, with the text of their numbers."""
    messages = [line.get("message") for line in map(read, lines.split("\n")) if line.get("type") == "message"]
    calls = [call.get("function") for message in messages for call in message.get("toolCalls") or []]
    return [(call.get("name"), parsed(call.get("arguments"))) for call in calls]


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    conversion, text = Verdicts(), Verdicts()
    with tempfile.TemporaryDirectory() as folder:
        for session, lines in records.items():
            truth = truths[session]
            conversion.add(converted(lines, Path(folder) / "trace.jsonl", truth))
            same = written_calls(lines) == [(call.name, call.arguments) for call in truth.calls]
            text.add(set() if same else {"changes: arguments"})
    return {"datasets with teich": conversion, "a reader that keeps the text of numbers": text}
