/// The transparent pixels of an image.
package struct PNGTransparency: Sendable, Hashable {
    /// The number of pixels that are not fully opaque.
    package let pixelCount: Int
    /// The column and the row, from 0, of the first of them; nil when all pixels are opaque.
    package let first: Place?

    package struct Place: Sendable, Hashable {
        /// The column, from 0.
        package let x: Int
        /// The row, from 0.
        package let y: Int
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
    /// - Throws: for too many pixels before anything is allocated, and for pixels that libpng does not decode.
    package init(decoding bytes: Span<UInt8>, facts: PNGFacts, limitCount: Int) throws(PNGError) {
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
