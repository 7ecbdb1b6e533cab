/// What a ``LoadClient`` is to send.
public struct LoadPlan: Sendable {
    /// The port on 127.0.0.1.
    public var port: UInt16
    /// Kept connections.
    public var connections: Int
    /// Whole HTTP requests, taken in turn.
    public var requests: [[UInt8]]
    /// Changes the bytes of a request before it is sent, keeping its length; the number counts requests.
    public var patch: (@Sendable (Int, inout [UInt8]) -> Void)?
    /// Requests after which nothing more is sent.
    public var requestLimit = Int.max
    /// Time after which nothing more is sent.
    public var seconds = 3600.0
    /// Requests a second from a schedule, sent whether or not earlier ones are answered as long as a connection is
    /// idle; 0 sends the next as soon as a connection is idle.
    public var ratePerSecond = 0.0
    /// An answer that takes longer is a stall, and its connection is given up.
    public var patienceSeconds = 15.0

    /// A closed loop over these requests.
    public init(port: UInt16, connections: Int, requests: [[UInt8]]) {
        self.port = port
        self.connections = connections
        self.requests = requests
    }

    /// The plan with something changed.
    public func with(_ change: (inout LoadPlan) -> Void) -> LoadPlan {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Whole HTTP/1.1 requests as bytes.
public enum PlainRequest {
    /// A POST of JSON to a path, with more header lines if wanted.
    public static func post(_ path: String, _ body: [UInt8], headers: [String] = []) -> [UInt8] {
        var lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
        lines += ["Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// A GET of a path.
    public static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }
}
