internal import CPNG

/// The pixels of a PNG, decoded by libpng.
struct PNGPixels {
    /// Red, green, blue and opacity of each pixel, 8 bits each, row by row from the top.
    let rgba: [UInt8]

    /// Decodes a PNG.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - facts: its facts.
    ///   - limitCount: the most pixels to decode; each needs four bytes of memory.
    /// - Throws: for too many pixels before anything is allocated, and for pixels that libpng does not decode.
    init(decoding bytes: Span<UInt8>, facts: PNGFacts, limitCount: Int) throws(PNGError) {
        // Both factors are below 2^31, so the product fits.
        let count = facts.width * facts.height
        guard count <= limitCount else {
            throw .damaged("\(count) pixels, more than the limit of \(limitCount)")
        }
        var pixels = [UInt8](repeating: 0, count: count * 4)
        var message = [CChar](repeating: 0, count: 64)
        let isDecoded = unsafe bytes.withUnsafeBytes { block in
            unsafe rt_png_decode_rgba(
                block.baseAddress, block.count, UInt32(facts.width), UInt32(facts.height), &pixels, &message)
        }
        guard isDecoded == 1 else { throw .damaged("pixels that cannot be decoded: \(Self.words(message))") }
        rgba = pixels
    }

    /// Encodes rows of red, green and blue, 8 bits each, as a PNG.
    ///
    /// - Parameters:
    ///   - rgb: the rows from the top, without gaps.
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - isSRGB: false when the caller adds a profile of the colours.
    /// - Returns: the file.
    /// - Throws: libpng's words.
    static func encode(_ rgb: [UInt8], width: Int, height: Int, isSRGB: Bool) throws(PNGError) -> [UInt8] {
        precondition(rgb.count == width * height * 3, "rows with gaps")
        let (columns, rows) = (UInt32(width), UInt32(height))
        var bytes = [UInt8](repeating: 0, count: rt_png_rgb_bound(columns, rows))
        var count = bytes.count
        var message = [CChar](repeating: 0, count: 64)
        let isDone = unsafe rt_png_encode_rgb(rgb, columns, rows, isSRGB ? 1 : 0, &bytes, &count, &message)
        guard isDone == 1 else { throw .damaged("pixels that cannot be encoded: \(words(message))") }
        return Array(bytes.prefix(count))
    }

    private static func words(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
