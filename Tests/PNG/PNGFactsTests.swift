@testable import PNG
import Support
import Testing

@Suite("The facts of a PNG")
struct PNGFactsTests {
    private static func error(_ bytes: [UInt8]) -> PNGError? {
        do throws(PNGError) {
            _ = try PNGFacts(reading: bytes.span)
            return nil
        } catch { return error }
    }

    @Test("are those of its header and its chunks")
    func good() throws {
        var image = TestPNG(7, 3)
        var facts = try PNGFacts(reading: image.bytes().span)
        #expect(facts.width == 7 && facts.height == 3 && facts.bitDepth == 8 && facts.colorType == .rgb)
        #expect(!facts.mayBeTransparent && !facts.isInterlaced && !facts.isAnimated)
        #expect(facts.trailingByteCount == 0)
        image.colorType = 3
        image.bitDepth = 4
        image.isInterlaced = true
        image.chunks = [("PLTE", [1, 2, 3]), ("tRNS", [0]), ("acTL", [0, 0, 0, 1, 0, 0, 0, 0])]
        facts = try PNGFacts(reading: (image.bytes() + [1, 2]).span)
        #expect(facts.bitDepth == 4 && facts.colorType == .palette && facts.isInterlaced && facts.isAnimated)
        #expect(facts.hasTransparencyChunk && facts.mayBeTransparent && !facts.hasAlphaChannel)
        #expect(facts.trailingByteCount == 2)
    }

    @Test("leave out a tRNS and an acTL behind the pixels, which have no effect there")
    func behindThePixels() throws {
        let image = TestPNG(1, 1)
        let end = TestPNG.chunk("IEND", [])
        let late = TestPNG.chunk("tRNS", [0, 0, 0, 0, 0, 0]) + TestPNG.chunk("acTL", [])
        let facts = try PNGFacts(reading: (image.bytes().dropLast(12) + late + end).span)
        #expect(!facts.hasTransparencyChunk && !facts.isAnimated)
    }

    @Test("are never read of a file that ends too early")
    func truncated() {
        let bytes = TestPNG(2, 2).bytes()
        for count in 0..<bytes.count {
            let error = Self.error(Array(bytes[..<count]))
            if count < 8 {
                #expect(error == .notPNG)
            } else {
                #expect(error?.description.hasPrefix("ends inside the chunk at byte ") == true)
            }
        }
    }

    @Test("are never read of a file with a changed byte, wherever it stands")
    func changed() {
        let bytes = TestPNG(2, 2).bytes()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x40
            #expect(Self.error(changed) != nil, "byte \(index)")
        }
    }

    private static let start = TestPNG.signature
    private static let end = TestPNG.chunk("IEND", [])
    private static let data = TestPNG.chunk("IDAT", TestPNG.stored([0, 0]))

    /// A file with a header of a grey pixel and other numbers where `change` sets them.
    private static func header(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var image = TestPNG(1, 1)
        image.colorType = 0
        var header = image.header
        change(&header)
        return start + TestPNG.chunk("IHDR", header)
    }

    @Test("have an error for each way in which a header contradicts the specification")
    func headers() {
        let changes: [(inout [UInt8]) -> Void] = [
            { $0[3] = 0 }, { $0[7] = 0 }, { $0[0] = 0x80 }, { $0[4] = 0xFF }, { $0[8] = 3 }, { $0[8] = 0 },
            { $0[9] = 1 }, { $0[9] = 5 }, { $0[9] = 7 }, { $0[10] = 1 }, { $0[11] = 1 }, { $0[12] = 2 },
            { $0.append(0) }, { $0.removeLast() }, { $0 = [] },
            {
                $0[9] = 2; $0[8] = 4
            },
            {
                $0[9] = 3; $0[8] = 16
            },
        ]
        for (number, change) in changes.enumerated() {
            #expect(
                Self.error(Self.header(change) + Self.data + Self.end) == .damaged("a wrong header (IHDR)"),
                "\(number)")
        }
        #expect(Self.error(Self.start + Self.data + Self.end) == .damaged("a wrong header (IHDR)"))
    }

    private static func badChunk(_ offset: Int) -> PNGError {
        .damaged("a wrong or misplaced chunk at byte \(offset)")
    }

    @Test("have an error for each chunk that must not stand where it stands")
    func chunks() {
        let head = Self.header { _ in }
        let color = Self.header { $0[9] = 2 }
        let palette = TestPNG.chunk("PLTE", [1, 2, 3])
        let rows: [(bytes: [UInt8], error: PNGError)] = [
            (head + Self.end, .damaged("no image data, or no palette")),
            (Self.header { $0[9] = 3 } + Self.data + Self.end, .damaged("no image data, or no palette")),
            (head + palette + Self.data + Self.end, Self.badChunk(33)),
            (color + palette + palette + Self.data + Self.end, Self.badChunk(48)),
            (color + TestPNG.chunk("PLTE", [1, 2]) + Self.data + Self.end, Self.badChunk(33)),
            (color + TestPNG.chunk("PLTE", []) + Self.data + Self.end, Self.badChunk(33)),
            (head + Self.data + head.dropFirst(8) + Self.end, Self.badChunk(33 + Self.data.count)),
            (
                head + Self.data + TestPNG.chunk("tEXt", []) + Self.data + Self.end,
                Self.badChunk(33 + Self.data.count + 12)
            ),
            (head + TestPNG.chunk("ABCD", []) + Self.data + Self.end, Self.badChunk(33)),
            (head + TestPNG.chunk("a1CD", []) + Self.data + Self.end, Self.badChunk(33)),
            (head + Self.data + TestPNG.chunk("IEND", [1]), Self.badChunk(33 + Self.data.count)),
            (head + [0xFF, 0xFF, 0xFF, 0xFF] + Self.data.dropFirst(4), Self.badChunk(33)),
            (
                head + [0x7F, 0xFF, 0xFF, 0xFF] + Self.data.dropFirst(4),
                .damaged("ends inside the chunk at byte 33")
            ),
            (
                head + Self.data.dropLast() + [Self.data.last.map { $0 ^ 1 } ?? 0] + Self.end,
                .damaged("a wrong checksum of the chunk IDAT at byte 33")
            ),
        ]
        for (number, row) in rows.enumerated() { #expect(Self.error(row.bytes) == row.error, "\(number)") }
    }
}
