internal import AppStoreServerAPI
internal import DataFiles
internal import JSON
internal import Vocabulary

/// The first step of an adoption: gives names to what Apple lists. Images and texts that the catalogue lacks are added to it.
struct AdoptionNaming {
    /// The entries whose identifiers the catalogue does not know yet, and that nothing speaks against.
    private(set) var images: [AdoptionMap.Image] = []
    private(set) var messages: [AdoptionMap.Message] = []
    /// The number of entries whose identifiers the catalogue knows already.
    private(set) var knownCount = 0
    /// The text of the catalogue with the images and texts that it lacked, without their identifiers.
    private(set) var text: [UInt8]

    private let map: AdoptionMap
    private let base: Catalogue
    private let inventory: AppleInventory
    private let states: [CatalogueItem: ReviewState]
    private let findings: Findings

    init(
        _ map: AdoptionMap, _ source: [UInt8], _ base: CheckedCatalogue, _ inventory: AppleInventory,
        _ environment: Environment
    ) throws(CatalogueError) {
        self.map = map
        self.base = base.catalogue
        self.inventory = inventory
        states = inventory.states
        findings = AdoptionMap.collector(for: map.source)
        text = source
        let resolved = try base.resolved(for: environment)
        checkApp(environment)
        chooseImages(resolved)
        chooseMessages(resolved)
        addEntries()
        guard findings.isEmpty else { throw CatalogueError(findings: findings.sorted) }
    }

    private func conflict(_ words: String, at path: JSONPath, hint: String? = nil) {
        findings.add(reason: CatalogueReason.mapConflict, words, at: path, hint: hint)
    }

    private func checkApp(_ environment: Environment) {
        if map.bundleId != base.bundleId {
            conflict("the catalogue is that of \(base.bundleId)", at: [.member("app"), .member("bundleId")])
        }
        if let number = map.appAppleId, number != base.appAppleId {
            let path: JSONPath = [.member("app"), .member("appAppleId")]
            conflict("the catalogue is that of \(base.appAppleId)", at: path)
        }
        if map.environment != environment {
            conflict("Apple was asked for \(environment.rawValue)", at: [.member("environment")])
        }
    }

    /// Returns true when Apple lists the item of an entry. Reports it otherwise.
    private func isListed(_ item: CatalogueItem, at path: JSONPath) -> Bool {
        guard states[item] == nil else { return true }
        findings.add(
            reason: CatalogueReason.notAtApple,
            "Apple does not list the \(item.kind.rawValue) \(item.identifier)",
            at: path + [.member("identifier")], hint: "remove the entry")
        return false
    }

    // MARK: What is added

    private mutating func chooseImages(_ resolved: ResolvedCatalogue) {
        let sizes = Dictionary(inventory.images.map { ($0.imageIdentifier, $0.size) }) { first, _ in first }
        let known = Dictionary(resolved.images.map { ($0.identifier, $0) }) { first, _ in first }
        let named = Dictionary(resolved.images.flatMap { image in image.names.map { ($0, image) } }) {
            first,
            _ in
            first
        }
        var names: Set<String> = []
        for entry in map.images where isListed(CatalogueItem(.image, entry.identifier), at: entry.path) {
            let path = entry.path + [.member("name")]
            if let image = known[entry.identifier] {
                knownCount += 1
                guard !image.names.contains(entry.name) else { continue }
                conflict("the catalogue has this image as \"\(image.names.first ?? "")\"", at: path)
                continue
            }
            guard names.insert(entry.name).inserted else {
                conflict("another image of the map has this name", at: path)
                continue
            }
            if let other = named[entry.name], isTaken(.image, other.identifier, isPinned: other.isPinned) {
                conflict("the catalogue has \(other.identifier) under this name", at: path)
                continue
            }
            let listed = sizes[entry.identifier] ?? nil
            if let size = entry.size, let listed, size != listed {
                conflict("Apple lists the image as \(listed.rawValue)", at: entry.path + [.member("size")])
            }
            guard let size = listed ?? entry.size else {
                let words = "\"size\" is missing, and Apple does not give it"
                findings.add(reason: CatalogueReason.missingKey, words, at: entry.path)
                continue
            }
            images.append(entry.with(size))
        }
    }

    private mutating func chooseMessages(_ resolved: ResolvedCatalogue) {
        let known = Dictionary(resolved.messages.map { ($0.identifier, $0) }) { first, _ in first }
        let named = Dictionary(
            resolved.messages.map { (TextKey(message: $0.name, locale: $0.locale), $0) }
        ) { first, _ in first }
        var keys: Set<TextKey> = []
        for entry in map.messages where isListed(CatalogueItem(.message, entry.identifier), at: entry.path) {
            let key = TextKey(message: entry.name, locale: entry.locale)
            let path = entry.path + [.member("name")]
            if let message = known[entry.identifier] {
                knownCount += 1
                guard TextKey(message: message.name, locale: message.locale) != key else { continue }
                conflict(
                    "the catalogue has this message as \"\(message.name)\" in \(message.locale)", at: path)
                continue
            }
            guard keys.insert(key).inserted else {
                conflict("another message of the map has this name and locale", at: path)
                continue
            }
            if let other = named[key], isTaken(.message, other.identifier, isPinned: other.isPinned) {
                let words = "the catalogue has \(other.identifier) under this name and locale"
                conflict(words, at: path)
                continue
            }
            messages.append(entry)
        }
    }

    /// Returns true when the catalogue and Apple have something else under a name: a pin, or a content that was uploaded.
    private func isTaken(_ kind: CatalogueItem.Kind, _ identifier: UUID, isPinned: Bool) -> Bool {
        isPinned || states[CatalogueItem(kind, identifier)] != nil
    }

    // MARK: The text

    private mutating func addEntries() {
        var editor = JSONEditor(text)
        let imageNames = Set(base.images.map(\.name))
        let newImages = images.filter { !imageNames.contains($0.name) }.map { entry in
            let size = entry.size ?? .fullSize
            let members = [("file", JSONNode.string(entry.file)), ("size", .string(size.rawValue))]
            return (entry.name, JSONNode.object(members))
        }
        editor.add(newImages, to: "images", of: [])
        let texts = Dictionary(base.messages.map { ($0.name, Set($0.texts.map(\.locale))) }) { first, _ in
            first
        }
        let missing = messages.filter { texts[$0.name]?.contains($0.locale) != true }
        var locales = base.locales
        for entry in missing where !locales.contains(entry.locale) {
            locales.append(entry.locale)
            editor.add(.string(entry.locale), at: [.member("locales")])
        }
        for entry in missing where texts[entry.name] != nil {
            editor.add(
                entry.locale,
                .object(entry.content.map { ($0.name, $0.value) }),
                at: [.member("messages"), .member(entry.name)]
            )
        }
        editor.add(newMessages(missing.filter { texts[$0.name] == nil }), to: "messages", of: [])
        text = editor.text
    }

    /// Returns the messages that the catalogue lacks, each with all its texts.
    private func newMessages(_ entries: [AdoptionMap.Message]) -> [(String, JSONNode)] {
        var names: [String] = []
        var groups: [String: [AdoptionMap.Message]] = [:]
        for entry in entries {
            if groups[entry.name] == nil { names.append(entry.name) }
            groups[entry.name, default: []].append(entry)
        }
        let kinds = Dictionary(map.messages.compactMap { entry in entry.kind.map { (entry.name, $0) } }) {
            first,
            _ in
            first
        }
        return names.map { name in
            let texts = groups[name] ?? []
            var members: [(String, JSONNode)] = []
            if let kind = kinds[name] {
                members.append(("kind", .string(kind.name)))
            } else if let entry = texts.first {
                findings.add(reason: CatalogueReason.missingKey, "\"kind\" is missing", at: entry.path)
            }
            if let position = texts.compactMap(\.headerPosition).first {
                members.append(("headerPosition", .string(position.rawValue)))
            }
            members += texts.map { ($0.locale, .object($0.content.map { ($0.name, $0.value) })) }
            return (name, .object(members))
        }
    }
}

extension AdoptionMap.Image {
    /// The same entry with a size.
    fileprivate func with(_ size: ImageSize) -> Self {
        Self(identifier: identifier, name: name, file: file, size: size, path: path)
    }
}

extension JSONEditor {
    /// Adds members to the object that is the member `name` of another object. Adds that member when it does not exist.
    mutating func add(_ members: [(String, JSONNode)], to name: String, of path: JSONPath) {
        guard let first = members.first else { return }
        guard add(first.0, first.1, at: path + [.member(name)]) else {
            add(name, .object(members), at: path)
            return
        }
        for member in members.dropFirst() { add(member.0, member.1, at: path + [.member(name)]) }
    }
}
