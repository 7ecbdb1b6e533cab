// Answers.
