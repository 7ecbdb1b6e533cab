/// What one attempt to read or to write came to.
enum Transfer {
    /// So many bytes were moved, at least one.
    case moved(Int)
    /// Nothing can be moved until the socket is ready.
    case blocked
    /// The other end has ended the stream in the proper way.
    case ended
    /// The connection is gone.
    case failed
}
