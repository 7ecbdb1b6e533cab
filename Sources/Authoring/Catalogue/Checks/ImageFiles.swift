package import Cryptography
package import PNG
package import System

/// The folder in which the images of a catalogue lie.
package struct ImageFiles: Sendable {
    private let folder: String
    private let decodesAll: Bool

    /// Makes a reader of the image files in a folder. No file is read yet.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - decodesAll: true to decode the pixels of every image, so that damaged pixels are found; false to decode only
    ///     those that may be transparent.
    package init(folder: String, decodesAll: Bool) {
        self.folder = folder
        self.decodesAll = decodesAll
    }

    /// Reads the file at a path below the folder.
    package func read(_ path: String) throws(ToolError) -> ImageFile {
        ImageFile(try bytes(path), decodesAll: decodesAll)
    }

    /// Returns the bytes of the file at a path below the folder, to upload them.
    package func bytes(_ path: String) throws(ToolError) -> [UInt8] {
        func problem(_ words: String) -> ToolError {
            ToolError(code: "catalogue.image-file", "\(path): \(words)")
        }
        let limit = CatalogueLimits.imageByteCount
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: "\(folder)/\(path)")
            if try FileStatus(of: file).kind == .regular { return try file.readAll(limitBytes: limit) }
        } catch {
            let isMissing = error.reason == .enoent || error.reason == .enotdir
            let tooLong = error.isFileTooLarge ? "longer than \(limit >> 20) MiB" : error.description
            throw problem(isMissing ? "no such file" : tooLong)
        }
        throw problem("not a regular file")
    }
}

/// The facts about a PNG file that a catalogue needs. The bytes are read once and not kept.
package struct ImageFile: Sendable {
    /// The length of the file in bytes.
    package let byteCount: Int
    package let digest: SHA256Digest
    /// The facts of the PNG, or the reason why it has none.
    package let facts: Result<PNGFacts, PNGError>
    /// The transparent pixels, or the reason why they could not be counted; nil when the pixels were not decoded.
    package let transparency: Result<PNGTransparency, PNGError>?

    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - decodesAll: true to decode the pixels of every image; false to decode only those that may be transparent.
    package init(_ bytes: [UInt8], decodesAll: Bool) {
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
