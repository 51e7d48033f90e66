"""The ways not to start at all."""

import os
import sys

print("last words before the end", file=sys.stderr, flush=True)
match sys.argv[1]:
    case "import_error":
        import no_such_module  # noqa: F401
    case "exit_0":
        sys.exit(0)
    case "exit_200":
        os._exit(200)
    case "segfault":
        os.kill(os.getpid(), 11)
