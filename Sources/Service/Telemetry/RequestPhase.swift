/// A part of the work on one request for a retention message. The raw value is the label in the metrics.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
public enum RequestPhase: String, Sendable, Hashable, CaseIterable {
    /// The worker reads the parameters and the body.
    case read
    /// The worker verifies the payload.
    case verify
    /// The worker looks the subscriber up in the facts file.
    case facts
    /// The worker decides by the rules.
    case decide
    /// The worker signs an offer. Only requests that are answered with a signed offer have this part.
    case sign
    /// The worker writes the answer to nginx.
    case send
}
