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
