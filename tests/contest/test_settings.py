"""contest.toml: written, read back, and refused in one sentence."""

from datetime import UTC, datetime

import pytest

from arena import registry
from arena.contest.people import NewPerson
from arena.contest.roster import read_roster
from arena.contest.settings import Contest, ContestSettings, make_contest, read_contest
from arena.errors import UsageError
from arena.store.sql import Store

GAMES = {"claim": None, "assassins": None}


def test_a_contest_is_read_back_as_it_was_made(tmp_path):
    settings = ContestSettings(
        'Cup "of" spring', ("claim", "assassins"), opens=datetime(2026, 11, 1, tzinfo=UTC), pseudonyms=True
    )
    made = make_contest(tmp_path / "cup", settings, registry.games())
    assert read_contest(tmp_path / "cup", GAMES) == made == Contest(tmp_path / "cup", settings)
    Store(made.results, read_only=True).close()
    assert made.uploads.stat().st_mode & 0o777 == 0o700
    (tmp_path / "cup").rename(tmp_path / "moved")
    read_contest(tmp_path / "moved", GAMES).open_people().dispose()
    with pytest.raises(UsageError, match="there is a contest in"):
        make_contest(tmp_path / "moved", settings, GAMES)


def test_it_is_open_between_its_dates():
    opens, closes = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
    settings = ContestSettings("Cup", ("claim",), opens=opens, closes=closes)
    assert [settings.is_open(datetime(2026, month, 2, tzinfo=UTC)) for month in (10, 11, 12)] == [False, True, False]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("title = 3", "title must be a text"),
        ('games = ["chess"]', "there is no game 'chess'"),
        ("games = [1]", "games must be a list of texts"),
        ('standing = "public"', "unknown key 'standing': did you mean standings?"),
        ('standings = "all"', "standings must be public, contestants or hidden"),
        ('clock = "soon"', "clock 'soon' is not understood"),
        ("quota = { waiting = 0 }", "must be 1 or more"),
        ('quota = { upload = "much" }', "'much' is not a valid size"),
        ("quota = 3", "must be a table"),
        ("opens = 2026-02-01T00:00:00Z\ncloses = 2026-01-01T00:00:00Z", "closes before it opens"),
        ("pseudonyms = 1", "pseudonyms must be a true or false"),
        ("title = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, line, complaint):
    given = ['title = "Cup"', 'games = ["claim"]']
    kept = [text for text in given if not line.startswith(text[:5])]
    (tmp_path / "contest.toml").write_text("\n".join([*kept, line]))
    with pytest.raises(UsageError, match=complaint):
        read_contest(tmp_path, GAMES)


def test_a_roster_names_people(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("\ufeffName,Display,Team\nAnn,Ann Ö.,reds\nbob,,\n", encoding="utf-8")
    assert read_roster(path) == [NewPerson("ann", "Ann Ö.", "reds"), NewPerson("bob")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,mail\nann,a@b\n", "its first line must name columns among"),
        ("name\n", "names nobody"),
        ("name\nann\nAnn\n", "line 3: ann stands there twice"),
        ("name\nann lee\n", "line 2: 'ann lee' is not a valid name"),
        ("name\nann,reds\n", "line 2: it has more cells"),
    ],
)
def test_a_roster_is_refused_with_its_line(tmp_path, text, complaint):
    path = tmp_path / "class.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        read_roster(path)
