"""A reader of FunctionGemma's syntax as judge of `functiongemma` and `functiongemma-teaching`: every record is parsed back.

The official template is behind a licence, so this is written from the description of the syntax; the goldens are in the unit tests.
"""

import json
from decimal import Decimal

from exact import Number, Object, read
from gemma_syntax import objects
from truth import Call, Truth
from verdict import Verdicts

QUOTE = "<escape>"


def scalar(word: str):
    """A literal, or a number with its text."""
    literals = {"true": True, "false": False, "null": None}
    return literals[word] if word in literals else Number(word)


def same(source, seen) -> bool:
    """Is this the value? A number with a fraction and an exponent is written without the exponent."""
    if isinstance(source, Object):
        names = set(source.keys())
        return isinstance(seen, dict) and names == seen.keys() and all(same(source.get(name), seen[name]) for name in names)
    if isinstance(source, list):
        return isinstance(seen, list) and len(source) == len(seen) and all(map(same, source, seen))
    if isinstance(source, Number) and isinstance(seen, Number):
        return source.text == seen.text or Decimal(source.text) == Decimal(seen.text)
    return type(source) is type(seen) and source == seen


def calls_of(text: str) -> list:
    return objects(text, "<start_function_call>call:", "<end_function_call>", QUOTE, scalar)


def official(text: str, truth: Truth):
    calls = calls_of(text)
    results = objects(text, "<start_function_response>response:", "<end_function_response>", QUOTE, scalar)
    if [name for name, _ in calls] != [call.name for call in truth.calls]:
        yield "drops: calls"
        return
    for (_, arguments), call in zip(calls, truth.calls):
        if not same(call.arguments, arguments):
            yield "changes: arguments"
    for kind, words in truth.texts:
        if words not in text and not any(holds(words, result) for _, result in results):
            yield f"drops: {kind}"


def holds(words: str, result: dict) -> bool:
    """Does the text of a result mean this object, or its `value`?"""
    try:
        return same(read(words), result)
    except ValueError:
        return result.get("value") == words


def teaching(text: str, truth: Truth):
    body = text.replace("<start_function_call>\n", "<start_function_call>").replace("\n<end_function_call>", "<end_function_call>")
    calls = calls_of(body)
    last: Call = truth.calls[-1]
    if [name for name, _ in calls] != [last.name]:
        yield "drops: calls"
        return
    flat = {name: as_text(last.arguments.get(name)) for name in last.arguments.keys()}
    if flat != calls[0][1]:
        yield "changes: arguments"


def as_text(value) -> str:
    """A value between the quotes of the teaching layout."""
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    if isinstance(value, Number):
        return f"{Decimal(value.text):f}" if "e" in value.text.lower() else value.text
    return value if isinstance(value, str) else json.dumps(value)


def judge(records: dict[str, str], truths: dict[str, Truth], layout=official) -> dict[str, Verdicts]:
    verdicts = Verdicts()
    for session, line in records.items():
        verdicts.add(set(layout(json.loads(line)["text"], truths[session])))
    return {"a reader of the syntax": verdicts}


def judge_teaching(records: dict[str, str], truths: dict[str, Truth]) -> dict[str, Verdicts]:
    return judge(records, truths, teaching)
