"""What people bring from other languages, as one table: what they write, and what is written here."""

from __future__ import annotations

from agentl_grammar.problems import Problem
from agentl_grammar.syntax_errors.forms.form import found
from agentl_grammar.syntax_errors.forms.guards import GUARDS
from agentl_grammar.syntax_errors.forms.members import MEMBERS
from agentl_grammar.syntax_errors.forms.people import PEOPLE
from agentl_grammar.syntax_errors.forms.plans import PLANS
from agentl_grammar.syntax_errors.forms.policy import BEHIND, POLICY
from agentl_grammar.syntax_errors.forms.statements import STATEMENTS
from agentl_grammar.syntax_errors.forms.values import VALUES
from agentl_grammar.syntax_errors.place import Place

FORMS = (*GUARDS, *STATEMENTS, *POLICY, *PEOPLE, *PLANS, *MEMBERS, *VALUES)
"""The rows; the first that is written at a place is told."""


def form(place: Place) -> Problem | None:
    """Report a form of another language."""
    return found(place, FORMS)


def behind_rule(place: Place) -> Problem | None:
    """Report a word behind the tool of a rule that no other rule knows."""
    return found(place, BEHIND)
