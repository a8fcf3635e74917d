"""``python -m stopcheck``."""

from stopcheck.cli import main

if __name__ == "__main__":
    main()
