internal import AppStoreServerAPI
internal import Cryptography
internal import PNG
internal import System

/// The images of a page: each file once, however many messages and names use it.
package struct PageImages: Sendable {
    private var numbers: [UUID: Int] = [:]
    private(set) var style: [UInt8] = []

    /// A longer file is shown by a smaller copy, so that people can send the page.
    private static let wholeByteCount = 64 << 10

    /// Reads the images of a catalogue. `read` returns the bytes of the file at a path that the catalogue gives.
    ///
    /// - Throws: `catalogue.image-file` when a file cannot be read, is not what it was when the catalogue was read, or has
    ///   pixels that cannot be decoded.
    package init(_ catalogue: ResolvedCatalogue, reading read: (String) throws -> [UInt8]) throws {
        var known: [SHA256Digest: Int] = [:]
        for image in catalogue.images {
            if known[image.fileDigest] == nil {
                known[image.fileDigest] = known.count + 1
                let bytes = try read(image.file)
                guard SHA256.hash(bytes.span) == image.fileDigest else {
                    throw ToolError.imageChanged(image.file)
                }
                do throws(PNGError) {
                    try add(bytes, image.size, number: known.count)
                } catch {
                    throw ToolError(code: "catalogue.image-file", "\(image.file): \(error)")
                }
            }
            numbers[image.identifier] = known[image.fileDigest]
        }
    }

    private mutating func add(_ bytes: [UInt8], _ size: ImageSize, number: Int) throws(PNGError) {
        let facts = try PNGFacts(reading: bytes.span)
        var shown = bytes
        // About two pixels for each point of a phone.
        let factor = facts.width / (size == .fullSize ? 768 : 256)
        if bytes.count > Self.wholeByteCount, factor > 1 {
            let copy = try PNGPixels(decoding: bytes.span, facts: facts).reduced(by: factor)
            if copy.count < bytes.count { shown = copy }
        }
        style += ".i\(number){aspect-ratio:\(facts.width)/\(facts.height);".utf8
        style += "background-image:url(data:image/png;base64,".utf8
        style += Base64.encode(shown.span)
        style += ")}\n".utf8
    }

    func number(_ identifier: UUID) -> Int? { numbers[identifier] }
}

extension ToolError {
    static func imageChanged(_ file: String) -> ToolError {
        ToolError(code: "catalogue.image-file", "\(file) has changed since the catalogue was read")
    }
}
