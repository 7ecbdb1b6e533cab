/// A smaller copy of an image, for a preview.
package struct PNGReduction: Sendable, Hashable {
    /// The copy as a PNG file without transparency.
    package let bytes: [UInt8]

    /// Makes a copy in which each pixel is the mean of a square of pixels. A profile of the colours is copied as well.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - facts: its facts.
    ///   - factor: the side of a square, at least 1. A square at the right or the lower edge may be smaller.
    ///   - limitCount: the most pixels to decode; each needs four bytes of memory.
    /// - Throws: what is wrong with pixels that are too many, or that libpng does not decode.
    package init(of bytes: Span<UInt8>, facts: PNGFacts, factor: Int, limitCount: Int) throws(PNGError) {
        precondition(factor >= 1, "no pixels in a square")
        let pixels = try PNGPixels(decoding: bytes, facts: facts, limitCount: limitCount).rgba
        let width = (facts.width + factor - 1) / factor
        let height = (facts.height + factor - 1) / factor
        let rgb = Self.means(of: pixels.span, facts, factor, width: width, height: height)
        let plain = try PNGPixels.encode(rgb, width: width, height: height, isSRGB: facts.profile == nil)
        guard let profile = facts.profile else {
            self.bytes = plain
            return
        }
        // A profile stands between the header and the pixels.
        let header = PNGWalk.signature.count + 25
        let chunk = profile.map { bytes[$0] }
        self.bytes = Array(plain[..<header]) + chunk + Array(plain[header...])
    }

    private static func means(
        of pixels: Span<UInt8>, _ facts: PNGFacts, _ factor: Int, width: Int, height: Int
    ) -> [UInt8] {
        var means: [UInt8] = []
        means.reserveCapacity(width * height * 3)
        for row in 0..<height {
            let rows = row * factor..<min((row + 1) * factor, facts.height)
            for column in 0..<width {
                let columns = column * factor..<min((column + 1) * factor, facts.width)
                var (red, green, blue) = (0, 0, 0)
                for y in rows {
                    for x in columns {
                        let place = (y * facts.width + x) * 4
                        red += Int(pixels[place])
                        green += Int(pixels[place + 1])
                        blue += Int(pixels[place + 2])
                    }
                }
                let count = rows.count * columns.count
                for sum in [red, green, blue] { means.append(UInt8((sum + count / 2) / count)) }
            }
        }
        return means
    }
}
