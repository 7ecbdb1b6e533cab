internal import Catalogue
internal import Vocabulary

/// Images or messages with one state: one image, or all texts of a message that have the state.
struct ReviewEntry {
    let kind: CatalogueItem.Kind
    let name: String
    /// The items with the names of their links: the locale of a text, nothing for an image.
    private(set) var items: [(item: CatalogueItem, locale: String)]
    private(set) var states: [CatalogueStatus.State]
    /// The times since which the items have the state, as far as they are known.
    private(set) var times: [Int64]

    /// Collects the items of a catalogue that have a state of one group, images first, in the order of the catalogue.
    static func all(_ page: CataloguePage, _ index: PageIndex, where fits: (StateGroup) -> Bool)
        -> [ReviewEntry]
    {
        var entries: [ReviewEntry] = []
        func add(_ item: CatalogueItem, _ name: String, locale: String) {
            let row = index.rows[item]
            let state = row?.state ?? .unknown
            guard fits(StateGroup(state)) else { return }
            let isNext = item.kind == .message && entries.last?.kind == .message && entries.last?.name == name
            if !isNext {
                entries.append(ReviewEntry(kind: item.kind, name: name, items: [], states: [], times: []))
            }
            entries[entries.count - 1].items.append((item, locale))
            if !entries[entries.count - 1].states.contains(state) {
                entries[entries.count - 1].states.append(state)
            }
            if let time = row?.since { entries[entries.count - 1].times.append(time) }
        }
        for image in page.resolved.images {
            add(CatalogueItem(.image, image.identifier), image.names.joined(separator: ", "), locale: "")
        }
        // The texts of one message stand one after the other.
        for message in page.resolved.messages {
            add(CatalogueItem(.message, message.identifier), message.name, locale: message.locale)
        }
        return entries
    }
}
