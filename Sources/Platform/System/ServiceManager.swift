internal import CLinux
internal import Glibc

/// Sends notifications to systemd, or to another manager that set NOTIFY_SOCKET (sd_notify(3)), without libsystemd.
public struct ServiceManager: Sendable {
    private let name: [UInt8]?

    /// Takes the manager's socket from the environment. Without NOTIFY_SOCKET no notification is sent.
    public init() {
        let value = ProcessEnvironment.value(of: "NOTIFY_SOCKET").map { Array($0.utf8) }
        // The value is a path, or an abstract name: that is written with @ and begins with a zero byte.
        name = value.flatMap { $0.first == UInt8(ascii: "/") || $0.first == UInt8(ascii: "@") ? $0 : nil }
    }

    /// Sends lines such as `READY=1`. It is not an error when no manager listens.
    public func notify(_ lines: [String]) {
        guard let name else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: name)
            if name.first == UInt8(ascii: "@") { unsafe bytes[0] = 0 }
        }
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return }
        let owner = FileDescriptor(takingOwnership: number)
        let text = Array(lines.joined(separator: "\n").utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(offset + name.count)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(owner.number, text, text.count, flags, $0, length)
            }
        }
    }
}
