/// Receives the content of a request's streams from a ``FramingCheck``, without record headers and padding.
protocol ContentSink {
    /// The check calls this when BEGIN_REQUEST is well-formed, before the streams.
    mutating func begin(requestID: UInt16, keepsConnection: Bool)

    /// The check calls this with the next bytes of a stream.
    mutating func append(_ content: Span<UInt8>, to stream: RequestStream)

    /// The check calls this when a stream has ended.
    mutating func end(_ stream: RequestStream)
}

/// The streams of a request, with the numbers of their record types (FastCGI Specification 1.0, section 8).
enum RequestStream: UInt8, Sendable, Hashable {
    case parameters = 4
    case standardInput = 5
}

/// Ignores the content. Used for a look at bytes that stay in the socket.
struct NoSink: ContentSink {
    mutating func begin(requestID: UInt16, keepsConnection: Bool) {}
    mutating func append(_ content: Span<UInt8>, to stream: RequestStream) {}
    mutating func end(_ stream: RequestStream) {}
}

/// A request that is rewritten from its content in the plainest form: no padding, reserved bytes zero, records as long
/// as possible. It contains no received header and no received padding, so libfcgi can read nothing that the check has
/// not understood.
struct PlainRequest: ContentSink {
    /// The records so far. They are a whole request once both streams have ended.
    private(set) var bytes: [UInt8] = []
    /// True when the body was longer than the limit, so that its end is missing.
    private(set) var isCut = false

    /// The most bytes of body that are kept.
    private let bodyByteCountLimit: Int
    private var requestID: UInt16 = 0
    private var bodyByteCount = 0
    /// The record that still takes content: its stream, the position of its header, and the length of its content.
    private var open: (stream: RequestStream, header: Int, byteCount: Int)?

    /// The most content of one record: the largest multiple of 8 below 65,536.
    private static let recordByteCount = 65_528

    init(bodyByteCountLimit: Int = FastCGILimits.bodyByteCount) {
        self.bodyByteCountLimit = bodyByteCountLimit
    }

    mutating func begin(requestID: UInt16, keepsConnection: Bool) {
        self.requestID = requestID
        appendHeader(type: 1, byteCount: 8)
        bytes.append(contentsOf: [0, 1, keepsConnection ? 1 : 0, 0, 0, 0, 0, 0])
    }

    mutating func append(_ content: Span<UInt8>, to stream: RequestStream) {
        var kept = content.count
        if stream == .standardInput {
            kept = min(kept, bodyByteCountLimit - bodyByteCount)
            bodyByteCount += kept
            if kept < content.count { isCut = true }
        }
        var position = 0
        while position < kept {
            var record = openRecord(of: stream)
            let count = min(kept - position, Self.recordByteCount - record.byteCount)
            let piece = content.extracting(position..<position + count)
            unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            position += count
            record.byteCount += count
            bytes[record.header + 4] = UInt8(record.byteCount >> 8)
            bytes[record.header + 5] = UInt8(record.byteCount & 0xff)
            open = record
        }
    }

    mutating func end(_ stream: RequestStream) {
        open = nil
        appendHeader(type: stream.rawValue, byteCount: 0)
    }

    /// Returns the record that takes the next content of `stream`; starts a new record when the last one is full.
    private mutating func openRecord(
        of stream: RequestStream
    ) -> (stream: RequestStream, header: Int, byteCount: Int) {
        if let open, open.stream == stream, open.byteCount < Self.recordByteCount { return open }
        let header = bytes.count
        appendHeader(type: stream.rawValue, byteCount: 0)
        return (stream, header, 0)
    }

    /// Appends a record header: version, type, request number (2), content length (2), padding length, reserved;
    /// big-endian.
    private mutating func appendHeader(type: UInt8, byteCount: UInt16) {
        let (number, count) = (requestID, byteCount)
        bytes.append(contentsOf: [
            1, type, UInt8(number >> 8), UInt8(number & 0xff), UInt8(count >> 8), UInt8(count & 0xff), 0, 0,
        ])
    }
}
