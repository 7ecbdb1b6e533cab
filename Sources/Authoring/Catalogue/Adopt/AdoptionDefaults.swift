internal import DataFiles
internal import JSON
internal import Vocabulary

/// The last step of an adoption: names the default messages that the journal knows, and the URL. What the catalogue names already
/// stays.
struct AdoptionDefaults {
    private(set) var editor: JSONEditor
    private let catalogue: Catalogue
    private let finder: DefaultFinder
    private let owners: [UUID: ResolvedCatalogue.Message]

    /// Takes the text of a catalogue without errors, and what it wants to be at Apple.
    init(_ text: [UInt8], _ resolved: ResolvedCatalogue, _ catalogue: Catalogue) {
        editor = JSONEditor(text)
        self.catalogue = catalogue
        finder = DefaultFinder(catalogue)
        owners = Dictionary(resolved.messages.map { ($0.identifier, $0) }) { first, _ in first }
    }

    /// Names default messages.
    mutating func add(
        _ knowledge: JournalKnowledge
    ) -> (added: [AdoptionReport.Default], left: [AdoptionReport.LeftDefault]) {
        var added: [AdoptionReport.Default] = []
        var left: [AdoptionReport.LeftDefault] = []
        for (place, known) in knowledge.defaults.sorted(by: { $0.key < $1.key }) {
            guard let identifier = known.identifier else { continue }
            if let reason = obstacle(place, identifier) {
                left.append(.init(place: place, identifier: identifier, reason: reason))
            } else if finder.name(place.product, place.locale) == nil, let owner = owners[identifier] {
                added.append(.init(place: place, message: owner.name))
            }
        }
        write(added)
        return (added, left)
    }

    /// Returns the reason why the catalogue cannot name the message that Apple has; nil when it can, or does.
    private func obstacle(_ place: ProductLocale, _ identifier: UUID) -> AdoptionReport.LeftDefault.Reason? {
        guard catalogue.products.contains(where: { $0.name == place.product }),
            catalogue.locales.contains(place.locale)
        else { return .unknownPlace }
        guard let owner = owners[identifier] else { return .unnamed }
        if let name = finder.name(place.product, place.locale) {
            return name == owner.name && owner.locale == place.locale ? nil : .named(name)
        }
        guard owner.locale == place.locale else {
            return .otherLocale(name: owner.name, locale: owner.locale)
        }
        guard owner.kind == .text, owner.product == nil || owner.product == place.product else {
            return .unfit(name: owner.name)
        }
        return nil
    }

    /// Writes an entry for each product. A product of which every locale with a text of one message has that message gets its
    /// name alone.
    private mutating func write(_ defaults: [AdoptionReport.Default]) {
        let products = Dictionary(grouping: defaults, by: \.place.product)
        let named = Set(catalogue.defaults.compactMap(\.product))
        var entries: [(String, JSONNode)] = []
        for (product, defaults) in products.sorted(by: { $0.key < $1.key }) {
            let locales = defaults.map { ($0.place.locale, JSONNode.string($0.message)) }
            if named.contains(product) {
                let path: JSONPath = [.member("defaults"), .member(product)]
                editor.add(locales, to: "locales", of: path)
            } else if let message = wholeMessage(product, defaults) {
                entries.append((product, .string(message)))
            } else {
                entries.append((product, .object([("locales", .object(locales))])))
            }
        }
        editor.add(entries, to: "defaults", of: [])
    }

    /// Returns the message that alone says the same as all its locales; nil when there is none.
    private func wholeMessage(_ product: String, _ defaults: [AdoptionReport.Default]) -> String? {
        guard let name = defaults.first?.message, defaults.allSatisfy({ $0.message == name }),
            let message = catalogue.messages.first(where: { $0.name == name }),
            !catalogue.locales.contains(where: { finder.name(product, $0) != nil })
        else { return nil }
        return Set(message.texts.map(\.locale)) == Set(defaults.map(\.place.locale)) ? name : nil
    }

    /// Names the URL that Apple asks. Returns false when the catalogue names a URL, or cannot name this one.
    mutating func add(_ url: String, _ environment: Environment) -> Bool {
        guard catalogue.realtimeURLs[environment] == nil, RealtimeURLCheck.problem(url) == nil else {
            return false
        }
        editor.add([(environment.rawValue, .string(url))], to: "realtimeURL", of: [])
        return true
    }
}
