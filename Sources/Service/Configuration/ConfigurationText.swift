/// The form a string of the configuration must have.
struct ConfigurationText: Sendable {
    /// Completes "must be …".
    let expected: String
    let accepts: @Sendable (String) -> Bool

    /// A path that does not depend on where a process was started.
    static let absolutePath = ConfigurationText(expected: "an absolute path, such as \"/var/lib/retentiond\"")
    {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= ConfigurationLimits.pathBytes
            && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// The name or number of a user or group.
    static let account = ConfigurationText(expected: "the name of a user or group") {
        isWord($0, with: "._-$")
    }

    /// What App Store Connect calls a bundle ID.
    static let bundleIdentifier = ConfigurationText(expected: "a bundle ID, such as \"com.example.app\"") {
        isWord($0, with: ".-_")
    }

    /// An identifier App Store Connect gave.
    static let identifier = ConfigurationText(expected: "an identifier of App Store Connect") {
        isWord($0, with: "-")
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
