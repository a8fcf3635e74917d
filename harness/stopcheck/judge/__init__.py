"""What the contract requires, and the checks that read a record for it."""
