/// The transparent pixels of an image.
public struct PNGTransparency: Sendable, Hashable {
    /// The number of pixels that are not fully opaque.
    public let pixelCount: Int
    /// The column and the row, from 0, of the first of them; nil when all pixels are opaque.
    public let first: Place?

    /// The place of a pixel.
    public struct Place: Sendable, Hashable {
        /// The column, from 0.
        public let x: Int
        /// The row, from 0.
        public let y: Int
    }

    init(pixelCount: Int, first: Place?) {
        self.pixelCount = pixelCount
        self.first = first
    }

    /// Decodes a PNG with libpng and looks at the opacity of every pixel. An opacity of 16 bits is rounded to 8 bits, so a
    /// pixel counts as transparent when a screen could show that.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - facts: its facts.
    ///   - limitCount: the most pixels to decode; each needs four bytes of memory.
    /// - Throws: ``PNGError/tooManyPixels(pixelCount:limitCount:)`` before anything is allocated, or
    ///   ``PNGError/undecodable(_:)``.
    public init(decoding bytes: Span<UInt8>, facts: PNGFacts, limitCount: Int) throws(PNGError) {
        let pixels = try PNGPixels(decoding: bytes, facts: facts, limitCount: limitCount).rgba
        let count = facts.width * facts.height
        let span = pixels.span
        var transparent = 0
        var first: Int?
        for index in 0..<count where span[index * 4 + 3] != 0xFF {
            transparent += 1
            if first == nil { first = index }
        }
        self.init(
            pixelCount: transparent,
            first: first.map { Place(x: $0 % facts.width, y: $0 / facts.width) }
        )
    }
}
