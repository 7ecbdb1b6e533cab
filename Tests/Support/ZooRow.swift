public import Testing

/// One request body, good or bad, and the answer it must get.
public struct ZooRow: Sendable, CustomTestStringConvertible {
    /// What is wrong with it.
    public let name: String
    /// The HTTP status.
    public let status: Int
    /// The problem's stable code; nil when the request is accepted and the rules answer.
    public let code: String?
    /// Makes the body.
    public let body: @Sendable (ZooForge) throws -> [UInt8]

    /// A body that is refused.
    public init(
        _ name: String,
        _ status: Int,
        _ code: String,
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.body = body
    }

    /// A body that looks odd and is accepted.
    public init(accepted name: String, _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]) {
        self.name = name
        status = 200
        code = nil
        self.body = body
    }

    /// The name.
    public var testDescription: String { name }
}

/// Bad input of every kind, with what it is answered. Rows that need a whole HTTP request are in ``transport``.
public enum Zoo {
    /// Every body.
    public static var bodies: [ZooRow] {
        json + compact + header + certificates + chain + signature + payload + identity
    }
}
