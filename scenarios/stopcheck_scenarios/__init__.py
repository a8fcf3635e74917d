"""The acceptance cases of the contract, a page each, written as a vendor would write theirs."""
