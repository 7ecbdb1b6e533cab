internal import JSON

/// The form that a string in the configuration must have.
struct ConfigurationText: Sendable {
    /// The words that complete the message "must be …".
    let expected: String
    /// The form as a regular expression. ``byteLimit`` is the greatest length in bytes.
    let pattern: String
    let byteLimit: Int
    let accepts: @Sendable (String) -> Bool

    /// The form as members of a JSON Schema.
    var schema: [(String, JSONNode)] {
        [
            ("type", .string("string")), ("pattern", .string(pattern)),
            ("maxLength", .integer(Int64(byteLimit))),
        ]
    }

    /// An absolute path, so that its meaning does not depend on the directory in which a process was started.
    static let absolutePath = ConfigurationText(
        expected: "an absolute path, such as \"/var/lib/retentiond\"", pattern: "^/",
        byteLimit: ConfigurationLimits.pathBytes
    ) {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= ConfigurationLimits.pathBytes
            && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    static let account = word(of: "._$-", "the name of a user or group")

    /// A bundle ID, in the sense of App Store Connect.
    static let bundleIdentifier = word(of: "._-", "a bundle ID, such as \"com.example.app\"")

    static let notificationType = word(of: "_", "a notificationType, such as \"DID_RENEW\"")

    /// An environment from which notifications come.
    static let storeEnvironment = ConfigurationText(
        expected: "\"Production\" or \"Sandbox\"", pattern: "^(Production|Sandbox)$",
        byteLimit: ConfigurationLimits.nameBytes
    ) { ["Production", "Sandbox"].contains($0) }

    /// An identifier that App Store Connect gave.
    static let identifier = word(of: "-", "an identifier of App Store Connect")

    /// Returns the form of a string of letters, digits and the characters in `others`. A hyphen must stand last in
    /// `others`, because the pattern has them in brackets.
    private static func word(of others: StaticString, _ expected: String) -> ConfigurationText {
        ConfigurationText(
            expected: expected, pattern: "^[A-Za-z0-9\(others)]+$", byteLimit: ConfigurationLimits.nameBytes
        ) { isWord($0, with: others) }
    }

    private static func isWord(_ text: String, with others: StaticString) -> Bool {
        let others = others.description.utf8
        return !text.isEmpty && text.utf8.count <= ConfigurationLimits.nameBytes
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.contains(byte)
                }
            }
    }
}
