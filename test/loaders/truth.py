"""The content of a conversation, taken from its `chat` record; every consumer's view is compared with it."""

from dataclasses import dataclass

from exact import Object, read

LEGACY = "function_call"


@dataclass(frozen=True)
class Call:
    name: str
    #: The value of the arguments, with numbers as written; an empty object if there are none.
    arguments: object
    #: Is it the only one or the first one of its message?
    first: bool


@dataclass(frozen=True)
class Truth:
    calls: list[Call]
    #: Texts by kind: rules, question, answer, text beside a call, thought, result; ... in parts, ... that holds </think>.
    texts: list[tuple[str, str]]


def text_of(content) -> str:
    return "".join(texts_of(content))


def texts_of(content) -> list[str]:
    """The text of a content, or the texts of its parts."""
    if isinstance(content, list):
        return [part.get("text", "") for part in content if part.get("type") == "text"]
    return [content or ""]


def arguments_of(call: Object):
    logged = call.get("function").get("arguments")
    if isinstance(logged, str):
        logged = read(logged) if logged.strip() else None
    return Object() if logged is None else logged


def truth_of(line: str) -> Truth:
    """The truth of a record in which all calls have JSON arguments."""
    calls, texts = [], []
    for message in read(line).get("messages"):
        role, called = message.get("role"), message.get("tool_calls") or []
        names = {"system": "rules", "user": "question", "tool": "result", "assistant": "answer"}
        kind = "text beside a call" if called else names[role]
        parts = " in parts" if isinstance(message.get("content"), list) else ""
        texts += [(kind + parts, text) for text in texts_of(message.get("content"))]
        texts.append(("thought", message.get("reasoning_content") or ""))
        for i, call in enumerate(called):
            calls.append(Call(call.get("function").get("name"), arguments_of(call), i == 0))
    return Truth(calls, [(named(kind, text), text.strip()) for kind, text in texts if text.strip()])


def named(kind: str, text: str) -> str:
    """Templates cut an answer at the end of a thought."""
    return f"{kind} that holds </think>" if "</think>" in text else kind
