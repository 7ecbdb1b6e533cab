/// Something that a load does not refuse but somebody should know.
public struct LoadWarning: Sendable, Hashable {
    /// A stable code.
    public let code: String
    /// What it is about, for people.
    public let message: String

    /// Makes one.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
