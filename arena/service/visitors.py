"""Whoever sends a request: where from, and as whom."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from arena.contest.people import Person
from arena.service.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody at the door, with or without an account."""

    address: str = ""
    """From where; of IPv6 the network, since everybody there has many addresses."""
    person: Person | None = None
    form_token: str = ""
    """Stands in every form for this session; empty without one."""
    session: str = ""
    """The name of the session, for its end only."""

    @property
    def known(self) -> Person:
        """The person; Refusal if there is none."""
        if self.person is None:
            raise Refusal(403, "Log in first")
        return self.person


def visitor_of(request: HTTPConnection) -> Visitor:
    """Who sent this request, as far as that was found out."""
    return getattr(request.state, "visitor", None) or Visitor()
