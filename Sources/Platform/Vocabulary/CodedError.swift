/// An error with a code that never changes, because clients, alerts and golden files depend on it.
///
/// The code of an internal error is `module.kebab-reason`. A code that a problem document (RFC 9457) sends to a client is
/// a bare `kebab-reason`. Codes are never renamed and never reused.
public protocol CodedError: Error, Sendable {
    /// The stable code.
    var code: String { get }
}
