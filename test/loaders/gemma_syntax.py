"""Reads the calls and results of Gemma's syntax, `call:NAME{key:value}`: texts between quote tokens, keys bare, numbers as JSON."""

import re

BARE = re.compile(r"[^:{}\[\],<]+")


class Reader:
    """A text and a position in it. `scalar` turns the text of numbers and words into values."""

    def __init__(self, text: str, at: int, quote: str, scalar):
        self.text, self.at, self.quote, self.scalar = text, at, quote, scalar

    def take(self, token: str) -> bool:
        found = self.text.startswith(token, self.at)
        self.at += len(token) if found else 0
        return found

    def need(self, token: str) -> None:
        if not self.take(token):
            raise ValueError(f"{token!r} expected at {self.at}: {self.text[self.at:self.at + 40]!r}")

    def until(self, token: str) -> str:
        end = self.text.index(token, self.at)
        found, self.at = self.text[self.at:end], end + len(token)
        return found

    def bare(self) -> str:
        found = BARE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found.group() if found else ""

    def value(self):
        if self.take(self.quote):
            return self.until(self.quote)
        if self.take("{"):
            return dict(self.items("}", self.member))
        if self.take("["):
            return list(self.items("]", self.value))
        return self.scalar(self.bare())

    def member(self):
        key = self.until(self.quote) if self.take(self.quote) else self.until(":")
        if self.text[self.at - 1] != ":":
            self.need(":")
        return key, self.value()

    def items(self, end: str, one):
        while not self.take(end):
            yield one()
            if not self.take(","):
                self.need(end)
                return


def objects(text: str, opening: str, closing: str, quote: str, scalar) -> list:
    """All `OPENING NAME { ... } CLOSING` of a text, in order: pairs of the name and the object."""
    found, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        reader = Reader(text, start + len(opening), quote, scalar)
        name = reader.until("{")
        reader.at -= 1
        found.append((name, reader.value()))
        reader.need(closing)
        at = reader.at
    return found
