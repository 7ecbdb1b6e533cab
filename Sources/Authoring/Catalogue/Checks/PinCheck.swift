internal import JSON
internal import System

/// Checks that nothing was changed under an identifier that is pinned, and that no pinned identifier is that of another image
/// or text.
struct PinCheck {
    /// An image or a text: its place, its pins, and the identifiers that its content gives it.
    private struct Holder {
        let path: JSONPath
        /// The content version; nil when a file could not be read, which is reported elsewhere.
        let version: ContentVersion?
        let pins: [Environment: CataloguePin]
        let derived: [Environment: UUID]
    }

    private let holders: [Holder]
    private let findings: Findings

    init(_ catalogue: Catalogue, _ versions: ContentVersions, _ findings: Findings) {
        self.findings = findings
        let hasPins =
            catalogue.images.contains { !$0.pins.isEmpty }
            || catalogue.messages.contains { $0.texts.contains { !$0.pins.isEmpty } }
        guard hasPins else {
            holders = []
            return
        }
        let names = CatalogueKeys.environments.map { ($0, CatalogueIdentifiers(catalogue, versions, $0)) }
        func derived(_ identifier: (CatalogueIdentifiers) -> UUID?) -> [Environment: UUID] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, identifier($1)) }).compactMapValues { $0 }
        }
        let images = catalogue.images.map { image in
            Holder(
                path: [.member("images"), .member(image.name)],
                version: versions.images[image.name],
                pins: image.pins,
                derived: derived { $0.derived(image) }
            )
        }
        let texts = catalogue.messages.flatMap { message in
            message.texts.map { text in
                Holder(
                    path: [.member("messages"), .member(message.name), .member(text.locale)],
                    version: versions.texts[TextKey(message: message.name, locale: text.locale)],
                    pins: text.pins,
                    derived: derived { $0.derived(text, of: message) }
                )
            }
        }
        holders = images + texts
    }

    func check() {
        checkContents()
        let users = Dictionary(
            uniqueKeysWithValues: CatalogueKeys.environments.map { ($0, identifierUsers(in: $0)) }
        )
        for (index, holder) in holders.enumerated() {
            for environment in CatalogueKeys.environments {
                guard let pin = holder.pins[environment] else { continue }
                let path = Self.path(holder, environment) + [.member("id")]
                if let other = users[environment]?[pin.identifier]?.first(where: { $0 != index }) {
                    reportDuplicate(pin, environment, index, other, path)
                    continue
                }
                for foreign in CatalogueKeys.environments where foreign != environment {
                    guard let same = users[foreign]?[pin.identifier], !same.contains(index),
                        let other = same.first, isReported(index, other, in: foreign)
                    else { continue }
                    let text = "\(pin.identifier) is the identifier of \(holders[other].path.text) in"
                    findings.add(
                        reason: CatalogueReason.sharedIdentifier, "\(text) \(foreign.rawValue)", at: path,
                        hint: "each environment has identifiers of its own; was it copied by mistake?")
                }
            }
        }
    }

    /// The images and texts that have each identifier in an environment, by their places in `holders`.
    private func identifierUsers(in environment: Environment) -> [UUID: [Int]] {
        var users: [UUID: [Int]] = [:]
        for (index, holder) in holders.enumerated() {
            let identifier = holder.pins[environment]?.identifier ?? holder.derived[environment]
            if let identifier { users[identifier, default: []].append(index) }
        }
        return users
    }

    /// Returns true when a finding about `index` and `other`, which has the same identifier in an environment, is reported at
    /// `index`. Of two pins the second is reported.
    private func isReported(_ index: Int, _ other: Int, in environment: Environment) -> Bool {
        holders[other].pins[environment] == nil || other < index
    }

    /// Reports an identifier that two images or texts have in one environment.
    private func reportDuplicate(
        _ pin: CataloguePin, _ environment: Environment, _ index: Int, _ other: Int, _ path: JSONPath
    ) {
        guard isReported(index, other, in: environment) else { return }
        let isPinned = holders[other].pins[environment] != nil
        // Two names of one image with the same content share the identifier that the content gives them.
        guard isPinned || holders[index].derived[environment] != pin.identifier else { return }
        let place = holders[other].path.text
        findings.add(
            reason: CatalogueReason.duplicate,
            isPinned
                ? "\(pin.identifier) is pinned at \(place) too, in \(environment.rawValue)"
                : "\(pin.identifier) is the identifier that the content of \(place) has in \(environment.rawValue)",
            at: path
        )
    }

    /// Checks the content of each image and text against its pins.
    private func checkContents() {
        for holder in holders {
            for environment in CatalogueKeys.environments {
                guard let pin = holder.pins[environment] else { continue }
                guard let pinned = pin.contentVersion else {
                    findings.add(
                        reason: CatalogueReason.pinOpen,
                        "the pin has no digest, so nobody notices when the content is changed",
                        at: Self.path(holder, environment),
                        hint: "\"retentionctl catalogue adopt\" adds it")
                    continue
                }
                guard let version = holder.version, version != pinned else { continue }
                findings.add(
                    reason: CatalogueReason.pinChanged,
                    "the content is not what was pinned as \(pin.identifier): its digest is \(version)",
                    at: Self.path(holder, environment) + [.member("digest")],
                    hint:
                        "undo the change, or remove the pin, so that the content gets an identifier of its own"
                )
            }
        }
    }

    private static func path(_ holder: Holder, _ environment: Environment) -> JSONPath {
        holder.path + [.member("identifier"), .member(environment.rawValue)]
    }
}
