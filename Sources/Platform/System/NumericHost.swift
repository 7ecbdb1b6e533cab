internal import CLinux
internal import Glibc

/// An IPv4 or IPv6 address in numeric form. Names are never looked up.
public struct NumericHost: Sendable, Hashable {
    /// The 4 or 16 bytes of the address, in network order.
    public let bytes: [UInt8]

    /// Parses `127.0.0.1` or `::1`, as inet_pton(3) does. Nil for anything else, such as a name or brackets.
    public init?(_ text: String) {
        guard let bytes = Self.parse(text, AF_INET, 4) ?? Self.parse(text, AF_INET6, 16) else { return nil }
        self.bytes = bytes
    }

    /// True when only this machine can reach the address: 127.0.0.0/8, `::1`, and 127.0.0.0/8 mapped into IPv6.
    public var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped && bytes[12] == 127
    }

    private static func parse(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe text.withCString { name in
            unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, name, $0.baseAddress) }
        }
        return result == 1 ? bytes : nil
    }
}
