internal import CPNG

/// The pixels of a PNG, decoded by libpng.
package struct PNGPixels: Sendable {
    private let width: Int
    private let height: Int
    /// Red, green, blue and opacity of each pixel, 8 bits each, row by row from the top.
    private let rgba: [UInt8]

    /// The most pixels that are decoded: those of the largest image that Apple takes.
    package static let limitCount = 3840 * 2160

    package init(decoding bytes: Span<UInt8>, facts: PNGFacts) throws(PNGError) {
        // Both factors are below 2^31, so the product fits.
        let count = facts.width * facts.height
        guard count <= Self.limitCount else {
            throw .damaged("\(count) pixels, more than the limit of \(Self.limitCount)")
        }
        var pixels = [UInt8](repeating: 0, count: count * 4)
        var message = [CChar](repeating: 0, count: 64)
        let isDecoded = unsafe bytes.withUnsafeBytes { block in
            unsafe rt_png_decode_rgba(
                block.baseAddress, block.count, UInt32(facts.width), UInt32(facts.height), &pixels, &message)
        }
        guard isDecoded == 1 else { throw .damaged("pixels that cannot be decoded: \(Self.words(message))") }
        (width, height, rgba) = (facts.width, facts.height, pixels)
    }

    /// The column and the row, from 0, of the first pixel that is not opaque; nil when all are.
    package var firstTransparent: (x: Int, y: Int)? {
        let span = rgba.span
        for index in 0..<width * height where span[index * 4 + 3] != 0xFF {
            return (index % width, index / width)
        }
        return nil
    }

    /// Returns a smaller copy as a PNG file, in which each pixel is the mean of a square of `factor` pixels on each side.
    package func reduced(by factor: Int) throws(PNGError) -> [UInt8] {
        precondition(factor >= 1, "no pixels in a square")
        let (columns, rows) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
        let rgb = means(factor, columns: columns, rows: rows)
        var bytes = [UInt8](repeating: 0, count: rt_png_rgb_bound(UInt32(columns), UInt32(rows)))
        var count = bytes.count
        var message = [CChar](repeating: 0, count: 64)
        let isDone = unsafe rt_png_encode_rgb(
            rgb, UInt32(columns), UInt32(rows), 1, &bytes, &count, &message)
        guard isDone == 1 else {
            throw .damaged("pixels that cannot be encoded: \(Self.words(message))")
        }
        return Array(bytes.prefix(count))
    }

    private func means(_ factor: Int, columns: Int, rows: Int) -> [UInt8] {
        let pixels = rgba.span
        var means: [UInt8] = []
        means.reserveCapacity(columns * rows * 3)
        for row in 0..<rows {
            for column in 0..<columns {
                var sums = (red: 0, green: 0, blue: 0, count: 0)
                for y in row * factor..<min((row + 1) * factor, height) {
                    for x in column * factor..<min((column + 1) * factor, width) {
                        let place = (y * width + x) * 4
                        sums.red += Int(pixels[place])
                        sums.green += Int(pixels[place + 1])
                        sums.blue += Int(pixels[place + 2])
                        sums.count += 1
                    }
                }
                for sum in [sums.red, sums.green, sums.blue] {
                    means.append(UInt8((sum + sums.count / 2) / sums.count))
                }
            }
        }
        return means
    }

    private static func words(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
