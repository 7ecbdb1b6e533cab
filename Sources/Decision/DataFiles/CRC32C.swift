internal import System

/// The Castagnoli checksum, CRC-32C (RFC 3720 appendix B.4), of one section. It tells which section is damaged; the
/// file's digest tells that some byte is.
package struct CRC32C: Sendable {
    private var state: UInt32 = ~0

    /// Starts a checksum over bytes that come in pieces.
    package init() {}

    /// Eight tables of 256 words, with which ``update(_:)`` reads eight bytes at a time ("slicing by 8").
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Returns the checksum of `bytes`.
    package static func checksum(_ bytes: RawSpan) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }

    /// The checksum of all bytes added so far.
    package var value: UInt32 { ~state }

    /// Adds `bytes` to the checksum.
    package mutating func update(_ bytes: RawSpan) {
        let tables = Self.tables.span
        var value = state
        var offset = 0
        while let word = bytes.uint64(at: offset) {
            let low = word ^ UInt64(value)
            value = 0
            var table = 7
            while table >= 0 {
                value ^= tables[table << 8 | Int(low >> UInt64((7 - table) << 3) & 0xFF)]
                table -= 1
            }
            offset += 8
        }
        while let byte = bytes.uint8(at: offset) {
            value = value >> 8 ^ tables[Int((value ^ UInt32(byte)) & 0xFF)]
            offset += 1
        }
        state = value
    }
}
