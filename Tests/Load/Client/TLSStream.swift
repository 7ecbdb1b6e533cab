internal import CTLS

/// One TLS connection over a non-blocking socket. The socket belongs to the ``Connection``, which also closes it.
@safe final class TLSStream {
    /// The result of one step of the handshake.
    enum Handshake {
        case done
        /// The handshake goes on when the socket is ready.
        case blocked
        case failed
    }

    private let connection: OpaquePointer
    /// Why the handshake failed.
    private(set) var failure: String?

    /// Takes ownership of an `SSL`.
    init(_ connection: OpaquePointer) {
        unsafe self.connection = connection
    }

    deinit {
        unsafe SSL_free(connection)
    }

    /// Continues the handshake as far as possible without waiting.
    func shakeHands() -> Handshake {
        let result = unsafe SSL_do_handshake(connection)
        if result == 1 { return .done }
        switch unsafe SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
        default:
            let verdict = unsafe SSL_get_verify_result(connection)
            let last = TLSFailure.last().description
            failure = last
            if verdict != X509_V_OK, let text = unsafe X509_verify_cert_error_string(verdict) {
                failure = unsafe "\(last): \(String(cString: text))"
            }
            return .failed
        }
    }

    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        let count = unsafe SSL_read(connection, room.baseAddress, Int32(clamping: room.count))
        return count > 0 ? .moved(Int(count)) : reason(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        let count = unsafe SSL_write(connection, bytes.baseAddress, Int32(clamping: bytes.count))
        return count > 0 ? .moved(Int(count)) : reason(count)
    }

    /// True when OpenSSL holds bytes of the server that ``read(into:)`` has not returned. They may be an alert.
    var hasUnread: Bool { unsafe SSL_has_pending(connection) == 1 }

    private func reason(_ result: Int32) -> Transfer {
        switch unsafe SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .blocked
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            ERR_clear_error()
            return .failed
        }
    }
}
