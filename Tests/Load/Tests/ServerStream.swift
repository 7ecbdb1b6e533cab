import CTLS
import Glibc

/// The server's end of one connection, plain or TLS, with blocking calls. `deinit` closes the connection in order: with
/// close_notify over TLS, and with FIN.
@safe final class ServerStream {
    private let socket: Int32
    private let tls: OpaquePointer?
    private var pending: [UInt8] = []

    /// Takes ownership of a socket and performs the TLS handshake. Returns nil when the handshake fails.
    init?(_ socket: Int32, certificate: TLSServerFiles?) {
        self.socket = socket
        // The kernel sends each piece of an answer at once.
        var one: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard let certificate else {
            unsafe tls = nil
            return
        }
        unsafe tls = certificate.accept(socket)
        if unsafe tls == nil {
            close(socket)
            return nil
        }
    }

    deinit {
        if let tls = unsafe tls {
            unsafe SSL_shutdown(tls)
            unsafe SSL_free(tls)
        }
        // close(2) alone would send a reset instead of FIN when bytes of the client are unread.
        shutdown(socket, Int32(SHUT_WR))
        close(socket)
    }

    /// Reads one request with its body. Returns false when the client has closed the connection.
    func readRequest() -> Bool {
        while true {
            if let length = Self.requestLength(pending) {
                pending.removeFirst(length)
                return true
            }
            var block = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe block.withUnsafeMutableBytes { room in
                if let tls = unsafe tls {
                    return Int(unsafe SSL_read(tls, room.baseAddress, Int32(room.count)))
                }
                return unsafe recv(socket, room.baseAddress, room.count, 0)
            }
            guard count > 0 else { return false }
            pending += block[..<count]
        }
    }

    /// Holds back all written bytes until the connection ends (TCP_CORK in tcp(7)).
    func cork() {
        var one: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Writes all bytes. Returns false when that fails.
    func write(_ bytes: [UInt8]) -> Bool {
        let count = unsafe bytes.withUnsafeBytes { block in
            if let tls = unsafe tls {
                return Int(unsafe SSL_write(tls, block.baseAddress, Int32(block.count)))
            }
            return unsafe send(socket, block.baseAddress, block.count, Int32(MSG_NOSIGNAL))
        }
        return count == bytes.count
    }

    /// Returns the length of the first request in these bytes; nil when the request is not complete.
    private static func requestLength(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let head = text.firstRange(of: "\r\n\r\n") else { return nil }
        let count = text[..<head.upperBound].utf8.count
        let field = text[..<head.lowerBound].firstMatch(of: /Content-Length: ([0-9]+)/)
        let length = count + (field.flatMap { Int($0.1) } ?? 0)
        return bytes.count >= length ? length : nil
    }
}
