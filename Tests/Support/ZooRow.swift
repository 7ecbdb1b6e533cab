public import Testing

/// One request body, good or bad, and the answer it must get.
public struct ZooRow: Sendable, CustomTestStringConvertible {
    /// What is wrong with the body, or odd about it.
    public let name: String
    /// The HTTP status of the answer.
    public let status: Int
    /// The problem's stable code; nil when the request is accepted and the rules answer.
    public let code: String?
    public let body: @Sendable (ZooForge) throws -> [UInt8]

    /// Makes a row for a body that the service refuses.
    public init(
        _ name: String, _ status: Int, _ code: String,
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.body = body
    }

    /// Makes a row for a body that looks odd and that the service accepts.
    public init(accepted name: String, _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]) {
        self.name = name
        status = 200
        code = nil
        self.body = body
    }

    public var testDescription: String { name }
}

/// Bad input of every kind, with the expected answers. Rows that need a whole HTTP request are in ``transport``.
public enum Zoo {
    public static var bodies: [ZooRow] {
        json + compact + header + certificates + chain + signature + payload + identity
    }
}
