extension Connection {
    /// The stages from a closed to a usable connection.
    enum Phase {
        case closed, connecting, shakingHands, ready
    }

    /// The result of ``advance()``.
    enum Progress {
        /// The connection waits for the server.
        case waiting
        /// The answer is complete.
        case answered
        /// The connection could not be opened.
        case unopened
        /// The connection has ended before the answer, or while no request was under way.
        case lost
        /// The server has sent bytes that are not an answer, or bytes while no request was under way.
        case broken
    }
}
