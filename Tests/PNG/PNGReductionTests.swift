@testable import PNG
import Support
import Testing

@Suite("A smaller copy of a PNG")
struct PNGReductionTests {
    /// Returns the copy's dimensions and its pixels.
    private static func reduce(_ image: TestPNG, by factor: Int) throws -> (PNGFacts, [[UInt8]]) {
        let bytes = image.bytes()
        let copy = try PNGReduction(
            of: bytes.span, facts: PNGFacts(reading: bytes.span), factor: factor, limitCount: 1 << 20)
        let facts = try PNGFacts(reading: copy.bytes.span)
        let rgba = try PNGPixels(decoding: copy.bytes.span, facts: facts, limitCount: 1 << 20).rgba
        return (facts, stride(from: 0, to: rgba.count, by: 4).map { Array(rgba[$0..<$0 + 4]) })
    }

    @Test("has the mean of each square, and of what is left at the edges")
    func means() throws {
        var image = TestPNG(5, 3)
        (image.colorType, image.fill) = (0, 0)
        // The first square has 0, 100, 0 and 100; that at the lower right edge is one pixel.
        image.patches = [(0, 1, 100), (1, 1, 100), (2, 4, 33)]
        let (facts, pixels) = try Self.reduce(image, by: 2)
        #expect(facts.width == 3 && facts.height == 2 && facts.colorType == .rgb && facts.bitDepth == 8)
        #expect(pixels.map { $0[0] } == [50, 0, 0, 0, 0, 33])
        #expect(pixels.allSatisfy { $0[0] == $0[1] && $0[1] == $0[2] && $0[3] == 255 })
    }

    @Test("keeps the colours apart", arguments: [false, true])
    func colours(isInterlaced: Bool) throws {
        var image = TestPNG(4, 4)
        (image.fill, image.isInterlaced) = (0, isInterlaced)
        if !isInterlaced { image.patches = (0..<4).flatMap { row in (0..<4).map { (row, $0 * 3 + 1, 200) } } }
        let (_, pixels) = try Self.reduce(image, by: 4)
        #expect(pixels == [[0, isInterlaced ? 0 : 200, 0, 255]])
    }

    @Test("is the image itself for squares of one pixel")
    func whole() throws {
        var image = TestPNG(3, 2)
        image.patches = [(1, 4, 17)]
        let (facts, pixels) = try Self.reduce(image, by: 1)
        #expect(facts.width == 3 && facts.height == 2)
        #expect(pixels[4] == [255, 17, 255, 255] && pixels[0] == [255, 255, 255, 255])
    }

    @Test("has the profile of the colours, and then does not claim others")
    func profile() throws {
        var image = TestPNG(8, 8)
        let plain = try Self.chunks(of: image)
        #expect(plain.contains("sRGB") && !plain.contains("iCCP"))
        image.chunks = [("iCCP", Array("p".utf8) + [0, 0] + TestPNG.stored([1, 2, 3]))]
        let tagged = try Self.chunks(of: image)
        #expect(tagged.prefix(2) == ["IHDR", "iCCP"] && !tagged.contains("sRGB"))
    }

    private static func chunks(of image: TestPNG) throws -> [String] {
        let bytes = image.bytes()
        let facts = try PNGFacts(reading: bytes.span)
        let copy = try PNGReduction(of: bytes.span, facts: facts, factor: 2, limitCount: 100).bytes
        var types: [String] = []
        var offset = 8
        while let length = copy.span.bigEndian(at: offset), length <= copy.count - offset - 12 {
            types.append(String(decoding: copy[offset + 4..<offset + 8], as: UTF8.self))
            offset += length + 12
        }
        #expect(types.last == "IEND" && (try? PNGFacts(reading: copy.span)) != nil)
        return types
    }

    @Test("is refused above the limit and for pixels that cannot be decoded")
    func refusals() throws {
        let image = TestPNG(4, 4)
        let bytes = image.bytes()
        let facts = try PNGFacts(reading: bytes.span)
        #expect(throws: PNGError.damaged("16 pixels, more than the limit of 15")) {
            try PNGReduction(of: bytes.span, facts: facts, factor: 2, limitCount: 15)
        }
        let broken =
            TestPNG.signature + TestPNG.chunk("IHDR", image.header) + TestPNG.chunk("IDAT", [1, 2, 3])
            + TestPNG.chunk("IEND", [])
        let error = #expect(throws: PNGError.self) {
            try PNGReduction(
                of: broken.span, facts: PNGFacts(reading: broken.span), factor: 2, limitCount: 16)
        }
        #expect(error?.description.contains("pixels that cannot be decoded: ") == true)
    }
}
