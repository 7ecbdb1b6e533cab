internal import AppStoreServerAPI
internal import JSON
internal import Vocabulary

/// Compares what a map says with what the catalogue has under the same name. What the map leaves out is not compared.
struct AdoptionComparison {
    let catalogue: Catalogue
    let findings: Findings

    func compare(_ images: [AdoptionMap.Image], _ messages: [AdoptionMap.Message]) {
        let known = Dictionary(catalogue.images.map { ($0.name, $0) }) { first, _ in first }
        for entry in images {
            guard let image = known[entry.name] else { continue }
            check(image.file == entry.file, "file", entry.path)
            check(image.size == entry.size, "size", entry.path, isGiven: false)
        }
        let named = Dictionary(catalogue.messages.map { ($0.name, $0) }) { first, _ in first }
        for entry in messages {
            guard let message = named[entry.name],
                let text = message.texts.first(where: { $0.locale == entry.locale })
            else { continue }
            if let kind = entry.kind { check(kind == message.kind, "kind", entry.path) }
            compare(entry, text, message)
        }
    }

    private func compare(_ entry: AdoptionMap.Message, _ text: Catalogue.Text, _ message: Catalogue.Message) {
        let isGiven = !entry.content.isEmpty || entry.headerPosition != nil
        guard isGiven else { return }
        let isAbove = (entry.headerPosition ?? .aboveBody) == .aboveImage
        check(
            isAbove == (message.headerPosition == .aboveImage), "headerPosition", entry.path,
            isGiven: entry.headerPosition != nil)
        let found = Dictionary(text.members) { first, _ in first }.mapValues {
            $0.serialized(sortedKeys: true)
        }
        let given = Dictionary(entry.content.map { ($0.name, $0.value) }) { first, _ in first }
            .mapValues { $0.serialized(sortedKeys: true) }
        for name in AdoptionMapReader.content where Self.none(given[name]) != Self.none(found[name]) {
            check(false, name, entry.path, isGiven: given[name] != nil)
        }
    }

    /// An empty list of bullet points is as good as none.
    private static func none(_ text: [UInt8]?) -> [UInt8]? { text == Array("[]".utf8) ? nil : text }

    /// Reports a member that is not equal, at the member when the map gives it.
    private func check(_ isEqual: Bool, _ name: String, _ path: JSONPath, isGiven: Bool = true) {
        guard !isEqual else { return }
        findings.add(
            reason: CatalogueReason.mapConflict, "the catalogue has another \"\(name)\" under this name",
            at: isGiven ? path + [.member(name)] : path, hint: "correct the map, or give it another name")
    }
}

extension Catalogue.Text {
    /// The members of the text that a map may have.
    fileprivate var members: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("header", .string(header)), ("body", .string(body))]
        if let image { members.append(("image", .string(image))) }
        if let imageAltText { members.append(("imageAltText", .string(imageAltText))) }
        let points = bulletPoints.map { point in
            JSONNode.object([
                ("text", .string(point.text)), ("image", .string(point.image)),
                ("altText", .string(point.altText)),
            ])
        }
        return members + [("bulletPoints", .array(points))]
    }
}
