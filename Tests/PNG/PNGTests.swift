import PNG
import Support
import Testing

@Suite("A PNG")
struct PNGTests {
    private static func error(_ bytes: [UInt8]) -> PNGError? {
        do throws(PNGError) {
            _ = try PNGFacts(reading: bytes.span)
            return nil
        } catch { return error }
    }

    private static func pixels(_ bytes: [UInt8]) throws(PNGError) -> PNGPixels {
        try PNGPixels(decoding: bytes.span, facts: PNGFacts(reading: bytes.span))
    }

    @Test("has the size of its header, and may be transparent with an alpha channel or a tRNS chunk")
    func facts() throws {
        var image = TestPNG(7, 3)
        var facts = try PNGFacts(reading: image.bytes().span)
        #expect(facts.width == 7 && facts.height == 3 && !facts.mayBeTransparent)
        image.chunks = [("tRNS", [0, 0, 0, 0, 0, 0])]
        facts = try PNGFacts(reading: image.bytes().span)
        #expect(facts.mayBeTransparent)
        (image.colorType, image.chunks) = (6, [])
        facts = try PNGFacts(reading: image.bytes().span)
        #expect(facts.mayBeTransparent)
    }

    @Test("is refused when it ends too early, or with a changed byte, wherever it stands")
    func damaged() {
        let bytes = TestPNG(2, 2).bytes()
        for count in bytes.indices {
            let error = Self.error(Array(bytes[..<count]))
            #expect(count < 8 ? error == .notPNG : error != nil && error != .notPNG, "\(count) bytes")
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x40
            #expect(Self.error(changed) != nil, "byte \(index)")
        }
    }

    @Test("has its first transparent pixel found in each form that can have one", arguments: [false, true])
    func transparency(isInterlaced: Bool) throws {
        for (colorType, bitDepth) in [(UInt8(4), UInt8(8)), (4, 16), (6, 8), (6, 16)] {
            var image = TestPNG(9, 5)
            (image.colorType, image.bitDepth, image.isInterlaced) = (colorType, bitDepth, isInterlaced)
            #expect(try Self.pixels(image.bytes()).firstTransparent == nil)
            image.fill = 0
            let first = try Self.pixels(image.bytes()).firstTransparent
            #expect(first?.x == 0 && first?.y == 0)
        }
        var image = TestPNG(9, 5)
        image.colorType = 6
        image.patches = [(2, 4 * 4 + 3, 0xFE), (4, 3, 0x80)]
        let first = try Self.pixels(image.bytes()).firstTransparent
        #expect(first?.x == 4 && first?.y == 2)
        var palette = TestPNG(3, 1)
        (palette.colorType, palette.fill, palette.patches) = (3, 0, [(0, 1, 1)])
        palette.chunks = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [255, 127])]
        #expect(try Self.pixels(palette.bytes()).firstTransparent?.x == 1)
    }

    @Test("is not decoded above the limit, or when libpng cannot")
    func undecodable() throws {
        // 65,535 x 65,535 pixels of four bytes would be 16 GiB.
        for header in [TestPNG(65_535, 65_535).header, TestPNG(2, 2).header] {
            let bytes =
                TestPNG.signature + TestPNG.chunk("IHDR", header)
                + TestPNG.chunk("IDAT", TestPNG.stored([0])) + TestPNG.chunk("IEND", [])
            #expect(throws: PNGError.self) { try Self.pixels(bytes) }
        }
    }

    @Test("has a smaller copy with the mean of each square, and of what is left at the edges")
    func copy() throws {
        var image = TestPNG(5, 3)
        (image.colorType, image.fill) = (0, 0)
        // The first square has 0, 100, 0 and 100; that at the lower right edge is one pixel.
        image.patches = [(0, 1, 100), (1, 1, 100), (2, 4, 33)]
        let copy = try Self.pixels(image.bytes()).reduced(by: 2)
        let facts = try PNGFacts(reading: copy.span)
        #expect(facts.width == 3 && facts.height == 2 && !facts.mayBeTransparent)
        var wanted = TestPNG(3, 2)
        (wanted.colorType, wanted.fill, wanted.patches) = (0, 0, [(0, 0, 50), (1, 2, 33)])
        #expect(try Self.pixels(copy).reduced(by: 1) == Self.pixels(wanted.bytes()).reduced(by: 1))
    }
}
