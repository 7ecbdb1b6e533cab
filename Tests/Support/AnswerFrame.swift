internal import Glibc

/// Where an HTTP/1.1 answer ends: by Content-Length or by the last chunk. Trusts nginx to write what nginx writes.
struct AnswerFrame {
    let status: Int
    let bodyStart: Int
    let isChunked: Bool
    /// Whether the server says that it will close the connection.
    let closes: Bool

    /// The frame when the answer is complete, else nil. There must be a NUL byte at `count`. `HEAD` answers have no body whatever they say.
    static func find(in bytes: [UInt8], count: Int, isHead: Bool = false) -> AnswerFrame? {
        guard let headEnd = position(of: "\r\n\r\n", in: bytes, 0..<count) else { return nil }
        let start = headEnd + 4
        let status = count > 12 ? number(in: bytes, from: 9) : 0
        let closes = position(of: "Connection: close", in: bytes, 0..<headEnd) != nil
        let chunked = position(of: "Transfer-Encoding: chunked", in: bytes, 0..<headEnd) != nil
        let frame = AnswerFrame(status: status, bodyStart: start, isChunked: chunked, closes: closes)
        if isHead || status == 204 || status == 304 { return frame }
        if chunked {
            let isEnded =
                count >= start + 5 && position(of: "0\r\n\r\n", in: bytes, count - 5..<count) == count - 5
            return isEnded ? frame : nil
        }
        guard let field = position(of: "Content-Length: ", in: bytes, 0..<headEnd) else {
            return closes ? nil : frame
        }
        return count >= start + number(in: bytes, from: field + 16) ? frame : nil
    }

    /// The body without the frame of its chunks.
    func body(of raw: [UInt8]) -> [UInt8] {
        guard isChunked else { return raw }
        var rest = raw[...]
        var body: [UInt8] = []
        while let line = rest.firstIndex(of: UInt8(ascii: "\r")),
            let size = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16), size > 0
        {
            let start = line + 2
            guard start + size + 2 <= rest.endIndex else { break }
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
        }
        return body
    }

    private static func position(of text: StaticString, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        unsafe bytes.withUnsafeBytes { block in
            guard let base = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self),
                let found = unsafe strstr(base + range.lowerBound, cText(text))
            else { return nil }
            let position = unsafe UnsafePointer(found) - base
            return position + text.utf8CodeUnitCount <= range.upperBound ? position : nil
        }
    }

    private static func cText(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func number(in bytes: [UInt8], from start: Int) -> Int {
        var value = 0
        for index in start..<bytes.count {
            let digit = bytes[index]
            guard digit >= 0x30, digit <= 0x39, value < 1 << 40 else { break }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }
}
