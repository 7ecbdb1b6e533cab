/// Checks that the bytes of one connection are one whole, well-formed FastCGI request, before libfcgi sees any of them:
/// BEGIN_REQUEST (responder), PARAMS records up to an empty one, STDIN records up to an empty one. The bytes may come in
/// pieces. Source: FastCGI Specification 1.0, sections 3 to 5.
///
/// libfcgi 2.4.2 can be crashed by management records and by parameter lengths (CVE-2025-23016 and the cases that its first
/// fix left open), blocks its thread for an incomplete request, and loses pipelined requests. It takes the padding after
/// BEGIN_REQUEST and after an empty record for the next records; a request with such padding is rewritten
/// (``PlainRequest``).
public struct FramingCheck: Sendable {
    public enum Verdict: Sendable {
        case incomplete
        /// There is exactly one request and nothing after it. libfcgi may read these bytes as they are.
        case complete
        /// There is exactly one request and nothing after it, but with padding that libfcgi would take for records.
        case padded
        case refused

        var isWhole: Bool { self == .complete || self == .padded }
    }

    private enum Phase: Sendable { case begin, parameters, standardInput, ended }

    private var phase = Phase.begin
    private var requestID: UInt16 = 0
    private var header: UInt64 = 0
    private var headerByteCount = 0
    private var contentLeft = 0
    private var paddingLeft = 0
    private var begin: UInt64 = 0
    private var parameters = ParameterCheck()

    /// True when the client wants to keep the connection (FCGI_KEEP_CONN). Known once BEGIN_REQUEST is complete.
    public private(set) var keepsConnection = false
    public private(set) var bodyByteCount = 0
    private var byteCount = 0
    private var isPadded = false
    private let bodyByteCountLimit: Int

    /// The content so far, rewritten for libfcgi; nil unless the check keeps it.
    private(set) var plain: PlainRequest?

    public init(bodyByteCountLimit: Int = FastCGILimits.discardedByteCount) {
        self.bodyByteCountLimit = bodyByteCountLimit
    }

    /// Makes a check that keeps the content, of the body at most `keptByteCount` bytes.
    init(bodyByteCountLimit: Int = FastCGILimits.discardedByteCount, keptByteCount: Int) {
        self.bodyByteCountLimit = bodyByteCountLimit
        plain = PlainRequest(bodyByteCountLimit: keptByteCount)
    }

    /// Checks the next bytes. After any verdict but `incomplete` the caller must not call again.
    public mutating func consume(_ bytes: Span<UInt8>) -> Verdict {
        var position = 0
        while position < bytes.count {
            if contentLeft > 0 {
                let count = min(contentLeft, bytes.count - position)
                guard content(bytes.extracting(position..<position + count)) else { return .refused }
                position += count
                contentLeft -= count
                if contentLeft == 0, !endOfContent() { return .refused }
            } else if paddingLeft > 0 {
                let count = min(paddingLeft, bytes.count - position)
                position += count
                paddingLeft -= count
            } else if phase == .ended {
                return .refused
            } else {
                header = header << 8 | UInt64(bytes[position])
                headerByteCount += 1
                position += 1
                // Bytes that are not FastCGI are refused at the first byte, not at the eighth.
                if headerByteCount == 1, header != 1 { return .refused }
                if headerByteCount == 8, !endOfHeader() { return .refused }
            }
        }
        guard phase == .ended, paddingLeft == 0 else { return .incomplete }
        return isPadded ? .padded : .complete
    }

    /// Checks a record header: version, type, request number (2), content length (2), padding length, reserved; big-endian.
    private mutating func endOfHeader() -> Bool {
        let type = UInt8(truncatingIfNeeded: header >> 48)
        let id = UInt16(truncatingIfNeeded: header >> 32)
        contentLeft = Int(header >> 16 & 0xffff)
        paddingLeft = Int(header >> 8 & 0xff)
        header = 0
        headerByteCount = 0
        byteCount += 8 + contentLeft + paddingLeft
        let limit = FastCGILimits.requestByteCount(bodyByteCount: bodyByteCountLimit)
        guard byteCount <= limit else { return false }
        switch (phase, type) {
        case (.begin, 1):
            requestID = id
            isPadded = paddingLeft > 0
            return id != 0 && contentLeft == 8
        case (.parameters, 4), (.standardInput, 5):
            return id == requestID && (contentLeft > 0 || endOfStream())
        default: return false
        }
    }

    private mutating func content(_ bytes: Span<UInt8>) -> Bool {
        switch phase {
        case .begin:
            for index in bytes.indices { begin = begin << 8 | UInt64(bytes[index]) }
        case .parameters:
            guard parameters.consume(bytes) else { return false }
            plain?.append(bytes, to: .parameters)
        case .standardInput:
            bodyByteCount += bytes.count
            guard bodyByteCount <= bodyByteCountLimit else { return false }
            plain?.append(bytes, to: .standardInput)
        case .ended: return false
        }
        return true
    }

    /// Checks the end of a record with content. The content of BEGIN_REQUEST is: role (2), flags, reserved (5).
    private mutating func endOfContent() -> Bool {
        guard phase == .begin else { return true }
        let role = UInt16(truncatingIfNeeded: begin >> 48)
        guard role == 1 else { return false }
        keepsConnection = begin >> 40 & 1 == 1
        phase = .parameters
        plain?.begin(requestID: requestID, keepsConnection: keepsConnection)
        return true
    }

    private mutating func endOfStream() -> Bool {
        isPadded = isPadded || paddingLeft > 0
        if phase == .parameters {
            guard parameters.isWhole else { return false }
            phase = .standardInput
            plain?.end(.parameters)
        } else {
            phase = .ended
            plain?.end(.standardInput)
        }
        return true
    }
}

/// Checks name-value pairs (FastCGI Specification 1.0, section 3.4) against the limits, without keeping them.
///
/// The lengths are 31-bit numbers from outside. They are added as `Int`, which cannot overflow, and are compared with
/// the limits before anything is allocated for them.
struct ParameterCheck: Sendable {
    private enum Field: Sendable { case nameLength, valueLength, text }

    private var field = Field.nameLength
    private var lengthLeft = 0
    private var length = 0
    private var nameByteCount = 0
    private var textLeft = 0
    private var byteCount = 0
    private var pairCount = 0

    var isWhole: Bool { field == .nameLength && lengthLeft == 0 }

    mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        byteCount += bytes.count
        guard byteCount <= FastCGILimits.parameterByteCount else { return false }
        var position = 0
        while position < bytes.count {
            if field == .text {
                let count = min(textLeft, bytes.count - position)
                position += count
                textLeft -= count
                if textLeft == 0 { field = .nameLength }
                continue
            }
            let byte = bytes[position]
            position += 1
            if lengthLeft > 0 {
                length = length << 8 | Int(byte)
                lengthLeft -= 1
            } else if byte & 0x80 != 0 {
                length = Int(byte & 0x7f)
                lengthLeft = 3
            } else {
                length = Int(byte)
            }
            if lengthLeft == 0, !endOfLength() { return false }
        }
        return true
    }

    private mutating func endOfLength() -> Bool {
        if field == .nameLength {
            nameByteCount = length
            field = .valueLength
            return length <= FastCGILimits.parameterByteCount
        }
        pairCount += 1
        textLeft = nameByteCount + length
        field = textLeft == 0 ? .nameLength : .text
        return textLeft <= FastCGILimits.parameterByteCount && pairCount <= FastCGILimits.parameterCount
    }
}

/// The streams of a request, with the numbers of their record types (FastCGI Specification 1.0, section 8).
enum RequestStream: UInt8, Sendable, Hashable {
    case parameters = 4
    case standardInput = 5
}

/// A request that is rewritten from its content in the plainest form: no padding, reserved bytes zero, records as long
/// as possible. It contains no received header and no received padding, so libfcgi can read nothing that the check has
/// not understood.
struct PlainRequest: Sendable {
    private(set) var bytes: [UInt8] = []
    /// True when the body was longer than the limit, so that its end is missing.
    private(set) var isCut = false

    private let bodyByteCountLimit: Int
    private var requestID: UInt16 = 0
    private var bodyByteCount = 0
    /// The record that still takes content: its stream, the position of its header, and the length of its content.
    private var open: (stream: RequestStream, header: Int, byteCount: Int)?

    /// The most content of one record: the largest multiple of 8 below 65,536.
    private static let recordByteCount = 65_528

    init(bodyByteCountLimit: Int) { self.bodyByteCountLimit = bodyByteCountLimit }

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

    private mutating func openRecord(
        of stream: RequestStream
    ) -> (stream: RequestStream, header: Int, byteCount: Int) {
        if let open, open.stream == stream, open.byteCount < Self.recordByteCount { return open }
        let header = bytes.count
        appendHeader(type: stream.rawValue, byteCount: 0)
        return (stream, header, 0)
    }

    private mutating func appendHeader(type: UInt8, byteCount: UInt16) {
        let (number, count) = (requestID, byteCount)
        bytes.append(contentsOf: [
            1, type, UInt8(number >> 8), UInt8(number & 0xff), UInt8(count >> 8), UInt8(count & 0xff), 0, 0,
        ])
    }
}
