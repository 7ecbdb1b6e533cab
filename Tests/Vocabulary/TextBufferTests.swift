import Testing
import Vocabulary

@Suite("A text buffer")
struct TextBufferTests {
    static func text(_ write: (inout TextBuffer) -> Void) -> String {
        var buffer = TextBuffer(reservingByteCount: 0)
        write(&buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("takes literals, strings, bytes and single bytes")
    func pieces() {
        let text = Self.text { buffer in
            buffer.append("literal \u{e9}, ")
            buffer.append(string: "string \u{1F600}, ")
            buffer.append(string: "")
            buffer.append([0x62, 0x79].span)
            buffer.append(UInt8(ascii: "!"))
        }
        #expect(text == "literal \u{e9}, string \u{1F600}, by!")
    }

    @Test("grows with its text")
    func growth() {
        let piece = String(repeating: "x", count: 99) + "\n"
        let text = Self.text { buffer in for _ in 0..<1000 { buffer.append(string: piece) } }
        #expect(text == String(repeating: piece, count: 1000))
        for count in 0...200 {
            #expect(Self.text { buffer in for _ in 0..<count { buffer.append(0x61) } }.utf8.count == count)
        }
    }

    @Test(
        "writes whole numbers as their descriptions",
        arguments: [0, 1, 9, 10, 99, 100, 12345, .max] as [UInt64]
    )
    func decimals(number: UInt64) {
        #expect(Self.text { $0.append(decimal: number) } == "\(number)")
        let signed = Int64(truncatingIfNeeded: number)
        for value in [signed, -signed, .min, .max] {
            #expect(Self.text { $0.append(decimal: value) } == "\(value)")
        }
    }

    @Test("writes words, identifiers and times as their descriptions")
    func fixed() throws {
        #expect(Self.text { $0.append(word: 0x6867_6665_6463_6261) } == "abcdefgh")
        let identifiers = [
            (
                UUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210),
                "01234567-89ab-cdef-fedc-ba9876543210"
            ),
            (UUID(high: 0, low: .max), "00000000-0000-0000-ffff-ffffffffffff"),
        ]
        for (identifier, text) in identifiers {
            #expect(Self.text { $0.append(identifier) } == text && identifier.description == text)
        }
        let time = CivilTime(milliseconds: 1_795_225_939_123)
        #expect(Self.text { $0.append(time) } == "2026-11-21T01:52:19.123Z")
        let late = CivilTime(milliseconds: 253_402_300_800_000)
        #expect(Self.text { $0.append(late) } == "10000-01-01T00:00:00.000Z")
    }

    @Test("is as long as it was after a cut, and goes on from there")
    func cutting() {
        let text = Self.text { buffer in
            buffer.append("kept, removed")
            buffer.cut(to: 6)
            buffer.cut(to: 100)
            buffer.append("and more")
            #expect(buffer.count == 14)
            #expect(buffer.withSpan { $0.count } == 14)
        }
        #expect(text == "kept, and more")
        #expect(Self.text { $0.cut(to: -1) }.isEmpty)
    }

    @Test("knows a text that needs no escape")
    func plain() {
        for scalar in (0...0x17F as ClosedRange<UInt32>).compactMap({ Unicode.Scalar($0) }) {
            let isPlain =
                scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\""
                && scalar != "\\"
            _ = Self.text { buffer in
                buffer.append("\"")
                buffer.append(string: "ab\(scalar)c")
                #expect(buffer.isPlain(from: 1) == isPlain, "\(scalar.value)")
                #expect(!buffer.isPlain(from: 0) && buffer.isPlain(from: buffer.count))
            }
            for length in 0..<20 {
                let before = String(repeating: "~", count: length)
                _ = Self.text { buffer in
                    buffer.append(string: "\(before)\(scalar) a rest !#[]")
                    #expect(buffer.isPlain(from: 0) == isPlain, "\(scalar.value) at \(length)")
                }
            }
        }
    }
}
