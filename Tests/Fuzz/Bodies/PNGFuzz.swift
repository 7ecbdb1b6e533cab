internal import PNG
internal import System

/// What a fuzzer feeds: reads any bytes as a PNG, as they are and with the checksums of all chunks made right, since a
/// fuzzer finds no checksum. A smaller copy of pixels that can be decoded must be a PNG; nothing may trap.
package func fuzzPNG(_ bytes: Span<UInt8>) {
    let given = bytes.copied()
    check(given)
    check(repaired(given))
}

private func check(_ bytes: [UInt8]) {
    guard let facts = try? PNGFacts(reading: bytes.span), facts.width * facts.height <= 1 << 16,
        let pixels = try? PNGPixels(decoding: bytes.span, facts: facts)
    else { return }
    precondition(facts.mayBeTransparent || pixels.firstTransparent == nil, "transparent without opacity")
    guard let copy = try? pixels.reduced(by: 3), let small = try? PNGFacts(reading: copy.span) else {
        preconditionFailure("no copy of pixels that can be decoded")
    }
    precondition(small.width == (facts.width + 2) / 3 && small.height == (facts.height + 2) / 3)
}

private func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var offset = 8
    while bytes.count - offset >= 12 {
        let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - offset - 12 else { break }
        let end = offset + 8 + length
        let checksum = CRC32.checksum(bytes.span.extracting(offset + 4..<end), .iso3309)
        for place in 0..<4 {
            bytes[end + place] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * place))
        }
        offset = end + 4
    }
    return bytes
}
