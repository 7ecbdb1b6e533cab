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
}
