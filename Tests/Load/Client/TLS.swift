internal import CTLS
internal import Glibc

/// The certificates that a load client trusts, and the name that the server's certificate must have. The client resumes no session:
/// every connection makes the whole handshake.
@safe package final class TLSTrust: @unchecked Sendable {
    // Unchecked because of the pointer: after init nothing changes the context, and OpenSSL counts its references itself.
    private let context: OpaquePointer
    private let serverName: String

    /// Trusts the certificates of a PEM file.
    ///
    /// OpenSSL writes to its socket with write(2), so from now on the process ignores SIGPIPE.
    ///
    /// - Throws: when OpenSSL cannot read the file.
    package init(authoritiesFile: String, serverName: String) throws(TLSFailure) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw .last() }
        unsafe rt_tls_allow_partial_writes(context)
        unsafe rt_tls_read_ahead(context)
        unsafe rt_tls_keep_no_sessions(context)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard unsafe SSL_CTX_load_verify_file(context, authoritiesFile) == 1 else {
            let failure = TLSFailure.last()
            unsafe SSL_CTX_free(context)
            throw failure
        }
        signal(SIGPIPE, SIG_IGN)
        unsafe self.context = context
        self.serverName = serverName
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// Makes a TLS connection over a connected socket, before the handshake. Returns nil when there is no memory.
    func stream(descriptor: Int32) -> TLSStream? {
        // SSL_get_error(3) looks at this thread's queue of errors, so no error of other code may be left there.
        ERR_clear_error()
        guard let connection = unsafe SSL_new(context) else { return nil }
        guard unsafe SSL_set_fd(connection, descriptor) == 1,
            unsafe rt_tls_expect_name(connection, serverName) == 1
        else {
            unsafe SSL_free(connection)
            return nil
        }
        unsafe SSL_set_connect_state(connection)
        return unsafe TLSStream(connection)
    }
}

/// OpenSSL's reason for a failure.
package struct TLSFailure: Error, CustomStringConvertible {
    /// The text of OpenSSL's error.
    package let description: String

    /// Returns the last error of this thread's queue and empties the queue.
    static func last() -> TLSFailure {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard let text = unsafe ERR_reason_error_string(code) else {
            return TLSFailure(description: "the connection ended")
        }
        return unsafe TLSFailure(description: String(cString: text))
    }
}

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

/// The result of one attempt to read or to write.
enum Transfer {
    /// So many bytes were read or written, at least one byte.
    case moved(Int)
    /// No byte can be read or written until the socket is ready.
    case blocked
    /// The server has closed the connection in order: with FIN, over TLS with close_notify.
    case ended
    /// The connection is gone.
    case failed
}
