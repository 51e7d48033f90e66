"""Streams of events: one look for all spectators, and an end when the server stops."""

import asyncio

import pytest

from arena.web.streams import Channel, Event, Streams, event

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="streams look for news in real time")]


class Numbers:
    over = False

    def __init__(self):
        self.looks = 0

    def look(self):
        self.looks += 1
        self.over = self.looks == 3
        return [Event(f"{self.looks}\n", self.looks)]


async def _read(stream):
    return "".join([text async for text in stream])


async def test_spectators_of_one_thing_share_one_look():
    source, streams = Numbers(), Streams(most=3)
    texts = await asyncio.gather(*(_read(streams.follow("x", lambda: Channel(source, 0.01))) for _ in range(3)))
    assert texts == ["retry: 3000\n\n1\n2\n3\n"] * 3
    assert (source.looks, streams.count) == (3, 0)


@pytest.mark.parametrize(("known", "text"), [(2, "3\n"), (20, "")])
async def test_a_reader_is_not_sent_again_what_it_knows(known, text):
    read = await _read(Streams().follow("x", lambda: Channel(Numbers(), 0.01), known))
    assert read.removeprefix("retry: 3000\n\n") == text


async def test_a_reader_hears_that_it_is_over_however_much_it_knows():
    class Ending:
        over = False

        def look(self):
            self.over = True
            return [event("again", {})]

    read = await _read(Streams().follow("x", lambda: Channel(Ending(), 0.01), known=20))
    assert read == "retry: 3000\n\nevent: again\ndata: {}\n\n"


async def test_a_newer_event_on_the_same_subject_takes_the_place_of_the_older():
    channel = Channel(Numbers(), 1.0)
    channel.publish([Event("a1", subject="a"), Event("b1", subject="b"), Event("x"), Event("y")])
    assert channel.since(0, 0) == ["a1", "b1", "x", "y"]
    sent = channel.total
    channel.publish([Event("a2", subject="a")])
    assert (channel.since(sent, 0), channel.since(0, 0)) == (["a2"], ["b1", "x", "y", "a2"])


def test_a_source_that_is_pushed_is_looked_at_before_its_pause_is_over():
    async def watch():
        source, streams = Numbers(), Streams()
        reading = asyncio.create_task(_read(streams.follow("x", lambda: Channel(source, 3600.0, pushed=True))))
        while not reading.done():
            await asyncio.to_thread(streams.wake)
            await asyncio.sleep(0.001)
        return source.looks

    assert asyncio.run(asyncio.wait_for(watch(), 60)) == 3


async def test_streams_are_ended_when_the_server_stops():
    class Silent:
        over = False

        def look(self):
            return []

    streams = Streams(most=1)
    reading = asyncio.create_task(_read(streams.follow("x", lambda: Channel(Silent(), 0.01))))
    await asyncio.sleep(0.05)
    assert streams.full
    streams.stop()
    assert await asyncio.wait_for(reading, 10) == "retry: 3000\n\n"
