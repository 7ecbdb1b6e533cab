internal import JSON
internal import Vocabulary

/// Checks that nothing was changed under an identifier that is pinned, and that no identifier is pinned twice.
struct PinCheck {
    let catalogue: Catalogue
    let versions: ContentVersions
    let findings: Findings
    private var seen: [Environment: Set<UUID>] = [:]

    init(_ catalogue: Catalogue, _ versions: ContentVersions, _ findings: Findings) {
        self.catalogue = catalogue
        self.versions = versions
        self.findings = findings
    }

    mutating func check() {
        for image in catalogue.images {
            check(image.pins, versions.images[image.name], [.member("images"), .member(image.name)])
        }
        for message in catalogue.messages {
            for text in message.texts {
                let path: JSONPath = [.member("messages"), .member(message.name), .member(text.locale)]
                check(text.pins, versions.texts[TextKey(message: message.name, locale: text.locale)], path)
            }
        }
    }

    /// Checks the pins of one image or text. A version that is nil could not be computed, which is reported elsewhere.
    private mutating func check(
        _ pins: [Environment: CataloguePin],
        _ version: ContentVersion?,
        _ path: JSONPath
    ) {
        for environment in CatalogueKeys.environments {
            guard let pin = pins[environment] else { continue }
            let path = path + [.member("identifier"), .member(environment.rawValue)]
            if let version, version != pin.contentVersion {
                findings.add(
                    reason: CatalogueReason.pinChanged,
                    "the content is not what was pinned as \(pin.identifier): its digest is \(version)",
                    at: path + [.member("digest")],
                    hint:
                        "undo the change, or remove the pin, so that the content gets an identifier of its own"
                )
            }
            if !seen[environment, default: []].insert(pin.identifier).inserted {
                findings.add(
                    reason: CatalogueReason.duplicateIdentifier,
                    "\(pin.identifier) is pinned twice in \(environment.rawValue)",
                    at: path + [.member("id")]
                )
            }
        }
    }
}
