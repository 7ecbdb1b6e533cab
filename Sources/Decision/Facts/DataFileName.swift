/// Tells which names in `dataDirectory` are data files: `[A-Za-z0-9_-][A-Za-z0-9._-]*\.(rules\.json|facts)`. The dot files
/// under which rsync writes never match.
public enum DataFileName {
    public static func kind(of name: String) -> DataFileKind? {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, isWord(first), bytes.count <= 255,
            bytes.allSatisfy({ isWord($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        if bytes.count > 11, name.hasSuffix(".rules.json") { return .rules }
        if bytes.count > 6, name.hasSuffix(".facts") { return .facts }
        return nil
    }

    public static func isValid(_ name: String) -> Bool { kind(of: name) != nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// What a pushed file holds.
public enum DataFileKind: String, Sendable, Hashable, CaseIterable {
    /// The messages and rules of one app in one environment, with all that belongs to them.
    case rules
    /// One record for each subscriber of one app in one environment.
    case facts

    public var name: String { rawValue }
}
