// Loader.
