// Supervisor.
