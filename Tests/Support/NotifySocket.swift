internal import CLinux
internal import Glibc
internal import System

/// The datagram socket on which systemd gets the messages of a service (sd_notify(3)). In a test it takes systemd's
/// place.
package final class NotifySocket {
    package let path: String
    private let descriptor: FileDescriptor

    package init(path: String) throws {
        self.path = path
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemCallError(call: "socket", Errno(rawValue: errno)) }
        descriptor = FileDescriptor(takingOwnership: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemCallError(call: "bind", Errno(rawValue: errno)) }
    }

    package func next(timeoutMilliseconds: Int32 = 20_000) throws -> [String]? {
        let ready = try Readiness.wait(for: [descriptor.number], timeoutMilliseconds: timeoutMilliseconds)
        guard !ready.isEmpty else { return nil }
        var block = [UInt8](repeating: 0, count: 4096)
        let count = try descriptor.read(into: &block)
        return String(decoding: block[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    package func wait(for line: String) throws -> [String]? {
        while let lines = try next() { if lines.contains(line) { return lines } }
        return nil
    }
}
