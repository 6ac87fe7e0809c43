"""What a hand can hold: the stage, the inputs, the address, goals, guesses and what can be taken away."""
