"""A link to a bot that does what a test says."""

from arena.bots.builtin import RandomBot
from arena.errors import TimedOut
from arena.links.local import LocalLink
from arena.referee.player import STRICT, Answer
from arena.sdk import Session


class ScriptedLink:
    """A bot that plays at random until its script says something else for a call; call 0 is the start of the match.

    A step of the script is a fault, the seconds that the reply takes, or the reply itself.
    """

    def __init__(self, game, script, lag=0.0):
        self.codec = game.codec
        self.inner = LocalLink(Session(game, RandomBot(1)).handle, lambda: 0.0)
        self.script = script
        self.lag = lag
        self.asked = []
        self.told = []
        self.closed = False

    @property
    def calls(self):
        return len(self.asked)

    async def call(self, request, wait, reply_policy=STRICT):
        assert not self.closed
        step = self.script.get(self.calls)
        self.asked.append(request)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, float):
            if step > wait:
                raise TimedOut("no reply in time")
            return Answer((await self.inner.call(request, wait)).reply, step, lag=self.lag)
        if step is not None:
            return Answer(step if isinstance(step, bytes) else self.codec.write_reply(step), 0.01)
        return Answer((await self.inner.call(request, wait)).reply, 0.01)

    async def wait_frozen(self):
        assert not self.closed

    async def tell(self, request):
        assert not self.closed
        self.told.append(self.codec.read_request(request))

    async def close(self):
        self.closed = True
