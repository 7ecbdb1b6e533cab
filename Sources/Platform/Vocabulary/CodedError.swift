/// An error with a code that never changes: clients, alerts and golden files key on it.
///
/// A code is `module.kebab-reason` for our own errors and a bare `kebab-reason` where it is sent to a client
/// in a problem document (RFC 9457). Codes are never renamed and never reused.
public protocol CodedError: Error, Sendable {
    /// The stable code.
    var code: String { get }
}
