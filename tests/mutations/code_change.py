"""A change of the program: a function by its dotted name, and a piece of code in it, as a tree.

Layout, comments and line numbers do not matter, nor does the file in which a function stands.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SKIPPED = frozenset({"ctx", "kind", "type_comment"})  # fields that a pattern does not compare
WILDCARD = re.compile(r"_[1-9]")
Site = tuple[ast.AST, str, int | None]  # parent, field, and place in a list
Parents = dict[ast.AST, Site]


class StaleError(AssertionError):
    """What a mutation changes is not there just once."""


@dataclass(frozen=True)
class CodeChange:
    """A piece of code that stands once in a function, and what stands there instead.

    Parameters
    ----------
    place : str
        Dotted name of a function, class, constant or module of `sim`. Parts before the last may be
        left out as long as one place remains: ``dynamics.inverse_dynamics``.
    old : str
        An expression, or statements that follow each other. ``_1`` to ``_9`` are any expressions;
        a body that is ``...`` alone is any body. A name that the function does not know is a
        variable of it that has been renamed: it is any of its variables.
    new : str
        Likewise; may be empty, which takes statements away.
    """

    place: str
    old: str
    new: str

    def apply(self, package: Path) -> tuple[Path, str]:
        """File of a package, and its changed source.

        Raises
        ------
        StaleError
            If place or piece are not there just once.
        """
        path, wanted = _find_place(package, self.place)
        module, parents = _read(path)
        _replace(*self._find(path, wanted, module, parents), _parse(self.new, self.place))
        return path, ast.unparse(module) + "\n"

    def check(self, package: Path) -> None:
        """Refuse a row that is stale."""
        path, wanted = _find_place(package, self.place)
        self._find(path, wanted, *_read_once(path))

    def _find(self, path: Path, wanted: str, module: ast.Module, parents: Parents) -> Hit:
        roots = [node for name, node in _walk_definitions(module) if name == wanted]
        old, new = _parse(self.old, self.place), _parse(self.new, self.place)
        found = [hit for root in roots or [module] for hit in _find_pieces(parents, root, old, new)]
        if len(found) != 1 or self.old == self.new:
            raise StaleError(
                f"{self.place} ({path}) has {len(found)} times what is changed:\n{self.old}"
            )
        return found[0]


def _read(path: Path) -> tuple[ast.Module, Parents]:
    """Tree of a file, and where each node of it hangs."""
    module = ast.parse(path.read_text("utf-8"))
    parents: Parents = {}
    for node in ast.walk(module):
        for name, value in ast.iter_fields(node):
            for k, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                if isinstance(child, ast.AST):
                    parents[child] = (node, name, k)
    return module, parents


_read_once = cache(_read)


def _parse(text: str, place: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        raise StaleError(f"{place}: a piece that is no code of its own:\n{text}") from error


# --- places ---------------------------------------------------------------------------------------


def _walk_definitions(
    node: ast.AST, prefix: str = "", in_function: bool = False
) -> Iterator[tuple[str, ast.stmt]]:
    """Qualified names of functions, classes and the names assigned outside functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, DEFINITIONS):
            yield prefix + child.name, child
            inside = in_function or not isinstance(child, ast.ClassDef)
            yield from _walk_definitions(child, f"{prefix}{child.name}.", inside)
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            if not in_function:
                yield from ((prefix + one.id, child) for one in _walk_names(child, ast.Store))
        elif isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _walk_definitions(child, prefix, in_function)


def _walk_names(node: ast.AST, *contexts: type[ast.expr_context]) -> Iterator[ast.Name]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, contexts):
            yield one


@cache
def _places_by_last_name(package: Path) -> dict[str, list[tuple[tuple[str, ...], Path, str]]]:
    """Whole dotted name, file and qualified name; the qualified name of a module is empty."""
    found: dict[str, list[tuple[tuple[str, ...], Path, str]]] = {}
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").parts
        names = dict(_walk_definitions(ast.parse(path.read_text("utf-8"))))
        for name in [*names, ""]:
            place = (*module, *name.split(".")) if name else module
            found.setdefault(place[-1], []).append((place, path, name))
    return found


def _find_place(package: Path, place: str) -> tuple[Path, str]:
    wanted = tuple(place.split("."))
    *parts, last = wanted
    ends = _places_by_last_name(package).get(last, [])
    found = [one for one in ends if one[0] == wanted] or [
        one for one in ends if all(part in rest for rest in [iter(one[0][:-1])] for part in parts)
    ]
    if len(found) != 1:
        names = _places_by_last_name(package)
        hint = [".".join(one[0]) for one in found or ends] or get_close_matches(last, names)
        raise StaleError(f"{place} is {len(found)} places of the program; there are {hint}")
    return found[0][1:]


# --- pieces ---------------------------------------------------------------------------------------


@dataclass
class Match:
    """What stands for a pattern's wildcards, renamed variables and left out bodies.

    Parameters
    ----------
    known : frozenset of str
        Names that mean themselves.
    variables : frozenset of str
        Those of the function, for which a name that is not known may stand.
    """

    known: frozenset[str]
    variables: frozenset[str]
    wild: dict[str, ast.expr] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    bodies: list[list[ast.stmt]] = field(default_factory=list)

    def fits(self, pattern: object, code: object) -> bool:
        """Whether code is such as the pattern; what stands for what is kept."""
        if isinstance(pattern, list):
            return isinstance(code, list) and self._fits_all(pattern, code)
        if not isinstance(pattern, ast.AST):
            return type(pattern) is type(code) and pattern == code
        if isinstance(pattern, ast.Name):
            if WILDCARD.fullmatch(pattern.id):
                return isinstance(code, ast.expr) and self._stands_for(pattern.id, code)
            if pattern.id not in self.known:
                return isinstance(code, ast.Name) and self._is_renamed(pattern.id, code.id)
        return type(pattern) is type(code) and all(
            self.fits(getattr(pattern, name, None), getattr(code, name, None))
            for name in pattern._fields
            if name not in SKIPPED
        )

    def _fits_all(self, patterns: list[ast.AST], codes: list[ast.AST]) -> bool:
        if _is_any_body(patterns) and all(isinstance(code, ast.stmt) for code in codes):
            self.bodies.append([code for code in codes if isinstance(code, ast.stmt)])
            return True
        return len(patterns) == len(codes) and all(map(self.fits, patterns, codes))

    def _stands_for(self, wildcard: str, code: ast.expr) -> bool:
        before = self.wild.setdefault(wildcard, code)
        return ast.dump(before) == ast.dump(code)

    def _is_renamed(self, name: str, to: str) -> bool:
        if name not in self.renamed and to in self.renamed.values():
            return False
        return self.renamed.setdefault(name, to) == to and to in self.variables


def _is_any_body(nodes: Sequence[ast.AST]) -> bool:
    return len(nodes) == 1 and ast.unparse(nodes[0]) == "..." and isinstance(nodes[0], ast.Expr)


Hit = tuple[Site, int, Match]  # with how many nodes of a list they are


class _Fill(ast.NodeTransformer):
    """Puts what was matched into the new code."""

    def __init__(self, match: Match) -> None:
        self.match, self.bodies = match, iter(match.bodies)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.match.wild:
            return deepcopy(self.match.wild[node.id])
        return ast.Name(self.match.renamed.get(node.id, node.id), node.ctx)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(node, name, None), list) and _is_any_body(inner):
                setattr(node, name, next(self.bodies))
        return super().generic_visit(node)


def _find_pieces(
    parents: Parents, root: ast.AST, old: list[ast.stmt], new: list[ast.stmt]
) -> list[Hit]:
    """Where the old piece is inside `root`."""
    if not old:
        return []
    around: list[ast.AST] = [root]  # with the functions outside it, whose variables it knows
    while around[-1] in parents:
        around.append(parents[around[-1]][0])
    functions = [one for one in around if isinstance(one, DEFINITIONS)]
    variables = _assigned(functions[-1]) if functions else frozenset()
    known = variables | _defined(around[-1]) | frozenset(dir(builtins))
    kinds, patterns = _read_piece(old, new)
    found = []
    for node in ast.walk(root):
        if node not in parents or not isinstance(node, kinds):
            continue
        parent, name, k = parents[node]
        is_statement = isinstance(node, ast.stmt)
        pieces = old if is_statement else patterns
        codes = [node] if k is None else getattr(parent, name)[k : k + len(pieces)]
        match = Match(known, variables)
        if len(codes) == len(pieces) and all(map(match.fits, pieces, codes)):
            found.append(((parent, name, k), len(pieces), match))
    return found


def _read_piece(
    old: list[ast.stmt], new: list[ast.stmt]
) -> tuple[tuple[type[ast.AST], ...], list[ast.AST]]:
    """What kinds of nodes a piece may be, and the pattern of what is no statement."""
    if len(old) == len(new) == 1:
        if isinstance(old[0], ast.Expr) and isinstance(new[0], ast.Expr):
            return (ast.expr,), [old[0].value]
        if (keyword := _as_keyword(old[0])) and _as_keyword(new[0]):
            return (ast.stmt, ast.keyword), [keyword]
    return (ast.stmt,), []


def _as_keyword(node: ast.stmt) -> ast.keyword | None:
    """``name=value`` of a call, which reads as an assignment."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return ast.keyword(node.targets[0].id, node.value)
    return None


def _assigned(node: ast.AST) -> frozenset[str]:
    """Names that a function defines, and those in it: variables, arguments, imports."""
    names = {one.id for one in _walk_names(node, ast.Store, ast.Del)}
    for one in ast.walk(node):
        if isinstance(one, ast.arg):
            names.add(one.arg)
        elif isinstance(one, DEFINITIONS):
            names.add(one.name)
        elif isinstance(one, ast.alias):
            names.add((one.asname or one.name).partition(".")[0])
    return frozenset(names)


def _defined(module: ast.AST) -> frozenset[str]:
    """Names of a module, without what its functions define inside."""
    assert isinstance(module, ast.Module)
    bare = [one for one in module.body if not isinstance(one, DEFINITIONS)]
    return _assigned(ast.Module(bare, [])) | {
        one.name for one in module.body if isinstance(one, DEFINITIONS)
    }


def _replace(site: Site, count: int, match: Match, new: list[ast.stmt]) -> None:
    parent, name, k = site
    filled: list[ast.AST | None] = [_Fill(match).visit(deepcopy(one)) for one in new]
    before = getattr(parent, name) if k is None else getattr(parent, name)[k]
    if isinstance(before, ast.keyword):
        filled = [_as_keyword(one) for one in filled]
    elif isinstance(before, ast.expr):
        filled = [one.value for one in filled]
    if k is None:
        setattr(parent, name, filled[0])
        return
    inner = getattr(parent, name)
    inner[k : k + count] = filled
    if not inner and name == "body":
        inner.append(ast.Pass())
