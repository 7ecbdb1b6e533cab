// Cryptography.
