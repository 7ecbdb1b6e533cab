public import HTTPClient
public import NotificationStore

/// Sends requests, many at once. ``HTTPClient`` does so; tests have another transport.
public protocol ForwardTransport {
    /// Begins a request; see ``HTTPClient/begin(_:number:)``.
    func begin(_ request: HTTPRequest, number: Int) throws(HTTPClientError)

    /// Does what can be done without waiting, and hands over the answers that have come; see ``HTTPClient/advance(_:)``.
    func advance(_ finished: (Int, Result<HTTPResponse, HTTPClientError>) -> Void) throws(HTTPClientError)

    /// Waits until something can be done, or until the time is over.
    func wait(milliseconds: Int32) throws(HTTPClientError)
}

extension HTTPClient: ForwardTransport {}

extension ForwardReceiver {
    /// Returns the request with the body that Apple sent.
    public func request(_ jws: [UInt8]) -> HTTPRequest {
        .postJSON(Array(#"{"signedPayload":""#.utf8) + jws + Array(#""}"#.utf8), to: url)
    }
}

/// Something that happened to a receiver, for the log.
public enum ForwardEvent: Sendable, Hashable {
    /// An attempt failed. `reason` is a code of the client, or `status` with the number of the answer. The notification is
    /// sent again after that many milliseconds.
    case failed(host: String, reason: String, milliseconds: Int64)
    /// The receiver refused a notification so often that it is set aside, and the next one is sent.
    case setAside(host: String, id: Int64, status: Int)
    /// The receiver answers again.
    case recovered(host: String)
    /// The row cannot be rebuilt, so nobody can pass it on.
    case damaged(host: String, id: Int64)
    /// The store cannot be read now. It is tried again after that many milliseconds.
    case storeFailed(code: String, milliseconds: Int64)
}
