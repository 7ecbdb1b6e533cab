/// The properties of a PNG that its chunks state: size, form of the pixels, animation. Nothing is decompressed.
///
///     let facts = try PNGFacts(reading: bytes.span)
///     let fits = facts.width == 3840 && !facts.mayBeTransparent
///
/// Source: Portable Network Graphics (PNG) Specification, third edition (W3C). The bytes may be hostile: every length is
/// compared with the bytes that are there, and nothing is allocated in proportion to a number in the file.
package struct PNGFacts: Sendable, Hashable {
    /// The kinds of pixels. The raw values are the numbers in the header.
    package enum ColorType: UInt8, Sendable, Hashable, CaseIterable {
        case grey = 0
        /// Red, green and blue.
        case rgb = 2
        case palette = 3
        case greyAlpha = 4
        /// Red, green, blue and opacity.
        case rgba = 6

        /// The bit depths that the specification allows.
        var bitDepths: [UInt8] {
            switch self {
            case .grey: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .greyAlpha, .rgba: [8, 16]
            }
        }
    }

    /// The width in pixels, 1 to 2^31 - 1.
    package let width: Int
    /// The height in pixels, 1 to 2^31 - 1.
    package let height: Int
    /// The bits of each number of a pixel: 1, 2, 4, 8 or 16.
    package let bitDepth: Int
    package let colorType: ColorType
    /// True when the pixels stand in the order of Adam7, so that a coarse image can be shown early.
    package let isInterlaced: Bool
    /// True when the chunk tRNS makes some colours transparent.
    package internal(set) var hasTransparencyChunk = false
    /// True when the file is an animation (APNG, chunk acTL).
    package internal(set) var isAnimated = false
    /// The number of bytes behind the end of the image.
    package internal(set) var trailingByteCount = 0

    /// The place of the chunk iCCP, a profile of the colours; nil when the file has none.
    var profile: Range<Int>?

    /// True when each pixel has an opacity of its own.
    package var hasAlphaChannel: Bool { colorType == .greyAlpha || colorType == .rgba }

    /// True when a pixel may be transparent: the pixels have an opacity, or some colours are transparent.
    package var mayBeTransparent: Bool { hasAlphaChannel || hasTransparencyChunk }

    /// Reads the chunks of a whole file, with their checksums.
    package init(reading bytes: Span<UInt8>) throws(PNGError) {
        self = try PNGWalk.facts(of: bytes)
    }

    init(header: Span<UInt8>) throws(PNGError) {
        guard header.count == 13, let width = header.bigEndian(at: 0), let height = header.bigEndian(at: 4),
            width > 0, height > 0, width <= PNGWalk.greatestNumber, height <= PNGWalk.greatestNumber,
            let type = ColorType(rawValue: header[9]), type.bitDepths.contains(header[8]),
            header[10] == 0, header[11] == 0, header[12] <= 1
        else { throw .damaged("a wrong header (IHDR)") }
        self.width = width
        self.height = height
        bitDepth = Int(header[8])
        colorType = type
        isInterlaced = header[12] == 1
    }
}

extension Span<UInt8> {
    /// Reads four bytes from `offset` as a number; nil when they are not all inside.
    func bigEndian(at offset: Int) -> Int? {
        guard offset >= 0, count >= 4, offset <= count - 4 else { return nil }
        return Int(self[offset]) << 24 | Int(self[offset + 1]) << 16 | Int(self[offset + 2]) << 8
            | Int(self[offset + 3])
    }
}
