/// Builds bytes of the FastCGI protocol, as a web server sends them or as a hostile client might send them.
public enum FastCGIRecords {
    /// Returns one record. `contentByteCount` and `version` may be wrong on purpose.
    public static func record(
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

    /// Returns the record with its padding replaced by `padding`, at most 255 bytes with any values.
    public static func padded(_ record: [UInt8], with padding: [UInt8]) -> [UInt8] {
        let content = 8 + (Int(record[4]) << 8 | Int(record[5]))
        return record[..<6] + [UInt8(padding.count)] + record[7..<content] + padding
    }

    /// BEGIN_REQUEST; role 1 is the responder.
    public static func begin(role: UInt16 = 1, keep: Bool = true, id: UInt16 = 1) -> [UInt8] {
        let content = [UInt8(role >> 8), UInt8(role & 255), keep ? 1 : 0, 0, 0, 0, 0, 0]
        return record(type: 1, id: id, content: content)
    }

    /// Name-value pairs, not yet in a record.
    public static func pairs(_ parameters: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in parameters {
            bytes += length(name.utf8.count) + length(value.utf8.count) + Array(name.utf8) + Array(value.utf8)
        }
        return bytes
    }

    /// Encodes a length: in one byte below 128, otherwise in four bytes.
    public static func length(_ value: Int) -> [UInt8] {
        guard value > 127 else { return [UInt8(value)] }
        return [
            UInt8(value >> 24 & 127 | 128), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255),
            UInt8(value & 255),
        ]
    }

    /// Returns a stream as records of at most `pieceByteCount` bytes, each padded to a multiple of eight as nginx does,
    /// followed by the empty record that ends the stream.
    public static func stream(type: UInt8, _ bytes: [UInt8], pieceByteCount: Int = 32_768) -> [UInt8] {
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
    public static func request(
        _ parameters: [(String, String)] = [], body: [UInt8] = [], keep: Bool = true,
        pieceByteCount: Int = 32_768
    ) -> [UInt8] {
        let all = [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", String(body.count))]
            .filter { known in !parameters.contains { $0.0 == known.0 } }
        return begin(keep: keep) + stream(type: 4, pairs(all + parameters))
            + stream(type: 5, body, pieceByteCount: pieceByteCount)
    }
}
