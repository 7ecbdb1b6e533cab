internal import AppStoreServerAPI
internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads a map. An entry without a name says nothing and is left out; `null` is as good as no member, so that a skeleton can be
/// filled in part by part.
///
/// The texts are not checked here: they become part of a catalogue, which is checked as a whole.
enum AdoptionMapReader {
    private static let root = ["$schema", "format", "app", "environment", "images", "messages"]
    private static let image = ["identifier", "state", "size", "name", "file"]
    private static let message =
        ["identifier", "state", "defaultOf", "name", "locale", "kind", "headerPosition"] + content
    /// The members that make up a text, as in a catalogue.
    static let content = ["header", "body", "image", "imageAltText", "bulletPoints"]

    static func read(_ value: SourceValue, into map: inout AdoptionMap) {
        guard value.isObject else { return }
        value.checkKeys(root)
        if let schema = value.member("$schema") { _ = schema.string }
        if let format = value.required("format"), let number = format.integer, number != 1 {
            format.report(.unknownFormat, "format \(number) is not known", hint: "this version reads 1")
        }
        if let app = value.required("app"), app.isObject { read(app: app, into: &map) }
        let environment = value.required("environment")?.choice(
            of: CatalogueKeys.environments, named: \.rawValue, "environment of Apple's server")
        map.environment = environment ?? map.environment
        var seen: Set<CatalogueItem> = []
        for entry in value.member("images")?.elements(limit: CatalogueLimits.nameCount) ?? [] {
            if let image = readImage(entry, &seen) { map.images.append(image) }
        }
        for entry in value.member("messages")?.elements(limit: CatalogueLimits.nameCount) ?? [] {
            if let message = readMessage(entry, &seen) { map.messages.append(message) }
        }
    }

    private static func read(app: SourceValue, into map: inout AdoptionMap) {
        app.checkKeys(CatalogueKeys.app)
        if let value = app.filled("appAppleId"), let number = value.integer {
            if number <= 0 { value.report(.badNumber, "an appAppleId is above 0") }
            map.appAppleId = number
        }
        map.bundleId = app.required("bundleId")?.word() ?? ""
    }

    /// Reads the identifier of an entry. Reports one that stands twice.
    private static func identifier(
        _ entry: SourceValue, _ kind: CatalogueItem.Kind, _ seen: inout Set<CatalogueItem>
    ) -> UUID? {
        guard let value = entry.required("identifier"), let identifier = value.uuid(CatalogueReason.badUUID)
        else { return nil }
        if !seen.insert(CatalogueItem(kind, identifier)).inserted {
            value.report(.duplicateIdentifier, "\(identifier) stands twice")
        }
        return identifier
    }

    /// Reads the name of an entry. Returns nil for an entry without a name, and reports it when other members are filled.
    private static func name(_ entry: SourceValue, others: [String]) -> String? {
        guard let value = entry.filled("name") else {
            if let other = others.first(where: { entry.filled($0) != nil }) {
                entry.report(.missingKey, "\"\(other)\" without \"name\"")
            }
            return nil
        }
        guard let name = value.string else { return nil }
        return value.checkName(name, isKey: false) ? name : nil
    }

    private static func readImage(_ entry: SourceValue, _ seen: inout Set<CatalogueItem>) -> AdoptionMap
        .Image?
    {
        guard entry.isObject else { return nil }
        entry.checkKeys(image)
        checkNotes(entry)
        let identifier = identifier(entry, .image, &seen)
        let size = entry.filled("size")?.choice(of: ImageSize.allCases, named: \.rawValue, "size of an image")
        guard let name = name(entry, others: ["file"]) else { return nil }
        guard let file = entry.filledOrReported("file")?.word(), let identifier else { return nil }
        return AdoptionMap.Image(identifier: identifier, name: name, file: file, size: size, path: entry.path)
    }

    private static func readMessage(_ entry: SourceValue, _ seen: inout Set<CatalogueItem>) -> AdoptionMap
        .Message?
    {
        guard entry.isObject else { return nil }
        entry.checkKeys(message)
        checkNotes(entry)
        let identifier = identifier(entry, .message, &seen)
        let name = name(entry, others: ["locale", "kind", "headerPosition"] + content)
        let kind = entry.filled("kind")?.choice(of: MessageKind.allCases, named: \.name, "kind of message")
        let position = entry.filled("headerPosition")?.choice(
            of: UploadMessageRequestBody.HeaderPosition.allCases, named: \.rawValue, "position of a header")
        guard let name, let place = entry.filledOrReported("locale"), let locale = place.string,
            place.checkLocale(locale), let identifier
        else { return nil }
        return AdoptionMap.Message(
            identifier: identifier,
            name: name,
            locale: locale,
            kind: kind,
            headerPosition: position,
            content: content.compactMap { name in
                entry.filled(name).map { (name, JSONNode($0.value)) }
            },
            path: entry.path
        )
    }

    /// Checks the members that a skeleton has for the person who fills it in.
    private static func checkNotes(_ entry: SourceValue) {
        _ = entry.filled("state")?.string
        for place in entry.filled("defaultOf")?.elements ?? [] { _ = place.string }
    }
}

extension SourceValue {
    /// Returns the member `name`; nil when it is absent or null.
    fileprivate func filled(_ name: String) -> SourceValue? {
        member(name).flatMap { $0.value.kind == .null ? nil : $0 }
    }

    /// Returns the member `name`; nil when it is absent or null, which is reported.
    fileprivate func filledOrReported(_ name: String) -> SourceValue? {
        if let value = filled(name) { return value }
        report(.missingKey, "\"\(name)\" is missing")
        return nil
    }
}
