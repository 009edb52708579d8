"""States of a deck as an element integrated with the motion."""

from __future__ import annotations

from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_reactions import Forces
from sim.decks.deck_requests import DeckRequests
from sim.decks.linear_systems import StateSystem
from sim.decks.statements import Statement
from sim.dynamics.force import VForce
from sim.dynamics.sforce import SForce
from sim.dynamics.states import States
from sim.errors import DeckError, SimError


def deck_systems(
    functions: DeckFunctions, forces: Forces, requests: DeckRequests
) -> tuple[tuple[tuple[Statement, States], ...], tuple[str, ...]]:
    """Return the states, if any, and notes on those that are unsupported or not read.

    Raises
    ------
    DeckError
        If the rate of a state that a force or a request reads is unsupported.
    """
    single = {one.id: force for one, force in forces if isinstance(force, SForce)}
    reading = [force.names for _, force in forces if isinstance(force, SForce | VForce)]
    reading += [request.names for _, request in requests.requests]
    states_read = {name for names in reading for name in names.shared}
    failed = list(dict.fromkeys(functions.states.failed.values()))
    valid = list[StateSystem]()

    def states_of(*systems: StateSystem) -> States:
        names = [name for system in systems for name in system.rates]
        return States(functions.names_of_states(names, single))

    systems = [one for one in functions.states.systems if one.rates]
    try:  # all at once: one by one each would repeat the readings of the others
        states = states_of(*systems) if systems else None
    except SimError:
        pass
    else:
        notes = tuple(f"{error}; nothing reads it" for error in failed)
        return (() if states is None else ((systems[0].statement, states),)), notes
    for system in systems:
        try:
            states_of(system)
            valid.append(system)
        except SimError as error:
            label = system.statement.label
            refusal = error if isinstance(error, DeckError) else DeckError(f"{label}: {error}")
            if states_read & system.rates.keys():
                raise refusal from None
            failed.append(refusal)
    notes = tuple(f"{error}; nothing reads it" for error in failed)
    return (((valid[0].statement, states_of(*valid)),) if valid else ()), notes
