"""Channels of scenarios and decks by the analytic model alone."""

from sim.decks import deck_model
from sim.simulation import build_problem
from sim.simulation.model_answer import model_answer
from sim.simulation.table import table


def solved(scenario):
    problem = build_problem(scenario)
    (answer,) = model_answer(problem)
    return table(problem, answer)


def solved_deck(text, duration, dt=0.1):
    return solved(deck_model(text).scenario(duration, dt))
