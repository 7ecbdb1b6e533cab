// Vocabulary.
