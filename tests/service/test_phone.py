"""A teacher's contest used by a student on a phone: log in, hand in, see what becomes of it; light and dark."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from arena.contest.submissions import BUILDING, REFUSED, Submissions
from tests.kits.contests import make_cup
from tests.web.browser import Watched, launched, violations
from tests.web.sites import free_port

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser follows a submission")]

STILL = {"reduced_motion": "reduce"}
"""Colours that change slowly would be measured on their way."""
PHONE = STILL | {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PICTURES = os.environ.get("ARENA_PICTURES")
"""A folder for pictures of every page, to be looked at."""


@contextmanager
def started(folder):
    """The address of a real web process."""
    port = free_port()
    command = [sys.executable, "-m", "arena.service", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        line = process.stdout.readline()
        assert "serving on" in line, line + process.stdout.read()
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.send_signal(signal.SIGINT)
        left = process.communicate(timeout=60)[0]
    assert (process.returncode, left) == (0, "")


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def watched(browser):
    pages = Watched(browser)
    yield pages
    pages.close()
    # A refused login is an answer that the browser notes as an error.
    assert [error for error in pages.errors if "403" not in error] == []
    assert [url for url in pages.requests if not url.startswith("http://127.0.0.1")] == []


def look(page, name, schemes=("light",)):
    """No fault of accessibility, nothing wider than the screen."""
    for scheme in ("light", "dark") if PICTURES else schemes:
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/{name}-{scheme}-{page.viewport_size['width']}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_a_student_hands_in_a_bot_on_a_phone_and_the_teacher_sees_it(tmp_path, watched):
    cup = make_cup(tmp_path / "cup", about="Who writes the best bot of the course?")
    bot = tmp_path / "my_bot.tar.gz"
    bot.write_bytes(b"not looked at here" * 10_000)
    database = cup.contest.open_people()
    queue = Submissions(database)
    with started(cup.contest.folder) as address:
        page = watched.open(address, ready="main", **PHONE)
        look(page, "home")
        page.get_by_role("main").get_by_role("link", name="Log in").click()
        page.get_by_label("Token").fill("arena-mistyped")
        page.get_by_role("button", name="Log in").click()
        page.get_by_text("Nobody has this token").wait_for()
        look(page, "login")
        page.get_by_label("Token").fill(cup.tokens["alice"])
        page.get_by_role("button", name="Log in").click()
        page.get_by_text("What went wrong").or_(page.get_by_text("Nothing yet")).first.wait_for()
        page.get_by_role("main").get_by_role("link", name="Hand in a bot").click()
        page.get_by_text("Name, version and games").click()
        page.get_by_label("Version").fill("2")
        look(page, "submit")
        page.get_by_label("File").set_input_files(bot)
        page.get_by_role("button", name="Hand in").click()
        page.get_by_text("waits, and is the next").wait_for()
        # It goes on by itself, and ends with the reason.
        claimed = queue.claim(epoch=1)
        queue.step(claimed.id, 1, BUILDING, "its build command runs")
        page.get_by_text("its build command runs").wait_for(timeout=20_000)
        output = "bot.py: line 3: NameError: name 'legal' is not defined"
        queue.decide(claimed.id, 1, REFUSED, "it made an illegal move in its first match", output=output)
        page.get_by_text("NameError").wait_for(timeout=20_000)
        look(page, "submission-refused", ("light", "dark"))
        page.get_by_role("link", name="Mine").first.click()
        page.get_by_text("it made an illegal move").wait_for()
        look(page, "mine")
        page.get_by_role("button", name="Log out").click()
        page.get_by_role("main").get_by_role("link", name="Log in").wait_for()

        # The code on a card fills the form, and its token stays in no address.
        teacher = watched.open(f"{address}login.html#{cup.tokens['lee']}", ready="main", **STILL)
        teacher.wait_for_function("() => !location.hash")
        assert teacher.get_by_label("Token").input_value() == cup.tokens["lee"]
        teacher.get_by_role("button", name="Log in").click()
        teacher.get_by_role("heading", name="People").wait_for()
        look(teacher, "organiser")
        teacher.get_by_role("button", name="New token for alice").click()
        teacher.get_by_text("shown once").wait_for()
        look(teacher, "token")
        teacher.get_by_role("link", name="Go on").click()
        teacher.get_by_role("link", name="All of it").click()
        teacher.get_by_text("renew token").wait_for()
        look(teacher, "audit")
    database.dispose()


def test_without_scripts_the_form_works_too(tmp_path, watched):
    cup = make_cup(tmp_path / "cup")
    bot = tmp_path / "my_bot.zip"
    bot.write_bytes(b"x" * 1000)
    with started(cup.contest.folder) as address:
        page = watched.open(f"{address}login.html", ready="main", java_script_enabled=False)
        page.get_by_label("Token").fill(cup.tokens["carol"])
        page.get_by_role("button", name="Log in").click()
        page.goto(f"{address}submit.html")
        page.get_by_label("File").set_input_files(bot)
        page.get_by_role("button", name="Hand in").click()
        assert page.url == f"{address}submissions/1.html"
        assert "waits, and is the next" in page.inner_text("main")
        page.get_by_role("button", name="Cancel").click()
        assert "cancelled" in page.inner_text("main")
