// SignedPayloads.
