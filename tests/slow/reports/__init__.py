"""The reports that are published in ``reports/``: how they are made, and that they still are what is made."""
