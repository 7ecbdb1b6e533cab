public import Testing

/// One body of a notification, good or bad, and what must become of it.
public struct NotificationZooRow: Sendable, CustomTestStringConvertible {
    /// What is wrong with the body, or odd about it.
    public let name: String
    /// The HTTP status of the answer; 200 when the notification is stored.
    public let status: Int
    /// The stable code of the refusal; nil when the notification is accepted.
    public let code: String?
    /// The codes of the parts that fail their own check, by the names of their members.
    public var failedParts: [String: String] = [:]
    /// The members of the notification whose values cannot be used.
    public var unusable: [String] = []
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

    /// Makes a row for a body that the service accepts.
    public init(
        accepted name: String, failedParts: [String: String] = [:], unusable: [String] = [],
        _ body: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        status = 200
        code = nil
        self.failedParts = failedParts
        self.unusable = unusable
        self.body = body
    }

    public var testDescription: String { name }
}

/// Notifications of every kind, with what must become of them.
public enum NotificationZoo {
    /// The rows of ``Zoo`` that are refused before anybody looks at the certificates. They hold for notifications, too.
    public static var common: [ZooRow] { (Zoo.json + Zoo.compact + Zoo.header).filter { $0.code != nil } }

    public static var rows: [NotificationZooRow] {
        version1 + payload + identity + otherObjects + time + parts + foreignParts + unknown + sizes
    }
}
