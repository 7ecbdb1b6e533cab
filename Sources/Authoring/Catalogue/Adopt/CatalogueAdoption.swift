package import AppStoreServerAPI
internal import Facts
package import JSON
internal import Rules
package import System

/// An entry with a pinned identifier for each image and message that the catalogue does not name, default messages, and
/// the URL. A person fills in what Apple's lists do not say.
package struct CatalogueAdoption {
    struct Default: Sendable {
        let place: ProductLocale
        let message: String
    }

    package var text: [UInt8] { editor.text }
    package private(set) var items: [CatalogueItem] = []
    private(set) var digestCount = 0
    private(set) var defaults: [Default] = []
    private(set) var realtimeURL: String?

    private var editor: JSONEditor
    private let state: AppleState
    private let environment: Environment

    /// Throws all errors of the catalogue, so also about entries that nobody has filled in.
    package init(_ source: [UInt8], images files: ImageFiles, _ state: AppleState, _ environment: Environment)
        throws(ToolError)
    {
        let checked = CheckedCatalogue(source, images: files)
        let resolved = try checked.resolved(for: environment)
        editor = JSONEditor(source.withoutByteOrderMark)
        self.state = state
        self.environment = environment
        addDigests(checked)
        addEntries(resolved)
        addDefaults(checked.catalogue, resolved)
        if let url = state.realtimeURL, checked.catalogue.realtimeURLs[environment] == nil,
            RealtimeURLCheck.problem(url) == nil
        {
            editor.add([(environment.rawValue, .string(url))], to: "realtimeURL", of: [])
            realtimeURL = url
        }
    }

    private mutating func addDigests(_ checked: CheckedCatalogue) {
        for image in checked.catalogue.images {
            let path: JSONPath = [.member("images"), .member(image.name)]
            addDigest(image.pins, checked.versions.images[image.name], path)
        }
        for message in checked.catalogue.messages {
            for text in message.texts {
                let path: JSONPath = [.member("messages"), .member(message.name), .member(text.locale)]
                let key = TextKey(message: message.name, locale: text.locale)
                addDigest(text.pins, checked.versions.texts[key], path)
            }
        }
    }

    private mutating func addDigest(
        _ pins: [Environment: CataloguePin], _ version: ContentVersion?, _ path: JSONPath
    ) {
        guard let version else { return }
        for (environment, pin) in pins where pin.contentVersion == nil {
            let place = path + [.member("identifier"), .member(environment.rawValue)]
            if editor.add("digest", .string(version.description), at: place) { digestCount += 1 }
        }
    }

    private mutating func addEntries(_ resolved: ResolvedCatalogue) {
        let known = resolved.items
        var entries: [CatalogueItem.Kind: [(String, JSONNode)]] = [:]
        for (item, _) in state.listed where !known.contains(item) {
            items.append(item)
            let pin = JSONNode.object([
                (environment.rawValue, .object([("id", .string(item.identifier.description))]))
            ])
            let entry: JSONNode
            switch item.kind {
            case .image:
                let size = state.items[item]?.size.map { JSONNode.string($0) } ?? .null
                entry = .object([("file", .null), ("size", size), ("identifier", pin)])
            case .message:
                let text = JSONNode.object([("header", .null), ("body", .null), ("identifier", pin)])
                entry = .object([("kind", .null), ("xx-XX", text)])
            }
            entries[item.kind, default: []].append(("\(item.kind.rawValue)-\(item.identifier)", entry))
        }
        editor.add(entries[.image] ?? [], to: "images", of: [])
        editor.add(entries[.message] ?? [], to: "messages", of: [])
    }

    /// Names default messages where the catalogue names none. A catalogue names a message with a text in the locale.
    private mutating func addDefaults(_ catalogue: Catalogue, _ resolved: ResolvedCatalogue) {
        let finder = DefaultFinder(catalogue)
        let owners = Dictionary(resolved.messages.map { ($0.identifier, $0) }) { first, _ in first }
        for (place, known) in state.defaults.sorted(by: { $0.key < $1.key }) {
            guard let owner = known.identifier.flatMap({ owners[$0] }), owner.locale == place.locale,
                owner.kind == .text, owner.product == nil || owner.product == place.product,
                catalogue.products.contains(where: { $0.name == place.product }),
                catalogue.locales.contains(place.locale), finder.name(place.product, place.locale) == nil
            else { continue }
            defaults.append(Default(place: place, message: owner.name))
        }
        let named = Set(catalogue.defaults.compactMap(\.product))
        var entries: [(String, JSONNode)] = []
        for (product, added) in Dictionary(grouping: defaults, by: \.place.product).sorted(by: {
            $0.key < $1.key
        }) {
            let locales = added.map { ($0.place.locale, JSONNode.string($0.message)) }
            if named.contains(product) {
                editor.add(locales, to: "locales", of: [.member("defaults"), .member(product)])
            } else {
                entries.append((product, .object([("locales", .object(locales))])))
            }
        }
        editor.add(entries, to: "defaults", of: [])
    }
}

extension CatalogueAdoption {
    package var hasAdditions: Bool {
        !items.isEmpty || digestCount > 0 || !defaults.isEmpty || realtimeURL != nil
    }

    private func places(_ item: CatalogueItem) -> [String] {
        item.kind == .image ? [] : (state.defaultPlaces[item.identifier] ?? []).map(\.description)
    }

    package var report: [String] {
        var text = items.map { item in
            let uses = places(item)
            return
                "  + \(item.kind.rawValue)  \(item.identifier), \(state.items[item]?.state?.rawValue ?? "-")"
                + (uses.isEmpty ? "" : ", default message of \(uses.joined(separator: ", "))")
        }
        text += defaults.map { "  + default  \($0.place): \($0.message)" }
        if let realtimeURL { text.append("  + url  \(realtimeURL)") }
        if digestCount > 0 { text.append("  + digest  of \(CountText.of(digestCount, "pin"))") }
        guard !items.isEmpty else { return text + (hasAdditions ? [] : ["Nothing to add."]) }
        return text + [
            "To fill in: \(CountText.of(items.count, "item")). Give each its name, replace xx-XX and every null, "
                + "and delete what is not needed; then run adopt again."
        ]
    }

    package var members: [(String, JSONNode)] {
        [
            (
                "toFillIn",
                .array(
                    items.map { item in
                        .object(
                            item.json + [
                                ("state", .string(state.items[item]?.state?.rawValue ?? "")),
                                ("defaultOf", .array(places(item).map { .string($0) })),
                            ])
                    })
            ),
            ("digests", JSONNode(digestCount)),
            (
                "defaults",
                .array(defaults.map { .object($0.place.members + [("message", .string($0.message))]) })
            ),
            ("realtimeURL", JSONNode(realtimeURL)),
        ]
    }
}

extension JSONEditor {
    fileprivate mutating func add(_ members: [(String, JSONNode)], to name: String, of path: JSONPath) {
        guard let first = members.first else { return }
        guard add(first.0, first.1, at: path + [.member(name)]) else {
            add(name, .object(members), at: path)
            return
        }
        for member in members.dropFirst() { add(member.0, member.1, at: path + [.member(name)]) }
    }
}
