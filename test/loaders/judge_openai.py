"""OpenAI's rules for a supervised fine-tuning file, taken from its documentation, because the service itself cannot be run here.

The guide "Supervised fine-tuning" (a conversation per line, the last message the assistant's, `weight`), the API reference of
chat completions (roles, names, tools, calls and results) and the cookbook's data check (unknown members of a message).
"""

import json
import re

from exact import read
from truth import Truth
from verdict import Verdicts

ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
RECORD = {"messages", "tools", "parallel_tool_calls", "functions"}
MEMBERS = {"role", "content", "name", "tool_calls", "tool_call_id", "weight", "function_call", "refusal"}
PARTS = {"user": {"text", "image_url", "input_audio", "file"}, "assistant": {"text", "refusal"}}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def problems(record: dict):
    if not record.keys() <= RECORD:
        yield "a member of the record that is not known"
    messages = record["messages"]
    if not any(message["role"] == "assistant" for message in messages):
        yield "no assistant message"
    elif messages[-1]["role"] != "assistant":
        yield "the last message is not the assistant's"
    if len(record.get("tools", [])) > 128:
        yield "more than 128 tools"
    for tool in record.get("tools", []):
        yield from tool_problems(tool)
    open_calls: list[str] = []
    for message in messages:
        yield from message_problems(message)
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield "a result without a call"
            else:
                open_calls.remove(message["tool_call_id"])
        else:
            if open_calls:
                yield "a call without a result"
            open_calls = [call["id"] for call in message.get("tool_calls", [])]


def message_problems(message: dict):
    if message["role"] not in ROLES:
        yield "an unknown role"
    unknown = sorted(message.keys() - MEMBERS)
    if unknown:
        yield f"a member of a message that is not known: {', '.join(unknown)}"
    if message.get("weight", 1) not in (0, 1) or ("weight" in message and message["role"] != "assistant"):
        yield "a weight that is not 0 or 1, or not the assistant's"
    content = message.get("content")
    if not isinstance(content, (str, list)) and not message.get("tool_calls") and not message.get("function_call"):
        yield "a message without content"
    if isinstance(content, list) and not {part["type"] for part in content} <= PARTS.get(message["role"], {"text"}):
        yield "a part that its role cannot have"
    if "tool_calls" in message and (message["role"] != "assistant" or not message["tool_calls"]):
        yield "calls that are not the assistant's, or none"
    for call in message.get("tool_calls", []):
        yield from call_problems(call)


def call_problems(call: dict):
    if call.get("type") != "function" or not isinstance(call.get("id"), str):
        yield "a call without a type or an id"
    if not NAME.fullmatch(call["function"].get("name", "")):
        yield "a name of a function that is not allowed"
    arguments = call["function"].get("arguments")
    if not isinstance(arguments, str):
        yield "arguments that are not a string"
        return
    try:
        if not isinstance(json.loads(arguments), dict):
            yield "arguments that are not an object"
    except ValueError:
        yield "arguments that are not JSON"


def tool_problems(tool: dict):
    function = tool.get("function")
    if tool.get("type") != "function" or not isinstance(function, dict) or not tool.keys() <= {"type", "function"}:
        yield "a tool that is not {type, function}"
    elif not NAME.fullmatch(function.get("name", "")) or not isinstance(function.get("parameters", {}), dict):
        yield "a tool without a name or with parameters that are not an object"


def judge(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    verdicts, text = Verdicts(), Verdicts()
    for session, line in records.items():
        verdicts.add({f"refuses: {problem}" for problem in problems(json.loads(line))})
        messages = read(line).get("messages")
        calls = [call.get("function") for message in messages for call in message.get("tool_calls") or []]
        written = [(call.get("name"), parsed(call.get("arguments"))) for call in calls]
        same = written == [(call.name, call.arguments) for call in truths[session].calls]
        text.add(set() if same else {"changes: arguments"})
    return {"OpenAI's documented rules": verdicts, "a reader that keeps the text of numbers": text}


def parsed(arguments: str):
    return read(arguments) if arguments.strip() else read("{}")
