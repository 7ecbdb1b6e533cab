public import Cryptography
public import PNG

/// The facts about a PNG file that a catalogue needs. The bytes are read once and not kept.
public struct ImageFile: Sendable {
    /// The length of the file in bytes.
    public let byteCount: Int
    public let digest: SHA256Digest
    /// The facts of the PNG, or the reason why it has none.
    public let facts: Result<PNGFacts, PNGError>
    /// The transparent pixels, or the reason why they could not be counted; nil when the pixels were not decoded.
    public let transparency: Result<PNGTransparency, PNGError>?

    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - decodesAll: true to decode the pixels of every image; false to decode only those that may be transparent.
    public init(_ bytes: [UInt8], decodesAll: Bool) {
        byteCount = bytes.count
        digest = SHA256.hash(bytes.span)
        do throws(PNGError) {
            let facts = try PNGFacts(reading: bytes.span)
            self.facts = .success(facts)
            let isDecoded = decodesAll || facts.mayBeTransparent
            let fits = facts.width * facts.height <= Self.pixelLimitCount
            transparency = isDecoded && fits ? Self.transparency(of: bytes, facts) : nil
        } catch {
            facts = .failure(error)
            transparency = nil
        }
    }

    /// The most pixels that are decoded: those of the largest image that Apple takes. A larger image is an error anyway.
    static let pixelLimitCount = 3840 * 2160

    private static func transparency(of bytes: [UInt8], _ facts: PNGFacts) -> Result<
        PNGTransparency, PNGError
    > {
        Result { () throws(PNGError) in
            try PNGTransparency(decoding: bytes.span, facts: facts, limitCount: pixelLimitCount)
        }
    }
}
