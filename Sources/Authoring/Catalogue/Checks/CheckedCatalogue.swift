internal import AppStoreServerAPI
internal import Facts
internal import JSON
internal import PNG
package import System

/// A catalogue that was read and checked with its images.
///
///     let files = ImageFiles(folder: ".", decodesAll: true)
///     let checked = CheckedCatalogue(source, images: files)
///     let resolved = try checked.resolved(for: .production)
package struct CheckedCatalogue: Sendable {
    /// The catalogue. When there are errors, the parts that are wrong are missing.
    package let catalogue: Catalogue
    /// All findings in the order of the file, at most ``CatalogueLimits/findingCount`` and one that counts the others.
    package let findings: [Finding]
    /// The facts about each image file, by the path that the catalogue gives.
    package let files: [String: ImageFile]
    let versions: ContentVersions

    /// Reads the text of a catalogue and the images that it names, and checks everything that can be checked without Apple.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - images: the folder of the images.
    ///   - ignored: reasons whose findings are left out. Errors are never left out.
    package init(_ source: [UInt8], images: ImageFiles, ignoring ignored: Set<CatalogueReason> = []) {
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

    package var hasErrors: Bool { findings.contains { $0.severity == .error } }

    /// Reads each file once, however many images name it.
    private static func checkImages(
        _ catalogue: Catalogue, _ images: ImageFiles, _ files: inout [String: ImageFile], _ findings: Findings
    ) {
        for image in catalogue.images where !image.file.isEmpty {
            let check = ImageCheck(image: image, findings: findings)
            do throws(ToolError) {
                if files[image.file] == nil { files[image.file] = try images.read(image.file) }
                if let file = files[image.file] { check.check(file) }
            } catch {
                check.report(.imageFile, "\(error)")
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

/// Checks the file of one image against what Apple takes: PNG, the right dimensions, no transparency.
///
/// Apple's documentation states the dimensions and "no transparency". It does not say whether it means the pixels or the
/// alpha channel, and says nothing about depth, palette, interlacing, animation and the length of the file. An image that the
/// documentation neither allows nor forbids gets a warning.
struct ImageCheck {
    let image: Catalogue.Image
    let findings: Findings

    private var path: JSONPath { [.member("images"), .member(image.name), .member("file")] }

    fileprivate func report(_ reason: CatalogueReason, _ message: String, hint: String? = nil) {
        findings.add(reason: reason, message, at: path, hint: hint)
    }

    private func tell(_ reason: CatalogueReason, _ message: String, hint: String? = nil) {
        report(reason, "\(image.file): \(message)", hint: hint)
    }

    /// Reports what is wrong with a file that was read.
    func check(_ file: ImageFile) {
        if file.byteCount > CatalogueLimits.imageWarningByteCount {
            let hint = "Apple states no limit; a public client refuses more than 20 MiB"
            tell(.oddImage, "\(file.byteCount) bytes", hint: hint)
        }
        switch file.facts {
        case .success(let facts): check(facts, file)
        case .failure(.notPNG): tell(.badImage, "not a PNG")
        case .failure(let error): tell(.badImage, "\(error)")
        }
    }

    private func check(_ facts: PNGFacts, _ file: ImageFile) {
        let dimensions = "\(facts.width) x \(facts.height) pixels"
        switch image.size {
        case .fullSize where facts.width != 3840 || !(160...2160).contains(facts.height):
            tell(.badImage, dimensions, hint: "FULL_SIZE is 3840 wide and 160 to 2160 high")
        case .bulletPoint where facts.width != 1024 || facts.height != 1024:
            tell(.badImage, dimensions, hint: "BULLET_POINT is 1024 x 1024")
        case .fullSize, .bulletPoint: break
        }
        checkTransparency(facts, file)
        let unknown = "Apple does not say whether it takes this"
        if facts.isAnimated { tell(.oddImage, "an animation", hint: unknown) }
        if facts.bitDepth == 16 { tell(.oddImage, "16 bits for each number of a pixel", hint: unknown) }
        if facts.isInterlaced { tell(.oddImage, "interlaced", hint: unknown) }
        if facts.colorType == .palette { tell(.oddImage, "a palette", hint: unknown) }
        if facts.trailingByteCount > 0 {
            tell(
                .oddImage,
                "\(CountText.of(facts.trailingByteCount, "byte")) behind the end of the image", hint: unknown)
        }
    }

    private func checkTransparency(_ facts: PNGFacts, _ file: ImageFile) {
        let form = facts.hasAlphaChannel ? "an alpha channel" : "a tRNS chunk"
        switch file.transparency {
        case .failure(let error): tell(.badImage, "\(error)")
        case .success(let found):
            if let first = found.first {
                let place = "the first at column \(first.x), row \(first.y)"
                let count = "pixels that are not opaque: \(found.pixelCount), \(place)"
                tell(
                    .badImage, count, hint: "Apple takes no transparency; put a background behind it")
            } else if facts.mayBeTransparent {
                let hint = "Apple does not say whether it takes this; save it without"
                tell(.oddImage, "\(form), and every pixel is opaque", hint: hint)
            }
        // Too large to decode; its dimensions are reported.
        case nil: break
        }
    }
}

/// Finds locales without a text or a default message, and images that no message uses.
struct CoverageCheck {
    let catalogue: Catalogue
    let findings: Findings

    func check() {
        for message in catalogue.messages where !message.texts.isEmpty {
            let locales = Set(message.texts.map(\.locale))
            let missing = catalogue.locales.filter { !locales.contains($0) }
            guard !missing.isEmpty else { continue }
            let text = "\"\(message.name)\" has no text in \(Self.list(missing))"
            report(.missingLocale, text, [.member("messages"), .member(message.name)], hint: "add the texts")
        }
        let used = Set(catalogue.messages.flatMap { $0.texts.flatMap(\.images) })
        for image in catalogue.images where !used.contains(image.name) {
            report(
                .unused, "no message uses \"\(image.name)\"", [.member("images"), .member(image.name)])
        }
        checkDefaults()
    }

    /// Without any default message, one finding says what that means, instead of one for each product.
    private func checkDefaults() {
        guard !catalogue.defaults.isEmpty else {
            guard !catalogue.messages.isEmpty, !catalogue.products.isEmpty else { return }
            let hint = "set one for every product, such as \"defaults\": { \"*\": MESSAGE }"
            let text =
                "no product has a default message; without it Apple shows subscribers no message and does not ask your "
                + "server"
            report(.missingDefault, text, [.member("products")], hint: hint)
            return
        }
        let finder = DefaultFinder(catalogue)
        let named = Set(catalogue.defaults.compactMap(\.product))
        for product in catalogue.products {
            let missing = catalogue.locales.filter { finder.find(product.name, $0) == nil }
            guard !missing.isEmpty else { continue }
            let own = named.contains(product.name)
            let path: JSONPath =
                own
                ? [.member("defaults"), .member(product.name)] : [.member("products"), .member(product.name)]
            let text = "\"\(product.name)\" has no default message in \(Self.list(missing))"
            let isNamed = missing.contains { finder.name(product.name, $0) != nil }
            let hint = isNamed ? "its default message has no text there" : "name a message in \"defaults\""
            report(.missingDefault, text, path, hint: hint)
        }
    }

    private func report(_ reason: CatalogueReason, _ message: String, _ path: JSONPath, hint: String? = nil) {
        findings.add(reason: reason, message, at: path, isKey: true, hint: hint)
    }

    /// Returns the first five locales, and how many others there are.
    static func list(_ locales: [String]) -> String {
        locales.prefix(5).joined(separator: ", ")
            + (locales.count > 5 ? " and \(locales.count - 5) more" : "")
    }
}
