"""Writes the parts of the package that mirror the catalog: `types.py`, `operations.py` and `async_operations.py`.

`cargo xtask python --update` runs this with the program that was just built. It reads `interagent operations --json` from
standard input and writes into the directory that is named on the command line.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

HEAD = '''"""{doc}

Made from the program's catalog of operations. Do not edit: run `cargo xtask python --update`.
"""

from __future__ import annotations

'''

GROUPS = {
    "agent": "The agents of the team.",
    "control": "Clearing, stopping and resuming sessions of agents.",
    "decision": "Decisions: questions with options, positions and an outcome.",
    "edit": "Notes of changed files.",
    "guard": "What a tool call may do.",
    "lease": "Leases: who may write which files.",
    "log": "The record of everything that was decided.",
    "message": "Messages and their way to the recipients.",
    "offer": "The two steps in which an agent takes its mail.",
    "review": "Reviews of changes, in rounds.",
    "session": "Sessions of coding clients.",
    "skill": "Skills that the team has learned.",
    "spec": "Specs: named texts with versions.",
    "status": "What each agent is doing.",
    "task": "Tasks, from creation to approval.",
    "team": "The team and its rules.",
    "template": "Prompts for agents.",
    "text": "Texts that are kept out of git, and texts that were deleted.",
}

WIDTH = 110


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[._]", name))


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


class Types:
    """Everything that answers and parameters are made of."""

    def __init__(self) -> None:
        self.shapes: Dict[str, Dict[str, Any]] = {}
        self.inputs: Dict[str, Dict[str, Any]] = {}
        self.aliases: Dict[str, str] = {}

    def learn(self, schema: Dict[str, Any], into: Dict[str, Dict[str, Any]]) -> None:
        for name, definition in schema.get("$defs", {}).items():
            if "properties" in definition:
                into[name] = definition
            else:
                self.aliases[name] = self.of(definition)

    def of(self, schema: Any) -> str:
        """A schema as a type."""
        if not isinstance(schema, dict):
            return "Any"
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return self.aliases.get(name, name)
        if "anyOf" in schema:
            choices = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
            types = [self.of(choice) for choice in choices]
            inner = types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"
            return inner if len(choices) == len(schema["anyOf"]) else f"Optional[{inner}]"
        kinds = schema.get("type")
        if isinstance(kinds, list):
            words = {**schema, "type": next(kind for kind in kinds if kind != "null")}
            if "enum" in words:
                words["enum"] = [word for word in words["enum"] if word is not None]
            return f"Optional[{self.of(words)}]" if "null" in kinds else self.of(words)
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
        if kinds == "string":
            return "datetime" if schema.get("format") == "date-time" else "str"
        if kinds == "array":
            if "prefixItems" in schema:
                return f"Tuple[{', '.join(self.of(item) for item in schema['prefixItems'])}]"
            return f"List[{self.of(schema.get('items'))}]"
        if kinds == "object":
            return f"Dict[str, {self.of(schema.get('additionalProperties'))}]"
        return {"integer": "int", "boolean": "bool", "number": "float"}.get(str(kinds), "Any")


def documented(text: str, indent: str) -> str:
    """A docstring."""
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    if len(text) + len(indent) + 6 <= WIDTH:
        return f'{indent}"""{text}"""\n'
    lines = textwrap.wrap(text, WIDTH - len(indent))
    return f'{indent}"""' + f"\n{indent}".join(lines) + f'\n{indent}"""\n'


def page_name(schema: Dict[str, Any]) -> Optional[str]:
    """The name of a page of rows, which the schema only calls a page."""
    if schema.get("title") != "Page":
        return None
    row = schema["properties"]["items"]["items"]["$ref"].rsplit("/", 1)[-1]
    return re.sub(r"View$", "", str(row)) + "Page"


def shape_class(types: Types, name: str, schema: Dict[str, Any]) -> str:
    """A result."""
    text = f"\n\n@dataclass(frozen=True)\nclass {name}(Shape):\n"
    text += documented(schema.get("description") or "Rows, and where the next ones begin.", "    ")
    required = set(schema.get("required", []))
    first = ["id", "seq", "name", "title"]
    properties = sorted(
        schema.get("properties", {}).items(),
        key=lambda item: (item[0] not in required, first.index(item[0]) if item[0] in first else len(first)),
    )
    if properties:
        text += "\n"
    for field, definition in properties:
        hint = types.of(definition)
        if field not in required and not hint.startswith(("Optional[", "List[", "Dict[")) and hint not in ("bool", "Any"):
            hint = f"Optional[{hint}]"
        default = ""
        if field not in required:
            empty = {"L": "field(default_factory=list)", "D": "field(default_factory=dict)"}
            default = " = " + (
                "False" if hint == "bool" else empty[hint[0]] if hint.startswith(("List[", "Dict[")) else "None"
            )
        text += f"    {safe(field)}: {hint}{default}\n"
        if definition is not True and definition.get("description"):
            text += documented(definition["description"], "    ")
    if name.endswith("Page") and "items" in schema["properties"]:
        row = types.of(schema["properties"]["items"])[len("List[") : -1]
        text += f"\n    def __iter__(self) -> Iterator[{row}]:\n        return iter(self.items)\n"
        text += "\n    def __len__(self) -> int:\n        return len(self.items)\n"
    return text


def input_class(types: Types, name: str, schema: Dict[str, Any]) -> str:
    """A parameter that has parts."""
    text = f"\n\nclass {name}(TypedDict, total=False):\n" + documented(schema.get("description", name), "    ") + "\n"
    for field, definition in schema["properties"].items():
        text += f"    {field}: {types.of(definition)}\n"
        if definition.get("description"):
            text += documented(definition["description"], "    ")
    return text


def typing_imports(text: str) -> str:
    """The names of `typing` that a module uses."""
    names = ["Any", "Dict", "Iterator", "List", "Literal", "Optional", "Sequence", "Tuple", "TypedDict", "Union"]
    used = [name for name in names if re.search(rf"[\[( ]{name}\b[\],\[)=\n ]", text)]
    return f"from typing import {', '.join(used)}\n"


def types_module(types: Types) -> str:
    head = HEAD.format(doc="What operations take and answer with.")
    head += "from dataclasses import dataclass, field\nfrom datetime import datetime\n"
    text = "from ._shape import Reply, Shape\n\n"
    names = sorted([*types.shapes, *types.inputs])
    text += "__all__ = [\n" + "".join(f'    "{name}",\n' for name in ["Reply", "Shape", *names]) + "]\n"
    for name in sorted(types.inputs):
        text += input_class(types, name, types.inputs[name])
    for name in sorted(types.shapes):
        text += shape_class(types, name, types.shapes[name])
    return head + typing_imports(text) + "\n" + text


Parameter = Tuple[str, str, str, str, str]
"""Name in Python, type, default (or nothing), how it is passed on, what it means."""


def parameters(types: Types, name: str, schema: Dict[str, Any]) -> List[Parameter]:
    found: List[Parameter] = []
    for field, definition in schema.get("properties", {}).items():
        hint, default, passed, said = types.of(definition), "None", safe(field), definition.get("description", "")
        for own in types.inputs:
            hint = re.sub(rf"\b{own}\b", f"types.{own}", hint)
        if hint == "str":
            may_be_left_out = "left out" in said or "Empty" in said
            default = '""' if may_be_left_out else ""
        elif hint == "bool":
            default = "False"
        elif hint == "List[str]":
            hint, default, passed = "Union[str, Sequence[str]]", "()", f"texts({safe(field)})"
        elif hint.startswith("List["):
            hint, default, passed = f"Sequence[{hint[5:-1]}]", "()", f"list({safe(field)})"
        elif not hint.startswith("Optional["):
            hint = f"Optional[{hint}]"
        if "datetime" in hint:
            hint = hint.replace("datetime", "Union[datetime, str]")
            passed = f"moment({safe(field)})"
        if field == "key":
            said = "An idempotency key: a call that is repeated with it has no further effect."
        found.append((safe(field), hint, default, passed, said))
    noun = name.split(".")[0]
    first = [noun, "name", "title", "question", "entity", "text"]
    rank = {name: place for place, name in enumerate(first)}
    return sorted(found, key=lambda item: (item[2] != "", rank.get(item[0], len(rank)), item[0] == "key"))


def signature(noun: str, found: List[Parameter]) -> str:
    """Only what the operation is about may be given without its name."""
    is_about = bool(found) and (found[0][2] == "" or found[0][0] == noun)
    parts = ["self"]
    for place, (name, hint, default, _, _) in enumerate(found):
        if place == (1 if is_about else 0):
            parts.append("*")
        parts.append(f"{name}: {hint}" + (f" = {default}" if default else ""))
    line = ", ".join(parts)
    return line if len(line) <= 60 else "\n        " + ",\n        ".join(parts) + ",\n    "


def method(types: Types, operation: Dict[str, Any], words: Dict[str, str]) -> str:
    name = operation["name"]
    found = parameters(types, name, operation["params"])
    answer = page_name(operation["answer"]) or operation["answer"]["title"]
    keyed = any(parameter[0] == "key" for parameter in found)
    effect = {"read": "READ", "idempotent": "IDEMPOTENT"}.get(operation["effect"], "KEYED" if keyed else "WRITE")
    text = f"\n    {words['def']} {safe(name.split('.')[-1])}({signature(name.split('.')[0], found)}) -> types.{answer}:\n"
    doc = " ".join(operation["doc"].split())
    lines = [*textwrap.wrap(doc, WIDTH - 11), ""]
    if found:
        lines.append("Args:")
        for parameter, *_, said in found:
            said = " ".join(said.split())
            lines += textwrap.wrap(f"{parameter}: {said}", WIDTH - 12, initial_indent="    ", subsequent_indent="        ")
    while lines and not lines[-1]:
        lines.pop()
    body = "\n".join(f"        {line}" if line else "" for line in lines).lstrip().replace("\\", "\\\\")
    if body.endswith('"'):
        body += " "
    text += f'        """{body}' + ("\n        " if len(lines) > 1 else "") + '"""\n'
    passed = "".join(f'            "{name.rstrip("_")}": {how},\n' for name, _, _, how, _ in found)
    params = f"{{\n{passed}        }}" if found else "{}"
    return text + f'        return {words["await"]}self._ask("{name}", {params}, types.{answer}, {effect})\n'


def operations_module(types: Types, operations: List[Dict[str, Any]], words: Dict[str, str]) -> str:
    head = HEAD.format(doc=words["doc"])
    text = "from . import types\n"
    text += f"from ._ask import IDEMPOTENT, KEYED, READ, WRITE, {words['ask']}, moment, texts\n"
    groups: Dict[str, List[Dict[str, Any]]] = {}
    for operation in operations:
        group = operation["name"].split(".")[0] if "." in operation["name"] else ""
        groups.setdefault(group, []).append(operation)
    for group in sorted(groups):
        if not group:
            continue
        text += f"\n\nclass {words['prefix']}{camel(group)}Operations:\n"
        text += documented(GROUPS[group], "    ")
        text += f"\n    def __init__(self, ask: {words['ask']}) -> None:\n        self._ask = ask\n"
        for operation in groups[group]:
            text += method(types, operation, words)
    text += f"\n\nclass {words['prefix']}Operations:\n" + documented("Every operation of the hub, by groups.", "    ")
    text += f"\n    def __init__(self, ask: {words['ask']}) -> None:\n        self._ask = ask\n"
    for group in sorted(groups):
        if group:
            text += f"        self.{group} = {words['prefix']}{camel(group)}Operations(ask)\n"
            text += documented(GROUPS[group], "        ")
    for operation in groups.get("", []):
        text += method(types, operation, words)
    return head + "from datetime import datetime\n" + typing_imports(text) + "\n" + text


SYNC = {"def": "def", "await": "", "prefix": "", "ask": "Ask", "doc": "The operations of the hub, as methods."}
ASYNC = {
    "def": "async def",
    "await": "await ",
    "prefix": "Async",
    "ask": "AsyncAsk",
    "doc": "The operations of the hub, as coroutines.",
}


def main() -> None:
    operations = json.load(sys.stdin)["answer"]["operations"]
    types = Types()
    for operation in operations:
        types.learn(operation["answer"], types.shapes)
        types.learn(operation["params"], types.inputs)
    for operation in operations:
        answer = operation["answer"]
        types.shapes[page_name(answer) or answer["title"]] = answer
    place = Path(sys.argv[1])
    for name, text in {
        "types.py": types_module(types),
        "operations.py": operations_module(types, operations, SYNC),
        "async_operations.py": operations_module(types, operations, ASYNC),
    }.items():
        (place / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
