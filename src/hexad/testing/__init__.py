"""For those who build on Hexad: the contract that every store keeps, and a clock that tests move."""
