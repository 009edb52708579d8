"""The grammar of expressions against that of Lark, a parser generator."""

import random
from functools import cache

import pytest
from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken

from sim.errors import ExpressionError
from sim.functions.grammar import GRAMMAR, LENGTH, QUOTED, Token, Tree, syntax_tree

RULES = r"""
?start: sum
?sum: product (ADD product)*
?product: unary (MULTIPLY unary)*
?unary: ADD unary | power
?power: atom (POWER unary)?
?atom: NUMBER | NAME | call | "(" sum ")"
call: NAME "(" (sum (SEPARATOR sum)*)? ")"

ADD: "+" | "-"
MULTIPLY: "*" | "/"
POWER.1: "**"
SEPARATOR: "," | ":"
NUMBER: /([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?([dD](?!\w))?/
NAME: /QUOTED\.?[A-Za-z_$][A-Za-z0-9_$.]*/

COMMENT: /![^\n]*/
CONTINUATION: /&[ \t]*(![^\n]*)?(?=\r?\n)/
%ignore /\s+/
%ignore COMMENT
%ignore CONTINUATION
"""
NAMES = {GRAMMAR: "", QUOTED: '"[^"\\n]+"|'}
VALID = ["1", "2.5", "3d", ".5e-3", "TIME", "(", ")", "F(", "F()", "+", "-", "*", "/", "**", ","]
OTHERS = ["1e", "2.", "..", "A$1", ".m.p", '"tau.j-1"', '"a', " ", "\n", "\u00a0", "! c\n", "&\n",
          "& ! k\r\n", "&", ":", "^", "[", "²", "，", "d"]  # fmt: skip


@cache
def lark(grammar):
    return Lark(RULES.replace("QUOTED", NAMES[grammar]), parser="lalr", lexer="basic")


def plain(part):
    """Rules, tokens and their places; a token of Lark is a text too."""
    if isinstance(part, Tree):
        return part.rule, [plain(one) for one in part.parts]
    if isinstance(part, Token):
        return part.type, str(part), part.place
    if isinstance(part, str):
        return part.type, str(part), part.start_pos
    return str(part.data), [plain(one) for one in part.children]


def texts(count):
    choose = random.Random(1)
    for k in range(count):
        pieces = VALID if k % 3 else VALID + OTHERS
        yield "".join(choose.choices(pieces, k=choose.randint(1, 9)))


@pytest.mark.parametrize("grammar", NAMES)
def test_trees_are_those_of_lark_and_the_same_texts_are_refused(grammar):
    accepted = 0
    for text in [*texts(1500), "-2**-3*4+-x**2/F(1,(2),G())", "((1))**((2))", "F((1,2))"]:
        try:
            expected = plain(lark(grammar).parse(text))
        except UnexpectedInput as error:
            with pytest.raises(ExpressionError) as raised:
                syntax_tree(text, grammar)
            if not isinstance(error, UnexpectedToken) or error.token.type != "$END":
                assert raised.value.position == error.pos_in_stream, text
        else:
            assert plain(syntax_tree(text, grammar)) == expected, text
            accepted += 1
    assert accepted > 100


def test_nesting_costs_no_calls():
    deep = (LENGTH - 1) // 2
    assert syntax_tree("(" * deep + "1" + ")" * deep) == "1"
    with pytest.raises(ExpressionError, match="this parenthesis is not closed"):
        syntax_tree("(" * deep + "1")
