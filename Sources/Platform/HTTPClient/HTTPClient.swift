// HTTPClient.
