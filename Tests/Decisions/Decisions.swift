// Decisions.
