"""How octavo-nano is made: synthetic crops with exact truth, training, evaluation, export."""
