"""Peer: a plain Python script for logs of Claude Code and Codex, pairs of the Responses API, dumps of
streams and exported spans, with json or with orjson.

    python convert_events.py json|orjson DIR OUTFILE

Applies only: lines with the same message.id are one message, results follow their message in the order
of the log, a compaction starts another record; for a session of pairs the last one counts, with the
history that its id continues; the chunks of a stream are one answer; for a conversation in spans the
last model call counts. Left out: branches, sub-agents, results before their calls, copied lines,
definitions of tools, memory limits, findings, the account of the lines.
"""

import os
import sys

from peer_files import json_codec, orjson_codec, session_files


def call(dumps, call_id, name, arguments):
    if not isinstance(arguments, str):
        arguments = dumps(arguments).decode()
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def add_block(message, block, dumps):
    kind = block["type"]
    if kind == "text":
        message["content"] = "\n".join(t for t in (message.get("content"), block["text"]) if t)
    elif kind == "thinking" and block["thinking"]:
        message["reasoning_content"] = block["thinking"]
    elif kind == "tool_use":
        tool_call = call(dumps, block["id"], block["name"], block["input"])
        message.setdefault("tool_calls", []).append(tool_call)


def claude_code(events, dumps):
    messages, by_id = [], {}
    for event in events:
        if event["type"] == "system" and event.get("subtype") == "compact_boundary":
            yield messages
            messages, by_id = [], {}
        elif event["type"] == "assistant":
            logged = event["message"]
            message = by_id.get(logged["id"])
            if message is None:
                message = by_id[logged["id"]] = {"role": "assistant"}
                messages.append(message)
            for block in logged["content"]:
                add_block(message, block, dumps)
        elif event["type"] == "user":
            content = event["message"]["content"]
            if isinstance(content, str):
                messages.append({"role": "user", "content": content})
                continue
            for block in content:
                result = {"role": "tool", "tool_call_id": block["tool_use_id"]}
                messages.append({**result, "content": block["content"]})
    yield messages


def codex(events, dumps):
    system, messages, open_message = [], [], None

    def assistant():
        nonlocal open_message
        if open_message is None:
            open_message = {"role": "assistant"}
            messages.append(open_message)
        return open_message

    for event in events:
        payload = event["payload"]
        if event["type"] == "session_meta":
            system = [{"role": "system", "content": payload["base_instructions"]["text"]}]
            messages = list(system)
        elif event["type"] == "compacted":
            yield messages
            messages = [*system, {"role": "user", "content": payload["message"]}]
            open_message = None
        elif event["type"] == "response_item":
            kind = payload["type"]
            if kind == "message" and payload["role"] == "assistant":
                assistant()["content"] = "\n".join(part["text"] for part in payload["content"])
            elif kind == "message":
                text = "\n".join(part["text"] for part in payload["content"])
                messages.append({"role": payload["role"], "content": text})
                open_message = None
            elif kind == "function_call":
                tool_call = call(dumps, payload["call_id"], payload["name"], payload["arguments"])
                assistant().setdefault("tool_calls", []).append(tool_call)
            elif kind == "function_call_output":
                result = {"role": "tool", "tool_call_id": payload["call_id"]}
                messages.append({**result, "content": payload["output"]})
                open_message = None
    yield messages


def items_as_messages(items, dumps):
    messages, open_message = [], None
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call_output":
            open_message = None
            result = {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
            messages.append(result)
        elif kind == "message" and item["role"] != "assistant":
            open_message = None
            text = "\n".join(part["text"] for part in item["content"])
            messages.append({"role": item["role"], "content": text})
        else:
            if open_message is None:
                open_message = {"role": "assistant"}
                messages.append(open_message)
            if kind == "message":
                open_message["content"] = "\n".join(part["text"] for part in item["content"])
            elif kind == "function_call":
                tool_call = call(dumps, item["call_id"], item["name"], item["arguments"])
                open_message.setdefault("tool_calls", []).append(tool_call)
    return messages


def responses(pairs, dumps):
    histories, last = {}, {}
    for pair in pairs:
        request, response = pair["request"], pair["response"]
        before = histories.get(request.get("previous_response_id"), [])
        items = histories[response["id"]] = [*before, *request["input"], *response["output"]]
        last[pair["session_id"]] = request["instructions"], items
    for instructions, items in last.values():
        yield [{"role": "system", "content": instructions}, *items_as_messages(items, dumps)]


def streams(events, dumps):
    open_id, text, calls = None, [], {}

    def answer():
        message = {"role": "assistant", "content": "".join(text)}
        if calls:
            message["tool_calls"] = [call(dumps, c[0], c[1], "".join(c[2])) for c in calls.values()]
        return [message]

    for event in events:
        if open_id is not None and event["id"] != open_id:
            yield answer()
            text, calls = [], {}
        open_id = event["id"]
        for choice in event["choices"]:
            delta = choice["delta"]
            text.append(delta.get("content") or "")
            for part in delta.get("tool_calls", ()):
                tool_call = calls.setdefault(part["index"], (part.get("id"), part["function"].get("name"), []))
                tool_call[2].append(part["function"].get("arguments") or "")
    yield answer()


def parts_as_message(role, parts, dumps):
    message = {"role": role}
    for part in parts:
        kind = part["type"]
        if kind == "text":
            message["content"] = part["content"]
        elif kind == "reasoning":
            message["reasoning_content"] = part["content"]
        elif kind == "tool_call":
            tool_call = call(dumps, part["id"], part["name"], part["arguments"])
            message.setdefault("tool_calls", []).append(tool_call)
        else:
            message.update(tool_call_id=part["id"], content=part["response"])
    return message


def spans(calls, dumps):
    for system, logged in calls:
        messages = [parts_as_message(m["role"], m["parts"], dumps) for m in logged]
        yield [parts_as_message("system", system, dumps), *messages]


def logged_lines(lines, loads):
    return (loads(line) for line in lines)


def sent_events(lines, loads):
    data = b"data: " if "b" in lines.mode else "data: "
    done = b"[DONE]" if "b" in lines.mode else "[DONE]"
    for line in lines:
        data_text = line[len(data) :].strip() if line.startswith(data) else done
        if data_text != done:
            yield loads(data_text)


def last_calls(lines, loads):
    last = {}
    for line in lines:
        for resource in loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    values = {a["key"]: a["value"].get("stringValue") for a in span["attributes"]}
                    if values["gen_ai.operation.name"] == "chat":
                        last[values["gen_ai.conversation.id"]] = values
    for values in last.values():
        logged = loads(values["gen_ai.input.messages"]) + loads(values["gen_ai.output.messages"])
        yield loads(values["gen_ai.system_instructions"]), logged


FOLDS = {
    "claude-code": (logged_lines, claude_code),
    "codex": (logged_lines, codex),
    "responses": (logged_lines, responses),
    "sse": (sent_events, streams),
    "spans": (last_calls, spans),
}


def main():
    codec, directory, out_file = sys.argv[1:]
    loads, dumps = orjson_codec() if codec == "orjson" else json_codec()
    mode = {"mode": "rb"} if codec == "orjson" else {"mode": "rt", "encoding": "utf-8"}
    name = os.path.basename(os.path.normpath(directory))
    read, fold = next(how for kind, how in FOLDS.items() if name.startswith(kind))
    with open(out_file, "wb") as out:
        for path in session_files(directory, (".jsonl", ".sse")):
            with open(path, **mode) as lines:
                for messages in fold(read(lines, loads), dumps):
                    out.write(dumps({"messages": messages, "tools": []}) + b"\n")


main()
