import System
import Testing

@Suite("A 32-bit checksum")
struct CRC32Tests {
    /// The texts and their checksums with both polynomials. The values of `123456789` are the check values of the
    /// catalogue of CRC algorithms. 0xAE426082 stands in IEND of every PNG; 0x8A9136AA is a vector of RFC 3720 B.4. The
    /// other values were computed bit by bit, without tables.
    private static let vectors: [(text: String, iso3309: UInt32, castagnoli: UInt32)] = [
        ("123456789", 0xCBF4_3926, 0xE306_9283), ("", 0, 0), ("a", 0xE8B7_BE43, 0xC1D0_4330),
        ("IEND", 0xAE42_6082, 0xB917_B5EE), (String(repeating: "\0", count: 32), 0x190A_55AD, 0x8A91_36AA),
    ]

    @Test("has the values of the standards", arguments: vectors)
    func published(text: String, iso3309: UInt32, castagnoli: UInt32) {
        let bytes = Array(text.utf8)
        #expect(CRC32.checksum(bytes.span, .iso3309) == iso3309)
        #expect(CRC32.checksum(bytes.span, .castagnoli) == castagnoli)
    }

    @Test("is the same for bytes in one piece and in several, of any length")
    func pieces() {
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in bytes.indices {
            let all = CRC32.checksum(bytes.span.extracting(first: count), .castagnoli)
            for cut in 0...count {
                var checksum = CRC32(.castagnoli)
                bytes.span.extracting(first: cut).withRawBytes { checksum.update($0) }
                bytes.span.extracting(cut..<count).withRawBytes { checksum.update($0) }
                #expect(checksum.value == all, "\(cut) of \(count) bytes")
            }
        }
    }
}
