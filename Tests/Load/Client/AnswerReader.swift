internal import Glibc

/// Finds the end of an HTTP/1.1 answer in bytes that come in pieces (RFC 9112), and joins the chunks of its body in place.
@safe struct AnswerReader {
    /// What the bytes that came so far are.
    enum Verdict {
        /// The beginning of an answer.
        case incomplete
        /// A whole answer.
        case complete
        /// Not HTTP.
        case broken
    }

    private enum Framing {
        /// The answer has no body: it answers a HEAD request, or its status is 204 or 304.
        case none
        case length(Int)
        case chunked
        /// The body ends with the connection.
        case connection
    }

    /// True for an answer to a HEAD request. Its body is empty, also when the head says otherwise.
    private let isHead: Bool
    private var framing = Framing.connection
    /// Where the next line or the next chunk begins, in the bytes as they came.
    private var position = 0
    private var isInTrailer = false
    /// The HTTP status; 0 until the status line is there.
    private(set) var status = 0
    /// True when the server will close the connection.
    private(set) var closes = false
    /// Where the body begins; 0 while the head is not complete.
    private(set) var bodyStart = 0
    /// How many bytes of the body are there, without the frame of chunks.
    private(set) var bodyCount = 0

    init(isHead: Bool) {
        self.isHead = isHead
    }

    /// Where a complete answer ended, in the bytes as they came.
    var end: Int { position }

    /// Parses the first `count` bytes of an answer: all bytes that came so far, not only the last piece.
    mutating func parse(_ bytes: UnsafeMutablePointer<UInt8>, count: Int) -> Verdict {
        while bodyStart == 0 {
            guard let line = unsafe nextLine(bytes, count) else { return .incomplete }
            guard unsafe readHead(bytes, line) else { return .broken }
        }
        switch framing {
        case .none: return .complete
        case .length(let length):
            bodyCount = min(length, count - bodyStart)
            position = bodyStart + bodyCount
            return bodyCount == length ? .complete : .incomplete
        case .chunked: return unsafe readChunks(bytes, count)
        case .connection:
            bodyCount = count - bodyStart
            position = count
            return .incomplete
        }
    }

    /// True when the answer is complete because the connection has ended now.
    var endsWithConnection: Bool {
        if case .connection = framing { bodyStart > 0 } else { false }
    }

    /// Takes the next line, without its end; nil when it has no end yet.
    private mutating func nextLine(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Range<Int>? {
        let start = position
        guard start < count, let found = unsafe memchr(bytes + start, 10, count - start) else { return nil }
        let newline = unsafe found - UnsafeMutableRawPointer(bytes)
        position = newline + 1
        let hasReturn = unsafe newline > start && bytes[newline - 1] == 13
        return start..<(hasReturn ? newline - 1 : newline)
    }

    // MARK: - Head

    /// Reads one line of the head. Returns false when the line cannot stand there.
    private mutating func readHead(_ bytes: UnsafeMutablePointer<UInt8>, _ line: Range<Int>) -> Bool {
        if status == 0 {
            guard line.count >= 12, unsafe Self.begins(bytes, line, "HTTP/1."),
                let number = unsafe Self.number(bytes, line.lowerBound + 9..<line.lowerBound + 12, radix: 10),
                (100..<600).contains(number)
            else { return false }
            status = number
            closes = unsafe bytes[line.lowerBound + 7] == UInt8(ascii: "0")
            return true
        }
        if line.isEmpty {
            finishHead()
            return true
        }
        // Only three header fields say where the answer ends. The first letter is enough to skip most of the others.
        switch unsafe bytes[line.lowerBound] | 0x20 {
        case UInt8(ascii: "c"):
            if let value = unsafe Self.value(bytes, line, "content-length:") {
                guard let number = unsafe Self.number(bytes, value, radix: 10) else { return false }
                if case .connection = framing { framing = .length(number) }
            } else if let value = unsafe Self.value(bytes, line, "connection:") {
                if unsafe Self.begins(bytes, value, "close") { closes = true }
                if unsafe Self.begins(bytes, value, "keep-alive") { closes = false }
            }
        case UInt8(ascii: "t"):
            if let value = unsafe Self.value(bytes, line, "transfer-encoding:"),
                unsafe Self.begins(bytes, value, "chunked")
            {
                framing = .chunked
            }
        default: break
        }
        return true
    }

    private mutating func finishHead() {
        bodyStart = position
        if isHead || status == 204 || status == 304 { framing = .none }
        if case .connection = framing { closes = true }
    }

    // MARK: - Chunks

    /// Moves each chunk that is there to the end of the body.
    private mutating func readChunks(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Verdict {
        while true {
            let start = position
            guard let line = unsafe nextLine(bytes, count) else { return .incomplete }
            if isInTrailer {
                if line.isEmpty { return .complete }
                continue
            }
            let digits = line.prefix { unsafe bytes[$0] != UInt8(ascii: ";") }
            guard let size = unsafe Self.number(bytes, digits, radix: 16) else { return .broken }
            if size == 0 {
                isInTrailer = true
                continue
            }
            guard count - position >= size + 2 else {
                position = start
                return .incomplete
            }
            guard unsafe bytes[position + size] == 13, unsafe bytes[position + size + 1] == 10 else {
                return .broken
            }
            unsafe memmove(bytes + bodyStart + bodyCount, bytes + position, size)
            bodyCount += size
            position += size + 2
        }
    }

    // MARK: - Text

    /// The value of a header field when the line has this name, which must be in lower case and end with a colon.
    private static func value(_ bytes: UnsafeMutablePointer<UInt8>, _ line: Range<Int>, _ name: StaticString)
        -> Range<Int>?
    {
        guard unsafe begins(bytes, line, name) else { return nil }
        var start = line.lowerBound + name.utf8CodeUnitCount
        while unsafe start < line.upperBound && bytes[start] == 32 { start += 1 }
        return start..<line.upperBound
    }

    private static func begins(
        _ bytes: UnsafeMutablePointer<UInt8>, _ range: Range<Int>, _ text: StaticString
    ) -> Bool {
        let length = text.utf8CodeUnitCount
        guard range.count >= length else { return false }
        return unsafe UnsafeMutableRawPointer(bytes + range.lowerBound)
            .withMemoryRebound(to: CChar.self, capacity: length) { start in
                unsafe UnsafeRawPointer(text.utf8Start).withMemoryRebound(to: CChar.self, capacity: length) {
                    unsafe strncasecmp(start, $0, length) == 0
                }
            }
    }

    /// The number that the range holds and nothing else, at most eight digits.
    private static func number(_ bytes: UnsafeMutablePointer<UInt8>, _ range: Range<Int>, radix: Int) -> Int?
    {
        guard (1...8).contains(range.count) else { return nil }
        var value = 0
        for index in range {
            let byte = unsafe bytes[index]
            let digit =
                switch byte {
                case 0x30...0x39: Int(byte) - 0x30
                case 0x61...0x66: Int(byte) - 0x57
                case 0x41...0x46: Int(byte) - 0x37
                default: radix
                }
            guard digit < radix else { return nil }
            value = value * radix + digit
        }
        return value
    }
}
