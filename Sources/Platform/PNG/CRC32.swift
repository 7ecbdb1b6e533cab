/// The checksum of PNG chunks, CRC-32 (ISO 3309; PNG specification, annex D).
enum CRC32 {
    /// Eight tables of 256 words, with which ``checksum(_:)`` reads eight bytes at a time ("slicing by 8").
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Returns the checksum of `bytes`.
    static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
        let tables = Self.tables.span
        var value = ~UInt32(0)
        var offset = 0
        while bytes.count - offset >= 8 {
            var next: UInt32 = 0
            for place in 0..<8 {
                var byte = bytes[offset + place]
                if place < 4 { byte ^= UInt8(truncatingIfNeeded: value >> UInt32(place * 8)) }
                next ^= tables[(7 - place) << 8 | Int(byte)]
            }
            value = next
            offset += 8
        }
        while offset < bytes.count {
            value = value >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: value) ^ bytes[offset])]
            offset += 1
        }
        return ~value
    }
}
