"""JSON with its notation: numbers keep their text and objects their order, so that any change shows."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A number as its text: 18.50 is not 18.5."""

    text: str


def read(text: str):
    """The value of a JSON text; objects are lists of pairs inside an Object, numbers are Number."""
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse, object_pairs_hook=Object)


def _refuse(name: str):
    raise ValueError(f"{name} is not JSON")


class Object(list):
    """The members of an object in order, duplicates included; equal to another with the same members in any order."""

    def __eq__(self, other) -> bool:
        if not isinstance(other, Object) or len(self) != len(other):
            return False
        return sorted(self, key=_key) == sorted(other, key=_key)

    __hash__ = None

    def get(self, key: str, absent=None):
        """The last member with this name, which is the one that JSON readers use."""
        return next((value for name, value in reversed(self) if name == key), absent)

    def keys(self) -> list[str]:
        return [name for name, _ in self]


def _key(member) -> str:
    return member[0]


def differences(source, seen, path: str = ""):
    """How a loader changed a source value: pairs of a path, without indices, and the kind of change.

    `seen` is the Python value after loading. Equal numbers do not differ if they are written alike.
    """
    if isinstance(source, Object):
        yield from _object_differences(source, seen, path)
    elif isinstance(source, list):
        if not isinstance(seen, list) or len(seen) != len(source):
            yield path, f"list became {kind(seen)}"
            return
        for one, other in zip(source, seen):
            yield from differences(one, other, f"{path}[]")
    elif isinstance(source, Number):
        if isinstance(seen, bool) or not isinstance(seen, (int, float)):
            yield path, f"number became {kind(seen)}"
        elif json.dumps(seen) != source.text:
            yield path, "number written otherwise" if _same(source.text, seen) else "number changed"
    elif type(source) is not type(seen):
        yield path, f"{kind(source)} became {kind(seen)}"
    elif source != seen:
        yield path, f"{kind(source)} changed"


def _object_differences(source: Object, seen, path: str):
    if not isinstance(seen, dict):
        yield path, f"object became {kind(seen)}"
        return
    names = set(source.keys())
    if len(names) < len(source):
        yield path, "a duplicate key is kept once"
    for name in names:
        if name in seen:
            yield from differences(source.get(name), seen[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}", "member lost"
    for name in seen.keys() - names:
        yield f"{path}.{name}", "null added" if seen[name] is None else "value added"


def _same(text: str, seen) -> bool:
    from decimal import Decimal

    return seen == seen and abs(seen) != float("inf") and Decimal(text) == Decimal(repr(seen))


def kind(value) -> str:
    """The kind of a value in words."""
    names = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null", list: "list", dict: "object"}
    if isinstance(value, (Object, Number)):
        return "object" if isinstance(value, Object) else "number"
    return names.get(type(value), type(value).__name__)
