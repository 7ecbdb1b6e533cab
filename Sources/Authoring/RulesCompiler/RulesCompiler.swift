internal import Cryptography
public import DataFiles
internal import JSON
public import RulesReading
internal import Vocabulary

/// The options of ``RulesCompiler``.
public struct RulesCompilerOptions: Sendable {
    /// Apple's lists of the app's messages and images. With nil, every message counts as approved.
    public var inventory: Inventory?
    /// True when identifiers that Apple has not approved are also compiled for Production; they are then not served.
    public var allowsPending: Bool

    /// The messages of a catalogue. With nil, rules serve only the messages of their own source.
    public var catalogue: CatalogueMessages?

    /// Creates options; by default every message counts as approved, and there is no catalogue.
    public init(inventory: Inventory? = nil, allowsPending: Bool = false, catalogue: CatalogueMessages? = nil)
    {
        self.inventory = inventory
        self.allowsPending = allowsPending
        self.catalogue = catalogue
    }
}

/// A rules source that stands alone, with what was read from it.
public struct ResolvedRules {
    /// The JSON that is pushed: the author's source with the identifiers of messages from a catalogue and the
    /// identifiers that Apple has not approved. Equal sources and options give equal bytes.
    public let text: [UInt8]
    public let model: RulesModel
    /// The rules as the service walks them; their digest is that of ``text``.
    public let file: RulesFile

    init(text: [UInt8], model: RulesModel) {
        self.text = text
        self.model = model
        file = RulesFile(model, digest: SHA256.hash(text.span))
    }
}

/// Compiles a rules source, described in retention-rules(5), into one that can be pushed.
///
/// The compiler ignores nothing in a source: an unknown key is an error. One run finds all errors.
///
///     let resolved = try RulesCompiler.resolve(source)
///     let (pushed, rules) = (resolved.text, resolved.file)
public enum RulesCompiler {
    /// Returns the resolved form of a source.
    ///
    /// - Throws: all errors of the source.
    public static func resolve(_ source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesSourceError) -> ResolvedRules
    {
        var root: JSONNode = .null
        let model = try read(source, options) { root = JSONNode($0.value) }
        return ResolvedRules(text: resolved(root, model).serialized(pretty: true) + [0x0A], model: model)
    }

    /// Returns the model of a source.
    ///
    /// - Throws: all errors of the source.
    public static func model(of source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesSourceError) -> RulesModel
    {
        try read(source, options) { _ in }
    }

    private static func read(
        _ source: [UInt8], _ options: RulesCompilerOptions, _ body: (SourceValue) -> Void
    ) throws(RulesSourceError) -> RulesModel {
        try RulesSource.read(source, catalogue: options.catalogue) { model, root in
            body(root)
            guard let inventory = options.inventory else { return }
            let check = InventoryCheck(
                inventory: inventory, allowsPending: options.allowsPending,
                catalogueImages: options.catalogue?.images ?? [:])
            check.apply(to: &model, root)
        }
    }

    /// Returns the source with the messages that it takes from a catalogue, and with what Apple has not approved. All
    /// else stays as the author has written it.
    private static func resolved(_ root: JSONNode, _ model: RulesModel) -> JSONNode {
        guard case .object(var members) = root else { return root }
        func place(_ name: String) -> Int {
            if let place = members.firstIndex(where: { $0.0 == name }) { return place }
            let end = members.firstIndex { ["segments", "holdout", "caps", "rules"].contains($0.0) }
            members.insert((name, .object([])), at: end ?? members.count)
            return end ?? members.count - 1
        }
        var messages: [(String, JSONNode)] = []
        if case .object(let own)? = members.first(where: { $0.0 == "messages" })?.1 { messages = own }
        let own = Set(messages.map(\.0))
        messages += model.messages.filter { !own.contains($0.name) }.map { ($0.name, node($0)) }
        if !messages.isEmpty { members[place("messages")].1 = .object(messages) }
        var unapproved: [(String, JSONNode)] = []
        for entry in model.messages.flatMap(\.identifiers) {
            guard let state = entry.unapproved else { continue }
            unapproved.append((entry.identifier.description, .string(state.rawValue)))
        }
        members.removeAll { $0.0 == "unapproved" || $0.0 == "include" }
        if !unapproved.isEmpty { members[place("unapproved")].1 = .object(unapproved) }
        return .object(members)
    }

    private static func node(_ message: RulesModel.Message) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("kind", .string(message.kind.name)),
            (
                "ids",
                .object(message.identifiers.map { ($0.locale, .string($0.identifier.description)) })
            ),
        ]
        if message.failsWhenUnapproved {
            members.append(("whenUnapproved", .string(RulesModel.WhenUnapproved.pass.rawValue)))
        }
        return .object(members)
    }
}
