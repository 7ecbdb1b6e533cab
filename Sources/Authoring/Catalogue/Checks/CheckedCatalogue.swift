internal import AppStoreServerAPI
internal import JSON
public import Vocabulary

/// A catalogue that was read and checked with its images.
///
///     let files = ImageFiles(folder: ".", decodesAll: true)
///     let checked = CheckedCatalogue(source, images: files)
///     let resolved = try checked.resolved(for: .production)
public struct CheckedCatalogue: Sendable {
    /// The catalogue. When there are errors, the parts that are wrong are missing.
    public let catalogue: Catalogue
    /// All findings in the order of the file, at most ``CatalogueLimits/findingCount`` and one that counts the others.
    public let findings: [Finding]
    /// The facts about each image file, by the path that the catalogue gives.
    public let files: [String: ImageFile]
    let versions: ContentVersions

    /// Reads the text of a catalogue and the images that it names, and checks everything that can be checked without Apple.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - images: the folder of the images.
    ///   - ignored: reasons whose findings are left out. Errors are never left out.
    public init(_ source: [UInt8], images: ImageFiles, ignoring ignored: Set<CatalogueReason> = []) {
        let source = source.withoutByteOrderMark
        let limits = JSONLimits(byteCount: CatalogueLimits.sourceByteCount, depth: CatalogueLimits.jsonDepth)
        var files: [String: ImageFile] = [:]
        do throws(JSONError) {
            let document = try JSONDocument(parsing: source.span, limits: limits)
            let findings = Findings(
                source: source,
                subject: "catalogue",
                limit: CatalogueLimits.findingCount,
                ignoring: Set(ignored.filter { $0.severity != .error }.map(\.rawValue))
            )
            let catalogue = CatalogueReader.read(SourceValue(document.root, path: [], findings))
            Self.checkImages(catalogue, images, &files, findings)
            CoverageCheck(catalogue: catalogue, findings: findings).check()
            let versions = ContentVersions(catalogue, files: files)
            PinCheck(catalogue, versions, findings).check()
            self.init(catalogue: catalogue, findings: findings.sorted, files: files, versions: versions)
        } catch {
            self.init(
                catalogue: Catalogue.empty, findings: [Finding(error)], files: [:],
                versions: ContentVersions(Catalogue.empty, files: [:]))
        }
    }

    private init(
        catalogue: Catalogue, findings: [Finding], files: [String: ImageFile], versions: ContentVersions
    ) {
        self.catalogue = catalogue
        self.findings = findings
        self.files = files
        self.versions = versions
    }

    /// True when an error makes the catalogue unusable.
    public var hasErrors: Bool { findings.contains { $0.severity == .error } }

    /// Reads each file once, however many images name it.
    private static func checkImages(
        _ catalogue: Catalogue, _ images: ImageFiles, _ files: inout [String: ImageFile], _ findings: Findings
    ) {
        for image in catalogue.images where !image.file.isEmpty {
            let check = ImageCheck(image: image, findings: findings)
            do throws(ImageFiles.Problem) {
                if files[image.file] == nil { files[image.file] = try images.read(image.file) }
                if let file = files[image.file] { check.check(file) }
            } catch {
                check.report(error)
            }
        }
        let imageLimit = RetentionMessagingLimits.imageCount
        if catalogue.images.count > imageLimit {
            findings.add(
                reason: CatalogueReason.tooMany, "\(catalogue.images.count) images", at: [.member("images")],
                hint: "Apple's limit is \(imageLimit) in an app")
        }
    }
}
