// Endpoints.
