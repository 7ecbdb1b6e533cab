@testable public import FastCGI
internal import System

/// The body of the fuzzer that compares libfcgi with the framing check: both get the same bytes and must read the same
/// parameters and body. libfcgi gets only bytes that the check accepts.
public struct PaddedRequestFuzz {
    private let libfcgi: LibraryRequest

    /// Starts libfcgi.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`.
    public init() throws(FastCGIError) {
        libfcgi = try LibraryRequest()
    }

    /// Tries `bytes` as a request, and as the paddings, parameters and body of a request.
    ///
    /// - Returns: false when libfcgi and the check read different requests, which is a bug.
    public func agrees(on bytes: Span<UInt8>) -> Bool {
        guard agrees(onRequest: bytes, mustBeWhole: false) else { return false }
        guard bytes.count > 6 else { return true }
        let request = Self.request(around: bytes)
        return agrees(onRequest: request.span, mustBeWhole: true)
    }

    private func agrees(onRequest bytes: Span<UInt8>, mustBeWhole: Bool) -> Bool {
        var check = FramingCheck()
        var understood = UnderstoodRequest()
        let verdict = check.consume(bytes, into: &understood)
        var again = FramingCheck()
        var plain = PlainRequest()
        guard again.consume(bytes, into: &plain) == verdict else { return false }
        // The server gives libfcgi only whole requests.
        guard verdict.isWhole else { return !mustBeWhole }
        if verdict == .complete, read(bytes) != understood { return false }
        var last = FramingCheck()
        return last.consume(plain.bytes.span) == .complete && last.keepsConnection == check.keepsConnection
            && read(plain.bytes.span) == understood
    }

    /// Returns the request that libfcgi reads from bytes that the server would give it; nil when libfcgi refuses them.
    private func read(_ bytes: Span<UInt8>) -> UnderstoodRequest? {
        guard let file = try? ScratchFile.make(bytes, reusing: nil) else { return nil }
        do {
            try libfcgi.begin(reading: file.number)
        } catch {
            // libfcgi has closed the file.
            _ = file.release()
            return nil
        }
        defer { libfcgi.abandon() }
        var seen = UnderstoodRequest()
        // libfcgi puts the role before the parameters that were sent.
        guard libfcgi.parameters.first == Array("FCGI_ROLE=RESPONDER".utf8) else { return nil }
        seen.parameters = Array(libfcgi.parameters.dropFirst())
        let byteCount = libfcgi.readBody(byteCount: bytes.count)
        libfcgi.withBody(byteCount: byteCount) { body in
            seen.body = body.indices.map { body[$0] }
        }
        return seen
    }

    /// Returns a well-formed request that is built from `input`. Three bytes are the lengths of the paddings after
    /// BEGIN_REQUEST and after the two empty records, one byte is the length of the other paddings, and two bytes are
    /// the lengths of name and value. The rest of the input is name, value and body, and fills the paddings, too.
    private static func request(around input: Span<UInt8>) -> [UInt8] {
        let rest = (6..<input.count).map { input[$0] }
        func record(_ type: UInt8, _ content: [UInt8], padding: UInt8) -> [UInt8] {
            let header: [UInt8] = [
                1, type, 0, 1, UInt8(content.count >> 8), UInt8(content.count & 0xff), padding, 0,
            ]
            return header + content + (0..<Int(padding)).map { rest[$0 % rest.count] }
        }
        let name = rest.prefix(Int(input[4]) % 100)
        let value = rest.dropFirst(name.count).prefix(Int(input[5]) % 100)
        let body = Array(rest.dropFirst(name.count + value.count).prefix(65_535))
        let pair = [UInt8(name.count), UInt8(value.count)] + name + value
        var request = record(1, [0, 1, 1, 0, 0, 0, 0, 0], padding: input[0])
        request += record(4, pair, padding: input[3]) + record(4, [], padding: input[1])
        if !body.isEmpty { request += record(5, body, padding: input[3]) }
        return request + record(5, [], padding: input[2])
    }
}

/// The request that the check or libfcgi has read, for comparison.
private struct UnderstoodRequest: ContentSink, Equatable {
    /// `NAME=value`, each up to its first zero byte, as libfcgi stores them.
    var parameters: [[UInt8]] = []
    var body: [UInt8] = []
    private var pairs: [UInt8] = []

    mutating func begin(requestID: UInt16, keepsConnection: Bool) {}

    mutating func append(_ content: Span<UInt8>, to stream: RequestStream) {
        let bytes = content.indices.map { content[$0] }
        if stream == .parameters { pairs += bytes } else { body += bytes }
    }

    mutating func end(_ stream: RequestStream) {
        guard stream == .parameters else { return }
        var rest = pairs[...]
        func length() -> Int {
            guard let first = rest.popFirst() else { return 0 }
            guard first & 0x80 != 0 else { return Int(first) }
            let low = rest.prefix(3)
            rest = rest.dropFirst(3)
            return low.reduce(Int(first & 0x7f)) { $0 << 8 | Int($1) }
        }
        while !rest.isEmpty {
            let (nameCount, valueCount) = (length(), length())
            let text =
                rest.prefix(nameCount) + [UInt8(ascii: "=")] + rest.dropFirst(nameCount).prefix(valueCount)
            rest = rest.dropFirst(nameCount + valueCount)
            parameters.append(Array(text.prefix { $0 != 0 }))
        }
        pairs = []
    }

    static func == (left: Self, right: Self) -> Bool {
        left.parameters == right.parameters && left.body == right.body
    }
}
