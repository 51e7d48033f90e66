"""What tests of pages share."""

import pytest

from tests.web.browser import Watched, launched


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def watched(browser):
    """Opens pages; afterwards none of them may have had an error or asked another host for anything."""
    pages = Watched(browser)
    yield pages
    pages.close()
    assert pages.errors == []
    assert [url for url in pages.requests if not url.startswith(("file:", "data:", "http://127.0.0.1"))] == []
