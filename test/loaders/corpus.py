"""Logs for the consumers, the same for the same seed: one session per line, with everything that breaks loaders and templates.

Every text and number inside is unique (`w<n>`), so that it can be looked for in whatever a reader makes of it.
"""

import json
import random
from datetime import datetime, timedelta
from pathlib import Path

KEYS = ["path", "city", "limit", "when", "filter", "items", "Query", "x_1", "data", "value"]
TOOLS = ["read_file", "web_search", "get_weather", "create_event", "run"]
SCRIPTS = ["caf\u00e9", "\u6771\u4eac", "\u05e9\u05dc\u05d5\u05dd", "\U0001f9ea", "e\u0301", "a\u2028b", "tab\tand\nline", 'say "hi" \\ now']
NUMBERS = ["{n}", "{n}.0", "{n}.50", "-{n}.25", "{n}e3", "9223372036{n:09d}", "12345678901{n:09d}", "123456789012345{n:09d}"]
TAGS = ["<end_of_turn>", "<escape>", "<tool_call>", "<|im_end|>", "</think>"]
SESSIONS_PER_FILE = 1000


class Raw(str):
    """JSON text that is written unchanged."""


def text_of(value) -> str:
    """JSON text of a value; Raw is inserted unchanged."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {text_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Corpus:
    def __init__(self, seed: int):
        self.dice = random.Random(seed)
        self.count = 100_000

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def word(self) -> str:
        """A text that occurs nowhere else."""
        self.count += 1
        mark = f"w{self.count}z"
        if self.chance(0.3):
            mark = f"{mark} {self.dice.choice(SCRIPTS)}"
        return f"{mark} {self.dice.choice(TAGS)}" if self.chance(0.004) else mark

    def value(self, depth: int):
        """Any JSON value; the same key has different types in different records."""
        self.count += 1
        make = self.dice.choice(["text", "text", "number", "number", "time", "literal", "list", "object", "odd"])
        if make == "number":
            return Raw(self.dice.choice(NUMBERS).format(n=self.count))
        if make == "time":
            return (datetime(2026, 1, 1) + timedelta(minutes=self.count)).isoformat()
        if make == "literal":
            return self.dice.choice([True, False, None])
        if make == "odd":
            return self.dice.choice([Raw("-0"), Raw("1E+2"), [], {}, ""])
        if depth > 0 and make == "list":
            return [self.value(depth - 1) for _ in range(self.dice.randint(1, 3))]
        if depth > 0 and make == "object":
            return self.arguments(depth - 1)
        return self.word()

    def arguments(self, depth: int) -> dict:
        keys = self.dice.sample(KEYS, self.dice.randint(0, 4))
        return {key: self.value(depth) for key in keys}

    def logged_arguments(self):
        """Mostly a JSON string, sometimes an object, and sometimes not an object at all."""
        value = self.arguments(self.dice.choice([0, 0, 0, 1, 2]))
        if self.chance(0.1):
            return value
        if self.chance(0.02):
            return self.dice.choice(["{'path': 'a'}", '{"path": "a', "[1, 2]", "", None, "5", '{"n": 1e400}', '{"a": 1, "a": 2}'])
        return text_of(value)

    def call(self) -> dict:
        self.count += 1
        function = {"name": self.dice.choice(TOOLS), "arguments": self.logged_arguments()}
        return {"id": f"call_{self.count}", "type": "function", "function": function}

    def result(self, call: dict) -> dict:
        content = text_of({"status": "ok", "found": self.word(), "n": self.value(1)})
        if self.chance(0.4):
            content = f"found: {self.word()}"
        if self.chance(0.02):
            content = self.dice.choice(["", None, [{"type": "text", "text": self.word()}]])
        identity = "call_nobody" if self.chance(0.005) else call["id"]
        return {"role": "tool", "tool_call_id": identity, "content": content}

    def calling(self) -> dict:
        message = {"role": "assistant"}
        beside = self.dice.choice(["absent", "null", "empty", "text", "text"])
        if beside != "absent":
            message["content"] = {"null": None, "empty": "", "text": f"I look: {self.word()}"}[beside]
        if self.chance(0.1):
            message["reasoning_content"] = f"Thought {self.word()}."
        return {**message, "tool_calls": [self.call() for _ in range(self.dice.choice([1, 1, 1, 2, 3]))]}

    def answer(self) -> dict:
        message = {"role": "assistant", "content": f"Answer: {self.word()}"}
        return {**message, "reasoning_content": f"Thought {self.word()}."} if self.chance(0.1) else message

    def user(self) -> dict:
        content = f"Question: {self.word()}"
        if self.chance(0.03):
            return {"role": "user", "content": [{"type": "text", "text": content}]}
        return {"role": "user", "content": content}

    def conversation(self) -> list[dict]:
        messages = [{"role": "system", "content": f"Rules: {self.word()}"}] if self.chance(0.8) else []
        for _ in range(self.dice.randint(1, 3)):
            messages.append(self.user())
            for _ in range(self.dice.choice([0, 1, 1, 2])):
                calls = self.calling()
                results = [self.result(call) for call in calls["tool_calls"] if not self.chance(0.01)]
                if self.chance(0.05):
                    self.dice.shuffle(results)
                messages += [calls, *results]
            messages.append(self.calling() if self.chance(0.05) else self.answer())
        if self.chance(0.2):
            messages += [self.user(), self.calling()]
        return messages

    def tool(self, name: str) -> dict:
        kinds = ["string", "number", "integer", "boolean", "array", "object"]
        properties = {key: {"type": self.dice.choice(kinds), "description": f"About {self.word()}"} for key in self.dice.sample(KEYS, 3)}
        parameters = {"type": "object", "properties": properties, "required": list(properties)[:1]}
        return {"type": "function", "function": {"name": name, "description": f"Does {self.word()}", "parameters": parameters}}

    def entry(self, number: int) -> str:
        messages = self.conversation()
        return text_of({
            "timestamp": f"2026-01-13T08:00:00.{number:06d}Z",
            "session_id": f"session-{number:06d}",
            "request": {"messages": messages[:-1], "tools": [self.tool(name) for name in TOOLS]},
            "response": {"choices": [{"index": 0, "message": messages[-1]}]},
        })


def write(folder: Path, seed: int, sessions: int) -> None:
    """Writes the logs of this many sessions; they are read with `--session-by id`."""
    corpus = Corpus(seed)
    folder.mkdir(parents=True)
    for start in range(0, sessions, SESSIONS_PER_FILE):
        numbers = range(start, min(start + SESSIONS_PER_FILE, sessions))
        lines = [corpus.entry(number) + "\n" for number in numbers]
        (folder / f"part-{start // SESSIONS_PER_FILE:03d}.jsonl").write_text("".join(lines), encoding="utf-8")
