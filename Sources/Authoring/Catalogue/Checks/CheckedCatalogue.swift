internal import AppStoreServerAPI
internal import Facts
internal import JSON
package import System

/// A catalogue that was read and checked with its images.
package struct CheckedCatalogue: Sendable {
    /// The catalogue. When there are errors, the parts that are wrong are missing.
    package let catalogue: Catalogue
    /// All findings in the order of the file, at most ``CatalogueLimits/findingCount`` and one that counts the others.
    package let findings: [Finding]
    package let files: [String: ImageFile]
    let versions: ContentVersions

    package init(_ source: [UInt8], images: ImageFiles, ignoring ignored: Set<CatalogueReason> = []) {
        let source = source.withoutByteOrderMark
        let limits = JSONLimits(byteCount: CatalogueLimits.sourceByteCount, depth: CatalogueLimits.jsonDepth)
        var files: [String: ImageFile] = [:]
        do throws(JSONError) {
            let document = try JSONDocument(parsing: source.span, limits: limits)
            let findings = Findings(
                source: source, subject: "catalogue", limit: CatalogueLimits.findingCount,
                ignoring: Set(ignored.filter { $0.severity != .error }.map(\.rawValue)))
            let catalogue = CatalogueReader.read(SourceValue(document.root, path: [], findings))
            Self.checkImages(catalogue, images, &files, findings)
            CoverageCheck(catalogue: catalogue, findings: findings).check()
            let versions = ContentVersions(catalogue, files: files)
            PinCheck(catalogue: catalogue, versions: versions, findings: findings).check()
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

    static func list(_ locales: [String]) -> String {
        locales.prefix(5).joined(separator: ", ")
            + (locales.count > 5 ? " and \(locales.count - 5) more" : "")
    }
}

/// Checks that nothing was changed under an identifier that is pinned, and that no identifier is pinned twice.
struct PinCheck {
    let catalogue: Catalogue
    let versions: ContentVersions
    let findings: Findings

    func check() {
        var holders: [PinnedIdentifier: JSONPath] = [:]
        for image in catalogue.images {
            check(
                image.pins, versions.images[image.name], [.member("images"), .member(image.name)], &holders)
        }
        for message in catalogue.messages {
            for text in message.texts {
                check(
                    text.pins, versions.texts[TextKey(message: message.name, locale: text.locale)],
                    [.member("messages"), .member(message.name), .member(text.locale)], &holders)
            }
        }
    }

    private struct PinnedIdentifier: Hashable {
        let environment: Environment
        let identifier: UUID
    }

    private func check(
        _ pins: [Environment: CataloguePin], _ version: ContentVersion?, _ holder: JSONPath,
        _ holders: inout [PinnedIdentifier: JSONPath]
    ) {
        for environment in CatalogueKeys.environments {
            guard let pin = pins[environment] else { continue }
            let path = holder + [.member("identifier"), .member(environment.rawValue)]
            let pinned = PinnedIdentifier(environment: environment, identifier: pin.identifier)
            if let other = holders[pinned] {
                findings.add(
                    reason: CatalogueReason.duplicate,
                    "\(pin.identifier) is pinned at \(other.text) too, in \(environment.rawValue)",
                    at: path + [.member("id")])
            }
            holders[pinned] = holder
            guard let digest = pin.contentVersion else {
                findings.add(
                    reason: CatalogueReason.pinOpen,
                    "the pin has no digest, so nobody notices when the content is changed", at: path,
                    hint: "\"retentionctl catalogue adopt\" adds it")
                continue
            }
            guard let version, version != digest else { continue }
            findings.add(
                reason: CatalogueReason.pinChanged,
                "the content is not what was pinned as \(pin.identifier): its digest is \(version)",
                at: path + [.member("digest")],
                hint: "undo the change, or remove the pin, so that the content gets an identifier of its own")
        }
    }
}
