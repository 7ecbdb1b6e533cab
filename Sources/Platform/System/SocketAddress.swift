internal import CLinux
internal import Glibc

struct SocketAddress {
    private var storage = sockaddr_storage()
    private var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let family: Int32

    /// Makes the address of a unix socket from its path. Throws `socket-path.too-long` beyond 107 bytes, the most that
    /// unix(7) has room for; `socket-path.invalid` for an empty path or a path with a zero byte.
    init(unixPath path: String) throws(SystemCallError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .found(.socketPathInvalid) }
        guard bytes.count <= room else {
            throw .found(.socketPathTooLong(byteCount: bytes.count, limit: room))
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        family = AF_UNIX
        store(address)
    }

    /// Makes a TCP address from a numeric IPv4 or IPv6 address and a port. IPv6 has no brackets. Throws `host.not-numeric`
    /// for anything else, also a name.
    init(host: String, port: UInt16) throws(SystemCallError) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            family = AF_INET
            store(four)
        } else if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            family = AF_INET6
            store(six)
        } else {
            throw .found(.hostNotNumeric)
        }
    }

    private mutating func store<Address>(_ address: Address) {
        byteCount = socklen_t(MemoryLayout<Address>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: address, as: Address.self) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, byteCount) }
        }
    }
}

public struct NumericHost: Sendable, Hashable {
    /// The 4 or 16 bytes of the address, in network order.
    public let bytes: [UInt8]

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
