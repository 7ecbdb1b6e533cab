// JSON.
