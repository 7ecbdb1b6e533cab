internal import JSON
internal import Vocabulary

/// The second step of an adoption: pins the identifiers of images and texts with the digest of their content.
struct AdoptionPinning {
    private(set) var editor: JSONEditor
    private let catalogue: Catalogue
    private let versions: ContentVersions
    private let identifiers: CatalogueIdentifiers
    private let environment: Environment

    init(_ text: [UInt8], _ checked: CheckedCatalogue, _ environment: Environment) {
        editor = JSONEditor(text)
        catalogue = checked.catalogue
        versions = checked.versions
        identifiers = CatalogueIdentifiers(checked.catalogue, checked.versions, environment)
        self.environment = environment
    }

    /// Pins the identifiers of images, and returns what has a name now. A content that has the identifier by itself needs no pin.
    mutating func pin(_ images: [AdoptionMap.Image]) -> [AdoptionReport.Named] {
        var named: [AdoptionReport.Named] = []
        let known = Dictionary(catalogue.images.map { ($0.name, $0) }) { first, _ in first }
        for entry in images {
            let isPinned = known[entry.name].flatMap(identifiers.derived) != entry.identifier
            if isPinned, let version = versions.images[entry.name] {
                pin(entry.identifier, version, at: [.member("images"), .member(entry.name)])
            }
            named.append(
                .init(item: CatalogueItem(.image, entry.identifier), name: entry.name, isPinned: isPinned)
            )
        }
        return named
    }

    /// Pins the identifiers of texts, and returns what has a name now.
    mutating func pin(_ messages: [AdoptionMap.Message]) -> [AdoptionReport.Named] {
        var named: [AdoptionReport.Named] = []
        let texts = Dictionary(
            catalogue.messages.flatMap { message in
                message.texts.map { (TextKey(message: message.name, locale: $0.locale), (message, $0)) }
            }
        ) { first, _ in first }
        for entry in messages {
            let key = TextKey(message: entry.name, locale: entry.locale)
            let derived = texts[key].flatMap { identifiers.derived($0.1, of: $0.0) }
            let isPinned = derived != entry.identifier
            if isPinned, let version = versions.texts[key] {
                let path: JSONPath = [.member("messages"), .member(entry.name), .member(entry.locale)]
                pin(entry.identifier, version, at: path)
            }
            named.append(
                .init(
                    item: CatalogueItem(.message, entry.identifier), name: "\(entry.name) \(entry.locale)",
                    isPinned: isPinned)
            )
        }
        return named
    }

    private mutating func pin(_ identifier: UUID, _ version: ContentVersion, at path: JSONPath) {
        let pin = JSONNode.object([
            ("id", .string(identifier.description)), ("digest", .string(version.description)),
        ])
        if editor.add(environment.rawValue, pin, at: path + [.member("identifier")]) { return }
        editor.add("identifier", .object([(environment.rawValue, pin)]), at: path)
    }
}
