/// How ``FastCGIServer`` treats a request that has arrived. The classifier of the server says so, before libfcgi has
/// read the request.
public enum RequestClass: Sendable, Hashable {
    /// The request is answered at once: the answer costs little.
    case prompt
    /// The request waits until all older requests are answered. It was received at this time, in milliseconds since
    /// 1970; nil stands for the moment at which the server learned of the request.
    case queued(receivedMilliseconds: Int64?)
}

/// A whole request on a connection that waits for its turn.
struct WaitingRequest {
    let arrived: FastCGIRequest.Arrived
    /// True when the client keeps the connection.
    let keepsConnection: Bool
    /// Its place in the queue: when the request was received, in milliseconds since 1970.
    var received: Int64
    /// When the server learned of the request.
    let wallMilliseconds: Int64
    let monotonicNanoseconds: UInt64
}
