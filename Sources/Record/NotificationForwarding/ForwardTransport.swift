public import HTTPClient

/// Sends requests. ``HTTPClient`` does so; tests have another transport.
public protocol ForwardTransport {
    /// Sends requests, at most `concurrency` at once, until `next` returns nil; see ``HTTPClient/performAll(concurrency:isOver:next:finished:)``.
    func performAll(
        concurrency: Int,
        isOver: () -> Bool,
        next: () -> HTTPRequest?,
        finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void
    ) throws(HTTPClientError) -> Int
}

extension HTTPClient: ForwardTransport {}

/// Something that happened to a receiver, for the log.
public enum ForwardEvent: Sendable, Hashable {
    /// An attempt failed. `reason` is a code of the client, or `status` with the number of the answer. The notification is
    /// sent again after that many milliseconds.
    case failed(host: String, reason: String, milliseconds: Int64)
    /// The receiver answers again.
    case recovered(host: String)
    /// The row cannot be rebuilt, so nobody can pass it on.
    case damaged(host: String, id: Int64)
    /// The store cannot be read now. It is tried again after that many milliseconds.
    case storeFailed(code: String, milliseconds: Int64)
}
