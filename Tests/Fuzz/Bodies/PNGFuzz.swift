@testable internal import PNG
internal import System

/// What a fuzzer feeds: reads any bytes as a PNG, as they are and with the checksums of all chunks made right, since a
/// fuzzer finds no checksum. What is read must not depend on the bytes behind the end, and an image that cannot be
/// transparent must have no transparent pixel, and a smaller copy must be a PNG; nothing may trap.
package func fuzzPNG(_ bytes: Span<UInt8>) {
    let given = bytes.copied()
    check(given)
    check(repaired(given))
}

private func check(_ bytes: [UInt8]) {
    guard let facts = try? PNGFacts(reading: bytes.span) else { return }
    let whole = Array(bytes.dropLast(facts.trailingByteCount))
    guard let again = try? PNGFacts(reading: whole.span) else {
        preconditionFailure("the image needs what is behind it")
    }
    precondition(
        again.trailingByteCount == 0 && again.width == facts.width && again.colorType == facts.colorType
    )
    let pixels = try? PNGTransparency(decoding: bytes.span, facts: facts, limitCount: 1 << 16)
    guard let pixels else { return }
    precondition(pixels.pixelCount <= facts.width * facts.height, "more pixels than there are")
    precondition(facts.mayBeTransparent || pixels.pixelCount == 0, "a transparent pixel without opacity")
    guard let copy = try? PNGReduction(of: bytes.span, facts: facts, factor: 3, limitCount: 1 << 16) else {
        preconditionFailure("no copy of pixels that can be decoded")
    }
    guard let small = try? PNGFacts(reading: copy.bytes.span) else {
        preconditionFailure("the copy is not a PNG")
    }
    precondition(small.width == (facts.width + 2) / 3 && small.height == (facts.height + 2) / 3)
}

private func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var offset = 8
    while let length = bytes.span.bigEndian(at: offset), length <= bytes.count - offset - 12 {
        let end = offset + 8 + length
        let checksum = CRC32.checksum(bytes.span.extracting(offset + 4..<end), .iso3309)
        for place in 0..<4 {
            bytes[end + place] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * place))
        }
        offset = end + 4
    }
    return bytes
}
