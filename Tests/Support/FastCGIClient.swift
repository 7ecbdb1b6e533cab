package import System

package final class FastCGIClient {
    package struct Reply: Sendable, Hashable {
        /// The number in the Status field; 200 when there is no such field.
        package var status: Int
        package var header: [String]
        package var body: [UInt8]
    }

    package enum Failure: Error, Hashable {
        case closed
        case silent
        case malformed
    }

    private let socket: StreamSocket
    private var poll: EventPoll
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var unread: [UInt8] = []

    package init(_ socket: consuming StreamSocket) throws {
        let poll = try EventPoll(eventCountLimit: 1)
        try poll.add(socket.descriptor.number, token: 0, interest: .readable)
        self.poll = poll
        self.socket = socket
    }

    package convenience init(unixPath: String) throws {
        try self.init(try StreamSocket.connect(unixPath: unixPath))
    }

    package var number: Int32 { socket.descriptor.number }

    /// Sends as many bytes as the socket takes without waiting.
    ///
    /// - Returns: the number of bytes that were sent.
    package func sendSome(_ bytes: [UInt8]) throws -> Int {
        do {
            return try socket.descriptor.writeSome(bytes.span)
        } catch  where error.reason == .eagain {
            return 0
        }
    }

    /// Sends all bytes and waits until the socket has taken them. Use this for bytes that fit into the socket's buffer,
    /// or while another thread reads on the other side.
    package func send(_ bytes: [UInt8]) throws {
        try socket.descriptor.setNonBlocking(false)
        try socket.descriptor.write(bytes.span)
        try socket.descriptor.setNonBlocking(true)
    }

    /// Shuts the socket down for writing, so that the other side knows that nothing more will come.
    package func finishSending() {
        socket.shutDownWriting()
    }

    package func hangUp() {
        socket.shutDownReading()
        socket.shutDownWriting()
    }

    package func isClosed() -> Bool {
        unread.isEmpty && socket.peek(into: &buffer) == .end
    }

    package func isSilent() -> Bool {
        unread.isEmpty && socket.peek(into: &buffer) == .nothing
    }

    package func readBytes(timeoutMilliseconds: Int32 = 10_000) throws(Failure) -> [UInt8] {
        if unread.isEmpty { try fill(timeoutMilliseconds: timeoutMilliseconds) }
        defer { unread = [] }
        return unread
    }

    package func readReply(timeoutMilliseconds: Int32 = 10_000) throws(Failure) -> Reply {
        var output: [UInt8] = []
        while true {
            while unread.count >= 8 {
                let length = Int(unread[4]) << 8 | Int(unread[5])
                let total = 8 + length + Int(unread[6])
                guard unread.count >= total else { break }
                let type = unread[1]
                if type == 6 { output += unread[8..<8 + length] }
                unread.removeFirst(total)
                guard type == 6 || type == 3 else { throw .malformed }
                if type == 3 { return try Self.parse(output) }
            }
            try fill(timeoutMilliseconds: timeoutMilliseconds)
        }
    }

    private func fill(timeoutMilliseconds: Int32) throws(Failure) {
        while true {
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                unread += buffer[..<count]
                return
            case .end: throw .closed
            case .nothing:
                let count = (try? poll.wait(timeoutMilliseconds: timeoutMilliseconds)) ?? 0
                guard count > 0 else { throw .silent }
            }
        }
    }

    private static func parse(_ output: [UInt8]) throws(Failure) -> Reply {
        let text = String(decoding: output, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = text.firstIndex(of: "") else { throw .malformed }
        let header = text[..<end].map(String.init)
        let headByteCount = header.reduce(2) { $0 + $1.utf8.count + 2 }
        var status = 200
        for line in header where line.hasPrefix("Status: ") {
            guard let number = Int(line.dropFirst(8).prefix(3)) else { throw .malformed }
            status = number
        }
        return Reply(status: status, header: header, body: Array(output[headByteCount...]))
    }
}

package enum FastCGIRecords {
    /// Returns one record. `contentByteCount` and `version` may be wrong on purpose.
    package static func record(
        type: UInt8, id: UInt16 = 1, content: [UInt8] = [], padding: UInt8 = 0, contentByteCount: Int? = nil,
        version: UInt8 = 1
    ) -> [UInt8] {
        let length = contentByteCount ?? content.count
        let header: [UInt8] = [
            version, type, UInt8(id >> 8), UInt8(id & 255), UInt8(length >> 8 & 255), UInt8(length & 255),
            padding, 0,
        ]
        return header + content + [UInt8](repeating: 0, count: Int(padding))
    }

    package static func padded(_ record: [UInt8], with padding: [UInt8]) -> [UInt8] {
        let content = 8 + (Int(record[4]) << 8 | Int(record[5]))
        return record[..<6] + [UInt8(padding.count)] + record[7..<content] + padding
    }

    package static func begin(role: UInt16 = 1, keep: Bool = true, id: UInt16 = 1) -> [UInt8] {
        let content = [UInt8(role >> 8), UInt8(role & 255), keep ? 1 : 0, 0, 0, 0, 0, 0]
        return record(type: 1, id: id, content: content)
    }

    package static func pairs(_ parameters: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in parameters {
            bytes += length(name.utf8.count) + length(value.utf8.count) + Array(name.utf8) + Array(value.utf8)
        }
        return bytes
    }

    package static func length(_ value: Int) -> [UInt8] {
        guard value > 127 else { return [UInt8(value)] }
        return [
            UInt8(value >> 24 & 127 | 128), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255),
            UInt8(value & 255),
        ]
    }

    /// Returns a stream as records of at most `pieceByteCount` bytes, each padded to a multiple of eight as nginx does,
    /// followed by the empty record that ends the stream.
    package static func stream(type: UInt8, _ bytes: [UInt8], pieceByteCount: Int = 32_768) -> [UInt8] {
        var records: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + pieceByteCount, bytes.count)
            let padding = UInt8((8 - (end - start) % 8) % 8)
            records += record(type: type, content: Array(bytes[start..<end]), padding: padding)
            start = end
        }
        return records + record(type: type)
    }

    /// Returns a whole request as nginx sends it.
    package static func request(
        _ parameters: [(String, String)] = [], body: [UInt8] = [], keep: Bool = true,
        pieceByteCount: Int = 32_768
    ) -> [UInt8] {
        let all = [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", String(body.count))]
            .filter { known in !parameters.contains { $0.0 == known.0 } }
        return begin(keep: keep) + stream(type: 4, pairs(all + parameters))
            + stream(type: 5, body, pieceByteCount: pieceByteCount)
    }
}
