"""Streams of events: one look for all spectators, and an end when the server stops."""

import asyncio

import pytest

from arena.web.streams import Channel, Streams

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="streams look for news in real time")]


class Numbers:
    over = False

    def __init__(self):
        self.looks = 0

    def look(self):
        self.looks += 1
        self.over = self.looks == 3
        return [f"{self.looks}\n"]


async def _read(stream):
    return "".join([text async for text in stream])


def test_spectators_of_one_thing_share_one_look():

    async def watch():
        source, streams = Numbers(), Streams(most=3)
        texts = await asyncio.gather(*(_read(streams.follow("x", lambda: Channel(source, 0.01))) for _ in range(3)))
        return texts, source.looks, streams.count

    texts, looks, left = asyncio.run(watch())
    assert texts == ["retry: 3000\n\n1\n2\n3\n"] * 3
    assert (looks, left) == (3, 0)


def test_streams_are_ended_when_the_server_stops():

    class Silent:
        over = False

        def look(self):
            return []

    async def watch():
        streams = Streams(most=1)
        reading = asyncio.create_task(_read(streams.follow("x", lambda: Channel(Silent(), 0.01))))
        await asyncio.sleep(0.05)
        assert streams.full
        streams.stop()
        return await asyncio.wait_for(reading, 10)

    assert asyncio.run(watch()) == "retry: 3000\n\n"
