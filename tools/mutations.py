"""The ways in which tools/mutants breaks a line of C.

mutations_of(text) gives every small change of a source: a wrong operator, a wrong constant, a
condition turned round or dropped, a statement left out, an error not returned. It knows tokens, not
grammar: what does not compile is thrown away by the compiler. Left alone are comments, strings, lines
of the preprocessor, assertions and types.
"""
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/ | //[^\n]*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>=!~?:;,.(){}\[\]])
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)

# Operators with an operand on either side. A relation is moved by one value and turned round.
BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="],
    "|=": ["&=", "="], "&=": ["|=", "="],
}
TYPES = {"double", "float", "char", "int", "unsigned", "long", "short", "void", "const", "struct",
         "FILE", "bool", "signed"}
KEYWORDS = {"return", "if", "else", "for", "while", "do", "switch", "case", "default", "break",
            "continue", "goto", "sizeof", "typedef", "static", "extern", "enum", "union", "struct",
            "assert", "static_assert", "_Static_assert"}
NO_CHANGE = {"0", "NULL", "SPD_OK", "false"}  # `return 0` in other words


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Mutation:
    """text[start:end] becomes `new`."""
    start: int
    end: int
    new: str
    kind: str

    def apply(self, text):
        # Lines keep their numbers, and so the compiler its reasons to make the same object.
        lost = text.count("\n", self.start, self.end) - self.new.count("\n")
        return text[:self.start] + self.new + "\n" * max(0, lost) + text[self.end:]


def tokens_of(text):
    found = (Token(match.lastgroup, match.group(), match.start(), match.end())
             for match in TOKEN.finditer(text))
    return [token for token in found if token.kind not in ("comment", "directive")]


def pairs_of(tokens):
    """For every opening bracket the index of the closing one."""
    closing, stack = {}, []
    for i, token in enumerate(tokens):
        if token.kind == "sign" and token.text in "([{":
            stack.append(i)
        elif token.kind == "sign" and token.text in ")]}" and stack:
            closing[stack.pop()] = i
    return closing


def is_type(token):
    return token.text in TYPES or token.text.endswith("_t")


def has_left_operand(tokens, i):
    left = tokens[i - 1] if i else None
    return left is not None and (left.text in (")", "]") or left.kind in ("number", "string")
                                 or (left.kind == "word" and left.text not in KEYWORDS))


def other_numbers(text):
    """Whole numbers next to it; a fraction doubled; a tolerance (1e-9) as large as one."""
    whole = re.fullmatch(r"(0|[1-9]\d*|0[xX][0-9a-fA-F]+)([uUlL]*)", text)
    if whole:
        value = int(whole[1], 0)
        near = {0: [1], 1: [0, 2]}.get(value, [value + 1, value - 1])
        return [f"{number}{whole[2]}" for number in near]
    if not re.fullmatch(r"\d*\.?\d*([eE][+-]?\d+)?", text):
        return []
    value = float(text)
    if value in (0.0, 1.0):
        return [repr(1.0 - value)]
    return ["1.0"] if "e" in text.lower() else [repr(2 * value)]


def signs(tokens, i):
    """A wrong operator in the place of one."""
    token, right = tokens[i], tokens[i + 1].text if i + 1 < len(tokens) else ""
    text = token.text
    if text in ("++", "--"):
        yield Mutation(token.start, token.end, "--" if text == "++" else "++", "step")
    elif text in "!~-" and not has_left_operand(tokens, i):
        yield Mutation(token.start, token.end, "", "sign left out")
    elif text in BINARY and has_left_operand(tokens, i):
        pointer = text == "*" and (is_type(tokens[i - 1]) or right in (")", "*", ",", "const")
                                   or tokens[i - 2].text in (";", "{", "}", "const", "struct"))
        for new in [] if pointer else BINARY[text]:
            yield Mutation(token.start, token.end, new, "operator")


def conditions(tokens, i, closing):
    """`if` and `while` turned round, `if` dropped."""
    if tokens[i + 1].text != "(" or i + 1 not in closing:
        return
    first, last = tokens[i + 1].end, tokens[closing[i + 1]].start
    yield "!(", first, last, ")", "condition turned round"
    if tokens[i].text == "if":
        yield "(", first, last, ") && 0", "condition dropped"


def statement_end(tokens, i):
    """The index of the semicolon that ends the statement at i; None where it is none."""
    depth = 0
    for j in range(i, len(tokens)):
        text = tokens[j].text if tokens[j].kind == "sign" else ""
        if text == ";" and depth == 0:
            return j
        if text and text in "([{":
            depth += 1
        elif text and text in ")]}":
            depth -= 1
            if depth < 0:
                return None
    return None


def begins_statement(tokens, i, headers):
    """Does a statement begin here? headers: indices of the brackets that close if (...) and the like."""
    left = tokens[i - 1]
    label = left.text == ":" and (tokens[i - 2].text == "default" or tokens[i - 3].text in
                                  (";", "{", "}", "case"))
    return left.text in (";", "{", "}", "else", "do") or i - 1 in headers or label


def statements(tokens, i):
    """A statement left out, an error not returned, break and continue taken for each other."""
    token = tokens[i]
    end = statement_end(tokens, i)
    if end is None:
        return
    start, stop = token.start, tokens[end].start
    if token.text == "return":
        result = [other.text for other in tokens[i + 1:end]]
        if len(result) > 1 or (result and result[0] not in NO_CHANGE
                               and tokens[i + 1].kind == "word"):
            yield Mutation(start, stop, "return 0", "return of nothing wrong")
    elif token.text in ("break", "continue"):
        other = "continue" if token.text == "break" else "break"
        yield Mutation(start, stop, other, "break and continue")
        yield Mutation(start, stop, "", "statement left out")
    elif token.text == "goto":
        yield Mutation(start, stop, "", "statement left out")
    elif token.text in KEYWORDS or is_type(token):
        return
    elif token.kind == "word":
        after = tokens[i + 1]
        declares = after.kind == "word" or (after.text == "*" and tokens[i + 2].kind == "word")
        if not declares and after.text != ":":
            yield Mutation(start, stop, "", "statement left out")
    elif token.text in ("*", "(", "++", "--"):
        yield Mutation(start, stop, "", "statement left out")


def inside_functions(tokens, closing):
    """Index ranges of the bodies of functions."""
    ranges, i = [], 0
    while i < len(tokens):
        if tokens[i].text == "{" and tokens[i].kind == "sign" and i in closing:
            if i and tokens[i - 1].text == ")":
                ranges.append((i, closing[i]))
            i = closing[i]
        i += 1
    return ranges


def mutations_of(text):
    tokens = tokens_of(text)
    closing = pairs_of(tokens)
    headers = {closing[i + 1] for i, token in enumerate(tokens[:-1])
               if token.text in ("if", "for", "while", "switch") and i + 1 in closing}
    spared = set()
    for i, token in enumerate(tokens[:-1]):
        if "assert" in token.text.lower() and i + 1 in closing:
            spared.update(range(i, closing[i + 1] + 1))
    found = []
    for first, last in inside_functions(tokens, closing):
        depth = 0
        for i in range(first + 1, last):
            token = tokens[i]
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if i in spared:
                continue
            if token.kind == "number":
                found += [Mutation(token.start, token.end, new, "constant")
                          for new in other_numbers(token.text)]
            elif token.kind == "sign":
                found += signs(tokens, i)
            if token.text in ("if", "while"):
                found += [Mutation(start, stop, before + text[start:stop] + after, kind)
                          for before, start, stop, after, kind in conditions(tokens, i, closing)]
            elif depth <= (token.text == "(") and begins_statement(tokens, i, headers):
                found += statements(tokens, i)
    return found
