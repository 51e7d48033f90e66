"""`arena doctor`: what this machine can enforce."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.markup import escape

from arena import registry
from arena.cli.options import json_option
from arena.cli.output import narrow_table, print_json
from arena.sandboxes.doctor import Finding, Status, examine

_COLOURS = {Status.OK: "green", Status.WEAK: "yellow", Status.FORBIDDEN: "red", Status.MISSING: "red"}
_SANDBOXES = {"bubblewrap": "a whole sandbox", "docker": "docker daemon", "gvisor": "gVisor"}
"""Which line says whether a kind of sandbox can be used at all."""


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Show what this machine can enforce, and how to fix what it cannot.

    The exit code is 1 if neither bubblewrap nor docker can hold a bot here.
    """
    findings = examine()
    sandboxes = usable(findings)
    rules = "compiled" if registry.compiled() else "interpreted"
    if as_json:
        lines = [
            {"name": f.name, "status": f.status.value, "found": f.found, "reason": f.reason, "remedy": f.remedy}
            for f in findings
        ]
        print_json({"sandboxes": sandboxes, "rules": rules, "findings": lines})
    else:
        _show(findings)
        click.echo(f"sandboxes that can be used here: {', '.join(sandboxes) or 'none'}")
        click.echo(f"the rules of the games are {rules}")
    ctx.exit(0 if sandboxes else 1)


def usable(findings: Sequence[Finding]) -> list[str]:
    """The kinds of sandbox that can hold a bot here."""
    holding = {finding.name for finding in findings if finding.status in (Status.OK, Status.WEAK)}
    return [kind for kind, line in _SANDBOXES.items() if line in holding]


def _show(findings: Sequence[Finding]) -> None:
    table = narrow_table("what", "status", "found, what it means, and the remedy")
    before = ""
    for finding in findings:
        colour = _COLOURS[finding.status]
        lines = [escape(finding.found)]
        if finding.reason:
            lines.append(f"[{colour}]{escape(finding.reason)}[/]")
        if finding.remedy:
            lines.append(f"remedy: {'as above' if finding.remedy == before else escape(finding.remedy)}")
        before = finding.remedy
        table.add_row(finding.name, f"[{colour}]{finding.status.value}[/]", "\n".join(lines))
    Console().print(table)
