# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tells the comments, the strings and the code of a Swift source apart."""
from dataclasses import dataclass


@dataclass
class Piece:
    """A part of a source: `kind` is "doc", "comment", "string" or "code", `line` is where it begins, counted from one."""
    kind: str
    line: int
    text: str


def pieces(source):
    """Returns the parts of a source in order; an interpolation's code and strings are parts of their own."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source):
        self.source, self.place, self.line, self.found = source, 0, 1, []
        self.code = ""

    def read(self):
        self._code(closing=None)
        self._end_code()
        return self.found

    def _starts(self, text):
        return self.source.startswith(text, self.place)

    def _add(self, kind, line, text):
        self._end_code()
        if text:
            self.found.append(Piece(kind, line, text))

    def _end_code(self):
        if self.code.strip():
            self.found.append(Piece("code", self.line - self.code.count("\n"), self.code))
        self.code = ""

    def _step(self, count=1):
        text = self.source[self.place:self.place + count]
        self.line += text.count("\n")
        self.place += count
        return text

    def _code(self, closing):
        """Reads code up to the parenthesis that closes an interpolation, or to the end."""
        depth = 0
        while self.place < len(self.source):
            if self._starts("//"):
                self._line_comment()
            elif self._starts("/*"):
                self._block_comment()
            elif (hashes := self._string_opening()) is not None:
                self._string(hashes)
            elif self._regex_opening():
                end = self.source.index("/#", self.place + 2)
                self.code += self._step(end + 2 - self.place)
            else:
                character = self.source[self.place]
                if closing and character == "(":
                    depth += 1
                elif closing and character == ")":
                    if depth == 0:
                        return
                    depth -= 1
                self.code += self._step()

    def _regex_opening(self):
        return self._starts("#/") and "/#" in self.source[self.place + 2:].split("\n\n")[0]

    def _line_comment(self):
        line, end = self.line, self.source.find("\n", self.place)
        text = self._step((end if end >= 0 else len(self.source)) - self.place)
        self._add("doc" if text.startswith("///") else "comment", line, text)

    def _block_comment(self):
        line, start, depth = self.line, self.place, 0
        while self.place < len(self.source):
            if self._starts("/*"):
                depth += 1
                self._step(2)
            elif self._starts("*/"):
                depth -= 1
                self._step(2)
                if depth == 0:
                    break
            else:
                self._step()
        text = self.source[start:self.place]
        self._add("doc" if text.startswith("/**") else "comment", line, text)

    def _string_opening(self):
        end = self.place
        while self.source.startswith("#", end):
            end += 1
        return end - self.place if self.source.startswith('"', end) else None

    def _string(self, hashes):
        self._end_code()
        self._step(hashes)
        quotes = '"""' if self._starts('"""') else '"'
        self._step(len(quotes))
        end, escape = quotes + "#" * hashes, "\\" + "#" * hashes
        text, line = "", self.line
        while self.place < len(self.source) and not self._starts(end):
            if self._starts(escape + "("):
                self._add("string", line, text)
                self._step(len(escape) + 1)
                self._code(closing=")")
                self._end_code()
                self._step()
                text, line = "", self.line
            elif self._starts(escape):
                text += self._step(len(escape) + 1)
            else:
                text += self._step()
        self._add("string", line, text)
        self._step(len(end))
