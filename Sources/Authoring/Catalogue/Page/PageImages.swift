internal import AppStoreServerAPI
internal import Cryptography
internal import PNG
internal import System

/// The images of a page: each file once, however many messages and names use it.
package struct PageImages: Sendable {
    struct Entry: Sendable {
        let width: Int
        let height: Int
        let base64: [UInt8]
    }

    private var entries: [SHA256Digest: Entry] = [:]
    /// The digests of the files in the order of the catalogue, each once.
    private(set) var digests: [SHA256Digest] = []

    /// Begins without images. The page then shows their alternative texts alone.
    package init() {}

    /// Reads the images of a catalogue. A page has a large image as a smaller copy, so that people can send the page.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue that names the images.
    ///   - progress: told the number of images so far.
    ///   - read: returns the bytes of the file at a path that the catalogue gives.
    /// - Throws: `catalogue.image-file` when a file cannot be read, is not what it was when the catalogue was read, or has
    ///   pixels that cannot be decoded.
    package init(
        _ catalogue: ResolvedCatalogue,
        progress: (Int) -> Void = { _ in },
        reading read: (String) throws -> [UInt8]
    ) throws {
        for (place, image) in catalogue.images.enumerated() where entries[image.fileDigest] == nil {
            progress(place)
            let bytes = try read(image.file)
            guard SHA256.hash(bytes.span) == image.fileDigest else {
                throw ToolError.imageChanged(image.file)
            }
            let facts: PNGFacts
            let shown: [UInt8]
            do throws(PNGError) {
                facts = try PNGFacts(reading: bytes.span)
                shown = try Self.shown(bytes, facts, image.size)
            } catch {
                throw ToolError(code: "catalogue.image-file", "\(image.file): \(error)")
            }
            digests.append(image.fileDigest)
            entries[image.fileDigest] = Entry(
                width: facts.width, height: facts.height, base64: Base64.encode(shown.span))
        }
    }

    /// A longer file is shown by a smaller copy.
    private static let wholeByteCount = 64 << 10
    /// The most pixels that are decoded: those of the largest image that Apple takes.
    private static let pixelLimitCount = 3840 * 2160

    /// The width of a copy in pixels: about two for each point of a phone.
    private static func width(_ size: ImageSize) -> Int { size == .fullSize ? 768 : 256 }

    /// Returns the file as it is when it is short, else a smaller copy when that is shorter.
    private static func shown(_ bytes: [UInt8], _ facts: PNGFacts, _ size: ImageSize) throws(PNGError)
        -> [UInt8]
    {
        let factor = facts.width / width(size)
        guard bytes.count > wholeByteCount, factor > 1 else { return bytes }
        let copy = try PNGReduction(of: bytes.span, facts: facts, factor: factor, limitCount: pixelLimitCount)
        return copy.bytes.count < bytes.count ? copy.bytes : bytes
    }

    /// The image of a file; nil when the page has no images.
    subscript(digest: SHA256Digest) -> Entry? { entries[digest] }
}

extension ToolError {
    static func imageChanged(_ file: String) -> ToolError {
        ToolError(code: "catalogue.image-file", "\(file) has changed since the catalogue was read")
    }
}
