"""ms-swift as judge of `trl` and `openai`: its own preprocessor of records, opened without torch (stand_ins.py)."""

import json

import stand_ins
from truth import Truth
from verdict import Verdicts, changed_calls


def judged(line: str, truth: Truth) -> set[str]:
    preprocessor, inputs = stand_ins.swift()
    record = json.loads(line)
    try:
        rows = preprocessor.batched_preprocess({name: [value] for name, value in record.items()}, strict=True, ignore_max_length_error=False)
    except (AssertionError, KeyError):
        contents = [message.get("content") for message in record["messages"] if not message.get("tool_calls")]
        return {f"refuses: {'a message without content' if None in contents else 'an unknown role'}"}
    row = {name: column[0] for name, column in rows.items()}
    made = inputs.from_dict(row)
    calls = [message["content"] for message in made.messages if message["role"] == "tool_call"]
    said = "\n".join(message["content"] for message in made.messages if isinstance(message["content"], str))
    text = f"{made.system or ''}\n{said}"
    changes = set(changed_calls(calls, truth, lambda call: json.loads(call) if isinstance(call, str) else call))
    changes |= {f"drops: {kind}" for kind, expected in truth.texts if expected not in text}
    if (made.tools or []) != record.get("tools", []):
        changes.add("changes: tools")
    return changes


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    verdicts = Verdicts()
    for session, line in records.items():
        verdicts.add(judged(line, truths[session]))
    return {"ms-swift": verdicts}
