"""How calls of tools are seen: functions and tool objects that are watched, the steps of skills, and whose calls."""
