/// Something that the operator should know, although the load does not refuse it.
public struct LoadWarning: Sendable, Hashable {
    /// The stable code of the warning.
    public let code: String
    /// A sentence for people.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
