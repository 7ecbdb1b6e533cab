import Testing
import Vocabulary

@Suite("Hexadecimal digits")
struct HexadecimalDigitsTests {
    @Test("are 22 bytes, and no other byte is one")
    func values() {
        let digits = Array("0123456789abcdef".utf8)
        for byte in UInt8.min...UInt8.max {
            let lower = (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? byte | 0x20 : byte
            let expected = digits.firstIndex(of: lower).map { UInt8($0) }
            #expect(HexadecimalDigits.value(of: byte) == expected, "byte \(byte)")
        }
    }

    @Test(
        "are written with leading zeros",
        arguments: [
            (0, 4, false, "0000"), (0xAB, 4, false, "00ab"), (0xAB, 4, true, "00AB"),
            (0x1F600, 4, true, "1F600"),
            (.max, 16, false, "ffffffffffffffff"), (7, 0, false, "7"),
        ] as [(UInt64, Int, Bool, String)]
    )
    func texts(number: UInt64, count: Int, uppercase: Bool, text: String) {
        #expect(HexadecimalDigits.text(of: number, count: count, uppercase: uppercase) == text)
    }

    @Test("are written eight at once, the first digit in the lowest byte")
    func eight() {
        for number in [0, 1, 9, 10, 15, 16, 0x0123_4567, 0x89AB_CDEF, 0xFEDC_BA98, 0x9999_AAAA, .max]
            as [UInt32]
        {
            let word = HexadecimalDigits.eight(number)
            let text = (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
            let expected = HexadecimalDigits.text(of: number, count: 8)
            #expect(String(decoding: text, as: UTF8.self) == expected)
        }
    }
}
