internal import AppStoreServerAPI
internal import DataFiles
internal import JSON
public import Vocabulary

/// The names, files, locales and texts that a person gives to images and messages at Apple. Apple's lists do not have them.
///
/// The text of a map is described in retention-catalogue(5). `catalogue adopt --skeleton` writes it without the names.
public struct AdoptionMap: Sendable {
    struct Image: Sendable {
        let identifier: UUID
        let name: String
        let file: String
        /// The size; nil when the map leaves it to Apple's list.
        let size: ImageSize?
        /// The place of the entry in the map.
        let path: JSONPath
    }

    struct Message: Sendable {
        let identifier: UUID
        let name: String
        let locale: String
        let kind: MessageKind?
        let headerPosition: UploadMessageRequestBody.HeaderPosition?
        /// The members of the text as the map gives them, unchecked; empty when the map leaves the text to the catalogue.
        let content: [(name: String, value: JSONNode)]
        /// The place of the entry in the map.
        let path: JSONPath
    }

    /// The number of the app in the App Store; nil when the map does not give it.
    public internal(set) var appAppleId: Int64?
    /// The bundle identifier of the app.
    public internal(set) var bundleId = ""
    /// The environment whose identifiers the map names.
    public internal(set) var environment = Environment.production
    /// The images with names, in the order of the map.
    var images: [Image] = []
    /// The texts with names, in the order of the map.
    var messages: [Message] = []
    /// The text of the map without a byte order mark.
    let source: [UInt8]

    /// Reads the text of a map.
    ///
    /// - Throws: all errors of the text, with codes `catalogue.…` and `json.…`.
    public init(reading text: [UInt8]) throws(CatalogueError) {
        source = text.withoutByteOrderMark
        let limits = JSONLimits(byteCount: CatalogueLimits.sourceByteCount, depth: CatalogueLimits.jsonDepth)
        let document = try JSONError.mapped(
            to: { CatalogueError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Self.collector(for: source)
        AdoptionMapReader.read(SourceValue(document.root, path: [], findings), into: &self)
        guard findings.isEmpty else { throw CatalogueError(findings: findings.sorted) }
    }

    /// The locales of the texts with names, each once, in the order of the map.
    public var locales: [String] {
        var locales: [String] = []
        for message in messages where !locales.contains(message.locale) { locales.append(message.locale) }
        return locales
    }

    /// Returns an empty collection of findings about the text of a map.
    static func collector(for source: [UInt8]) -> Findings {
        Findings(source: source, subject: "catalogue", limit: CatalogueLimits.findingCount)
    }
}
