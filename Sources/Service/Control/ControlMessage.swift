/// What a supervisor and its worker say to each other over their message socket: one byte for the kind, then the
/// payload, if the kind has one.
///
/// Neither side answers: a message is a statement. The end of the socket is one too: a worker that reads it
/// finishes what it has and exits; a supervisor that reads it waits for the worker's exit status.
public enum ControlMessage: Sendable, Hashable {
    /// Worker: it has opened its generation, warmed its caches and accepts connections from now on.
    case ready
    /// Supervisor: stop accepting, finish, exit with 0; what is not finished after this time is given up. Said again
    /// with less time when there is less patience.
    case drain(milliseconds: UInt32)
    /// Worker: it has answered as many requests as `maxRequests` allows and would like to be replaced. It goes on
    /// serving until it is told to drain.
    case recycle
    /// Worker: a chain (DER of three certificates, in a form only workers know) that vouched for a payload here for the
    /// first time. Supervisor: such a chain of another worker, to be verified. A hint, never trust.
    case chainHint([UInt8])
    /// Supervisor: the last hint has been sent; a worker that warms its caches need not wait for more.
    case hintsEnd

    /// No message is longer, kind included. Three certificates of Apple's are about 2.5 KB; SOCK_SEQPACKET
    /// itself takes more.
    public static let byteCountLimit = 65_536

    /// The bytes that travel.
    ///
    /// - Returns: nil when the payload is over the limit.
    public var bytes: [UInt8]? {
        let payload = payload
        guard payload.count < Self.byteCountLimit else { return nil }
        return [kind] + payload
    }

    /// Reads one message; nil when its kind is unknown, when a payload is missing or where none belongs.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0, bytes.count <= Self.byteCountLimit else { return nil }
        let payload = (1..<bytes.count).map { bytes[$0] }
        switch (bytes[0], payload.isEmpty) {
        case (1, true): self = .ready
        case (2, false):
            guard payload.count == 4 else { return nil }
            self = .drain(milliseconds: payload.reduce(0) { $0 << 8 | UInt32($1) })
        case (3, true): self = .recycle
        case (4, false): self = .chainHint(payload)
        case (5, true): self = .hintsEnd
        default: return nil
        }
    }

    private var kind: UInt8 {
        switch self {
        case .ready: 1
        case .drain: 2
        case .recycle: 3
        case .chainHint: 4
        case .hintsEnd: 5
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .ready, .recycle, .hintsEnd: []
        case .drain(let milliseconds):
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: milliseconds >> $0) }
        case .chainHint(let payload): payload
        }
    }
}
