@testable import PNG
import Support
import Testing

@Suite("The transparent pixels of a PNG")
struct PNGTransparencyTests {
    private static func transparency(_ bytes: [UInt8], limit: Int = 1 << 20) throws(PNGError)
        -> PNGTransparency
    {
        let facts = try PNGFacts(reading: bytes.span)
        return try PNGTransparency(decoding: bytes.span, facts: facts, limitCount: limit)
    }

    @Test("are counted in each form that can have any", arguments: [false, true])
    func forms(isInterlaced: Bool) throws {
        for (colorType, bitDepth) in [(UInt8(4), UInt8(8)), (4, 16), (6, 8), (6, 16)] {
            var image = TestPNG(9, 5)
            image.colorType = colorType
            image.bitDepth = bitDepth
            image.isInterlaced = isInterlaced
            let opaque = try Self.transparency(image.bytes())
            #expect(opaque == PNGTransparency(pixelCount: 0, first: nil))
            image.fill = 0
            let clear = try Self.transparency(image.bytes())
            #expect(clear.pixelCount == 45 && clear.first == PNGTransparency.Place(x: 0, y: 0))
        }
    }

    @Test("have the place of the first")
    func first() throws {
        var image = TestPNG(9, 5)
        image.colorType = 6
        image.patches = [(2, 4 * 4 + 3, 0xFE), (2, 7 * 4 + 3, 0), (4, 3, 0x80)]
        let found = try Self.transparency(image.bytes())
        #expect(found.pixelCount == 3 && found.first == PNGTransparency.Place(x: 4, y: 2))
    }

    @Test("are found where tRNS names their colour, and only there")
    func transparencyChunk() throws {
        var palette = TestPNG(3, 1)
        palette.colorType = 3
        palette.fill = 0
        palette.patches = [(0, 1, 1)]
        palette.chunks = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [255, 127])]
        #expect(
            try Self.transparency(palette.bytes()) == PNGTransparency(pixelCount: 1, first: .init(x: 1, y: 0))
        )
        palette.chunks = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [255, 255])]
        #expect(try Self.transparency(palette.bytes()).pixelCount == 0)
        var color = TestPNG(3, 1)
        color.patches = [(0, 3, 7)]
        color.chunks = [("tRNS", [0, 7, 0, 255, 0, 255])]
        #expect(
            try Self.transparency(color.bytes()) == PNGTransparency(pixelCount: 1, first: .init(x: 1, y: 0))
        )
    }

    @Test("are not looked for in an image above the limit, and nothing is allocated")
    func limits() throws {
        var image = TestPNG(2, 2)
        image.colorType = 6
        #expect(try Self.transparency(image.bytes(), limit: 4).pixelCount == 0)
        #expect(throws: PNGError.damaged("4 pixels, more than the limit of 3")) {
            try Self.transparency(image.bytes(), limit: 3)
        }
        // 65,535 x 65,535 pixels of four bytes would be 16 GiB.
        let header = TestPNG(65_535, 65_535).header
        let huge =
            TestPNG.signature + TestPNG.chunk("IHDR", header)
            + TestPNG.chunk("IDAT", TestPNG.stored([0])) + TestPNG.chunk("IEND", [])
        #expect(throws: PNGError.damaged("\(65_535 * 65_535) pixels, more than the limit of \(1 << 20)")) {
            try Self.transparency(huge)
        }
    }

    @Test("are not counted of pixels that libpng cannot decode")
    func undecodable() throws {
        let header = TestPNG(2, 2).header
        for data in [
            [], [0x78], TestPNG.stored([0]), [1, 2, 3, 4],
            TestPNG.stored([9] + [UInt8](repeating: 0, count: 20)),
        ] {
            let bytes =
                TestPNG.signature + TestPNG.chunk("IHDR", header) + TestPNG.chunk("IDAT", data)
                + TestPNG.chunk("IEND", [])
            let error = #expect(throws: PNGError.self) { try Self.transparency(bytes) }
            #expect(error?.description.contains("pixels that cannot be decoded: ") == true, "\(data)")
        }
    }
}
