import Testing

@testable import AppStoreSimulator

@Suite("The header of a PNG")
struct PNGHeaderTests {
    private func header(_ bytes: [UInt8]) -> PNGHeader? { PNGHeader(bytes.span) }

    @Test(
        "says size and transparency",
        arguments: [(0, false), (2, false), (3, false), (4, true), (6, true)] as [(UInt8, Bool)]
    )
    func colours(colour: UInt8, isTransparent: Bool) throws {
        let bytes = TestPNG.make(width: 7, height: 9, colour: colour)
        let found = try #require(header(bytes))
        #expect(found.width == 7 && found.height == 9)
        #expect(found.hasTransparency == isTransparent)
    }

    @Test("knows a transparent colour, 16 bit and interlacing")
    func variants() throws {
        let transparent = TestPNG.make(width: 1, height: 1, colour: 3, between: [TestPNG.chunk("tRNS", [0])])
        #expect(header(transparent)?.hasTransparency == true)
        #expect(header(TestPNG.make(width: 1, height: 1, depth: 16, interlace: 1)) != nil)
        #expect(header(TestPNG.make(width: 1, height: 1, between: [TestPNG.chunk("tEXt", [1])])) != nil)
    }

    @Test("is not found in anything else")
    func refused() {
        let good = TestPNG.full
        var bad: [[UInt8]] = [
            [], Array("GIF89a".utf8), TestPNG.signature, Array(good.dropLast()), good + [0],
            TestPNG.make(width: 0, height: 1), TestPNG.make(width: 1, height: 0),
            TestPNG.make(width: 1 << 31, height: 1), TestPNG.make(width: 1, height: 1, depth: 4),
            TestPNG.make(width: 1, height: 1, colour: 5), TestPNG.make(width: 1, height: 1, interlace: 2),
            TestPNG.make(
                width: 1, height: 1, between: [TestPNG.chunk("IHDR", [UInt8](repeating: 1, count: 13))]),
            TestPNG.signature + TestPNG.chunk("IDAT") + TestPNG.chunk("IEND"),
            TestPNG.signature + TestPNG.chunk("IHDR", [1]) + TestPNG.chunk("IEND"),
            TestPNG.signature + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IHDR".utf8)
                + [UInt8](repeating: 0, count: 40),
            TestPNG.make(width: 1, height: 1, between: [TestPNG.chunk("IEND", [1])]),
        ]
        for index in good.indices {
            var flipped = good
            flipped[index] ^= 0x10
            bad.append(flipped)
        }
        for count in 0..<good.count { bad.append(Array(good.prefix(count))) }
        for bytes in bad { #expect(header(bytes) == nil) }
    }
}
