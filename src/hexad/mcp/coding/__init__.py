"""Coding agents: their hooks bring context and outcomes without a call of the model's."""
