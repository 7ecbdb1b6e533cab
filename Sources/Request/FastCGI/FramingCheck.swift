/// Checks that the bytes of one connection are one whole, well-formed FastCGI request, before libfcgi sees any of them.
///
/// libfcgi 2.4.2 can be crashed by management records and by parameter lengths (CVE-2025-23016 and the cases that its
/// first fix left open). It blocks its thread for an incomplete request, and it loses pipelined requests. So libfcgi
/// gets exactly this: BEGIN_REQUEST (responder), PARAMS records up to an empty one, STDIN records up to an empty one.
/// Source: FastCGI Specification 1.0, sections 3 to 5.
///
/// libfcgi skips the padding of a record with content, but it takes the padding after BEGIN_REQUEST and after an empty
/// record for the next records. A request with such padding gets ``Verdict/padded``: its bytes must not reach libfcgi,
/// so they are rewritten without the padding (``PlainRequest``).
///
/// The bytes may come in pieces of any size. The verdict is the same.
public struct FramingCheck: Sendable {
    /// The result of the check after the bytes so far.
    public enum Verdict: Sendable, Hashable {
        /// The request is not complete, or has not begun; more bytes are needed.
        case incomplete
        /// There is exactly one request and nothing after it. libfcgi may read these bytes as they are.
        case complete
        /// There is exactly one request and nothing after it, but with padding that libfcgi would take for records.
        case padded
        /// The connection is unusable. None of its bytes may reach libfcgi.
        case refused(FastCGIError)

        /// True when there is exactly one request and nothing after it.
        var isWhole: Bool { self == .complete || self == .padded }
    }

    private enum Phase: Sendable { case begin, parameters, standardInput, ended }

    private var phase = Phase.begin
    private var requestID: UInt16 = 0
    private var header: UInt64 = 0
    private var headerByteCount = 0
    private var contentLeft = 0
    private var paddingLeft = 0
    private var type: UInt8 = 0
    private var begin: UInt64 = 0
    private var parameters = ParameterCheck()

    /// True when the client wants to keep the connection (FCGI_KEEP_CONN). Known once BEGIN_REQUEST is complete.
    public private(set) var keepsConnection = false
    /// The bytes of body so far.
    public private(set) var bodyByteCount = 0

    /// The bytes of all records so far, with headers and padding.
    private var byteCount = 0
    /// True when there is padding that libfcgi would take for records.
    private var isPadded = false

    /// The most bytes of body that the request may have.
    private let bodyByteCountLimit: Int

    /// Makes a check that expects the first byte of a request. ``FastCGILimits/requestByteCount(bodyByteCount:)`` says
    /// how many bytes the request may have with headers and padding.
    public init(bodyByteCountLimit: Int = FastCGILimits.discardedByteCount) {
        self.bodyByteCountLimit = bodyByteCountLimit
    }

    /// Checks the next bytes. After any verdict but `incomplete` the caller must not call again.
    public mutating func consume(_ bytes: Span<UInt8>) -> Verdict {
        var sink = NoSink()
        return consume(bytes, into: &sink)
    }

    /// Checks the next bytes and gives their content to `sink`.
    mutating func consume(_ bytes: Span<UInt8>, into sink: inout some ContentSink) -> Verdict {
        var position = 0
        while position < bytes.count {
            if contentLeft > 0 {
                let count = min(contentLeft, bytes.count - position)
                if let error = content(bytes.extracting(position..<position + count), into: &sink) {
                    return .refused(error)
                }
                position += count
                contentLeft -= count
                if contentLeft == 0, let error = endOfContent(into: &sink) { return .refused(error) }
            } else if paddingLeft > 0 {
                let count = min(paddingLeft, bytes.count - position)
                position += count
                paddingLeft -= count
            } else if phase == .ended {
                return .refused(.pipelinedRequest)
            } else {
                header = header << 8 | UInt64(bytes[position])
                headerByteCount += 1
                position += 1
                // Bytes that are not FastCGI are refused at the first byte, not at the eighth.
                if headerByteCount == 1, header != 1 { return .refused(.unsupportedVersion(UInt8(header))) }
                if headerByteCount == 8, let error = endOfHeader(into: &sink) { return .refused(error) }
            }
        }
        guard phase == .ended, paddingLeft == 0 else { return .incomplete }
        return isPadded ? .padded : .complete
    }

    /// Checks a record header: version, type, request number (2), content length (2), padding length, reserved;
    /// big-endian.
    private mutating func endOfHeader(into sink: inout some ContentSink) -> FastCGIError? {
        type = UInt8(truncatingIfNeeded: header >> 48)
        let id = UInt16(truncatingIfNeeded: header >> 32)
        contentLeft = Int(header >> 16 & 0xffff)
        paddingLeft = Int(header >> 8 & 0xff)
        header = 0
        headerByteCount = 0
        byteCount += 8 + contentLeft + paddingLeft
        let limit = FastCGILimits.requestByteCount(bodyByteCount: bodyByteCountLimit)
        guard byteCount <= limit else { return .requestTooLarge }
        switch (phase, type) {
        case (.begin, 1):
            guard id != 0, contentLeft == 8 else { return .malformedRecord(type: type) }
            requestID = id
            isPadded = paddingLeft > 0
            return nil
        case (.parameters, 4), (.standardInput, 5):
            guard id == requestID else { return .malformedRecord(type: type) }
            return contentLeft == 0 ? endOfStream(into: &sink) : nil
        case (.parameters, 2), (.standardInput, 2):
            return id == requestID ? .abortedByClient : .malformedRecord(type: type)
        default: return .unexpectedRecord(type: type)
        }
    }

    private mutating func content(_ bytes: Span<UInt8>, into sink: inout some ContentSink) -> FastCGIError? {
        switch phase {
        case .begin:
            for index in bytes.indices { begin = begin << 8 | UInt64(bytes[index]) }
        case .parameters:
            guard parameters.consume(bytes) else { return .malformedParameters }
            sink.append(bytes, to: .parameters)
        case .standardInput:
            bodyByteCount += bytes.count
            guard bodyByteCount <= bodyByteCountLimit else { return .bodyTooLarge }
            sink.append(bytes, to: .standardInput)
        case .ended: return .pipelinedRequest
        }
        return nil
    }

    /// Checks the end of a record with content. The content of BEGIN_REQUEST is: role (2), flags, reserved (5).
    private mutating func endOfContent(into sink: inout some ContentSink) -> FastCGIError? {
        guard phase == .begin else { return nil }
        let role = UInt16(truncatingIfNeeded: begin >> 48)
        guard role == 1 else { return .unsupportedRole(role) }
        keepsConnection = begin >> 40 & 1 == 1
        phase = .parameters
        sink.begin(requestID: requestID, keepsConnection: keepsConnection)
        return nil
    }

    /// Checks an empty record, which ends its stream.
    private mutating func endOfStream(into sink: inout some ContentSink) -> FastCGIError? {
        isPadded = isPadded || paddingLeft > 0
        if phase == .parameters {
            guard parameters.isWhole else { return .malformedParameters }
            phase = .standardInput
            sink.end(.parameters)
        } else {
            phase = .ended
            sink.end(.standardInput)
        }
        return nil
    }
}
