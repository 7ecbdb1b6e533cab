package import Cryptography
internal import AppStoreServerAPI
internal import JSON
internal import PNG
package import System

package struct ImageFiles: Sendable {
    private let folder: String
    private let decodesAll: Bool

    /// `decodesAll`: every image, so that damaged pixels are found; else only those that may be transparent.
    package init(folder: String, decodesAll: Bool) {
        self.folder = folder
        self.decodesAll = decodesAll
    }

    package func read(_ path: String) throws(ToolError) -> ImageFile {
        ImageFile(try bytes(path), decodesAll: decodesAll)
    }

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
    package let digest: SHA256Digest
    let facts: Result<PNGFacts, PNGError>
    /// The place of a pixel that is not opaque, or the reason why the pixels cannot be decoded.
    private(set) var transparent: Result<String?, PNGError> = .success(nil)

    package init(_ bytes: [UInt8], decodesAll: Bool) {
        digest = SHA256.hash(bytes.span)
        facts = Result { () throws(PNGError) in try PNGFacts(reading: bytes.span) }
        // A larger image is an error anyway.
        guard case .success(let facts) = facts, decodesAll || facts.mayBeTransparent,
            facts.width * facts.height <= PNGPixels.limitCount
        else { return }
        transparent = Result { () throws(PNGError) in
            try PNGPixels(decoding: bytes.span, facts: facts).firstTransparent
                .map { "column \($0.x), row \($0.y)" }
        }
    }
}

struct ImageCheck {
    let image: Catalogue.Image
    let findings: Findings

    func report(_ reason: CatalogueReason, _ message: String, hint: String? = nil) {
        findings.add(
            reason: reason, message, at: [.member("images"), .member(image.name), .member("file")], hint: hint
        )
    }

    func check(_ file: ImageFile) {
        do {
            let facts = try file.facts.get()
            let fits =
                switch image.size {
                case .fullSize: facts.width == 3840 && (160...2160).contains(facts.height)
                case .bulletPoint: facts.width == 1024 && facts.height == 1024
                }
            if !fits {
                report(
                    .badImage, "\(image.file): \(facts.width) x \(facts.height) pixels",
                    hint: image.size == .fullSize
                        ? "FULL_SIZE is 3840 wide and 160 to 2160 high" : "BULLET_POINT is 1024 x 1024")
            }
            if let place = try file.transparent.get() {
                report(
                    .badImage, "\(image.file): not opaque at \(place)",
                    hint: "Apple takes no transparency; put a background behind it")
            }
        } catch {
            report(.badImage, "\(image.file): \(error == .notPNG ? "not a PNG" : "\(error)")")
        }
    }
}
