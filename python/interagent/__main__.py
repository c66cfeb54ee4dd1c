"""`python -m interagent` is the program `interagent`."""

from .cli import main

if __name__ == "__main__":
    main()
