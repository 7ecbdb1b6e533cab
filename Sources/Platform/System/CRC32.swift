/// A cyclic redundancy check of 32 bits: least significant bit first, with all bits inverted at the beginning and at the
/// end. It finds accidental damage. It gives no protection against someone who chooses the bytes.
public struct CRC32: Sendable {
    public struct Polynomial: Sendable {
        /// CRC-32 (ISO 3309): the check of PNG chunks (PNG Specification, annex D), also called CRC-32/ISO-HDLC.
        public static let iso3309 = Polynomial(0xEDB8_8320)
        /// CRC-32C (RFC 3720 appendix B.4), the polynomial of Castagnoli: the check of the sections of data files.
        public static let castagnoli = Polynomial(0x82F6_3B78)

        /// Eight tables of 256 words, with which ``CRC32/update(_:)`` reads eight bytes at a time ("slicing by 8").
        fileprivate let tables: [UInt32]

        private init(_ polynomial: UInt32) {
            var tables = [UInt32](repeating: 0, count: 8 * 256)
            for byte in 0..<256 {
                var value = UInt32(byte)
                for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
                tables[byte] = value
            }
            for index in 256..<8 * 256 {
                let before = tables[index - 256]
                tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
            }
            self.tables = tables
        }
    }

    private let polynomial: Polynomial
    private var state: UInt32 = ~0

    public init(_ polynomial: Polynomial) {
        self.polynomial = polynomial
    }

    public static func checksum(_ bytes: RawSpan, _ polynomial: Polynomial) -> UInt32 {
        var checksum = CRC32(polynomial)
        checksum.update(bytes)
        return checksum.value
    }

    public static func checksum(_ bytes: Span<UInt8>, _ polynomial: Polynomial) -> UInt32 {
        bytes.withRawBytes { checksum($0, polynomial) }
    }

    public var value: UInt32 { ~state }

    public mutating func update(_ bytes: RawSpan) {
        let polynomial = polynomial
        let tables = polynomial.tables.span
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
