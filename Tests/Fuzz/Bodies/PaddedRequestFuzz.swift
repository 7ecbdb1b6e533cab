@testable package import FastCGI
internal import System

/// The body of the fuzzer that compares libfcgi with the framing check: both get the same bytes and must read the same
/// parameters and body. libfcgi gets only bytes that the check accepts.
package struct PaddedRequestFuzz {
    private let libfcgi: LibraryRequest

    /// Starts libfcgi.
    ///
    /// - Throws: `fastcgi.libfcgi-refused`.
    package init() throws(FastCGIError) {
        libfcgi = try LibraryRequest()
    }

    /// Tries `bytes` as a request, and as the paddings, parameters and body of a request. Returns false when libfcgi reads another
    /// request from the bytes than from those that the check has rewritten, which is a bug.
    package func agrees(on bytes: Span<UInt8>) -> Bool {
        guard agrees(onRequest: bytes, expected: nil) else { return false }
        guard bytes.count > 6 else { return true }
        let (request, expected) = Self.request(around: bytes)
        return agrees(onRequest: request.span, expected: expected)
    }

    private func agrees(onRequest bytes: Span<UInt8>, expected: ReadRequest?) -> Bool {
        var check = FramingCheck(keptByteCount: FastCGILimits.bodyByteCount)
        let verdict = check.consume(bytes)
        // The server gives libfcgi only whole requests.
        guard verdict.isWhole, let plain = check.plain?.bytes else { return expected == nil }
        let understood = read(plain.span)
        if let expected, understood != expected { return false }
        if verdict == .complete, read(bytes) != understood { return false }
        var last = FramingCheck()
        return last.consume(plain.span) == .complete && last.keepsConnection == check.keepsConnection
            && understood != nil
    }

    /// Returns the request that libfcgi reads from bytes that the server would give it; nil when libfcgi refuses them.
    private func read(_ bytes: Span<UInt8>) -> ReadRequest? {
        guard let file = try? ScratchFile.make(bytes, reusing: nil) else { return nil }
        do {
            try libfcgi.begin(reading: file.number)
        } catch {
            // libfcgi has closed the file.
            _ = file.release()
            return nil
        }
        defer { libfcgi.abandon() }
        var seen = ReadRequest()
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
    private static func request(around input: Span<UInt8>) -> (bytes: [UInt8], expected: ReadRequest) {
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
        request += record(5, [], padding: input[2])
        let parameter = Array((name + [UInt8(ascii: "=")] + value).prefix { $0 != 0 })
        return (request, ReadRequest(parameters: [parameter], body: body))
    }
}

/// A request as libfcgi has read it.
private struct ReadRequest: Equatable {
    /// `NAME=value`, each up to its first zero byte, as libfcgi stores them.
    var parameters: [[UInt8]] = []
    var body: [UInt8] = []
}
