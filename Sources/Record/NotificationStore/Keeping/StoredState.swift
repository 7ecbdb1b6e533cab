internal import SQL

/// The bytes in the column `state`: the number of bytes of the state in four bytes, little-endian; the state; and behind it the packed
/// rows from which it was derived, or nothing.
enum StoredState {
    private static let headCount = 4

    static func bytes(_ state: [UInt8], _ packedRows: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headCount + state.count + packedRows.count)
        for shift in stride(from: 0, to: 8 * headCount, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: state.count >> shift))
        }
        bytes += state
        bytes += packedRows
        return bytes
    }

    /// The state; empty when the bytes are damaged.
    static func state(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        stateEnd(in: bytes).map { bytes[headCount..<$0] } ?? []
    }

    /// The packed rows; empty when there are none, and when the bytes are damaged.
    static func packedRows(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        stateEnd(in: bytes).map { bytes[$0...] } ?? []
    }

    private static func stateEnd(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= headCount else { return nil }
        let count = bytes[..<headCount].reversed().reduce(0) { $0 << 8 | Int($1) }
        return count <= bytes.count - headCount ? headCount + count : nil
    }

    /// What a statement reads of the column when nobody wants the packed rows. A server cuts them off; SQLite has no function for
    /// that, and is in this process.
    static func withoutRows(_ dialect: SQLDialect) -> SQLText {
        guard dialect == .postgreSQL else { return "state" }
        // Each mention of the column unpacks a long value, but not one of its first bytes.
        let head: SQLText = "substring(state FROM 1 FOR 4)"
        let count: SQLText =
            "4 + get_byte(" + head + ", 0) + 256 * get_byte(" + head + ", 1) + 65536 * get_byte(" + head
            + ", 2) + 16777216::bigint * get_byte(" + head + ", 3)"
        return
            "CASE WHEN octet_length(state) < 4 THEN state ELSE substring(state FROM 1 FOR LEAST(octet_length(state), "
            + count + ")::integer) END"
    }
}
