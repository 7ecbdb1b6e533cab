internal import DataFiles
internal import JSON
internal import RulesReading

/// Finds the place in a source that a finding about a message names: its entry in `messages`, or the first outcome that serves
/// it when it comes from a catalogue.
struct MessagePlaces {
    private let declared: Set<String>
    private let uses: [String: JSONPath]

    init(_ model: RulesModel, _ root: JSONValue?) {
        declared = Set(root?.member("messages")?.members.map(\.name) ?? [])
        let places = model.placedOutcomes.compactMap { outcome, path, _ in
            outcome.message.map { (model.messages[$0].name, path) }
        }
        uses = Dictionary(places) { first, _ in first }
    }

    init(_ model: RulesModel, source: [UInt8]) {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let document = try? JSONDocument(parsing: source.withoutByteOrderMark.span, limits: limits)
        self.init(model, document?.root)
    }

    func path(of message: String) -> JSONPath {
        declared.contains(message) ? [.member("messages"), .member(message)] : uses[message] ?? []
    }

    /// Returns the path to the identifier of a message in a locale.
    func path(of message: String, _ locale: String) -> JSONPath {
        declared.contains(message)
            ? [.member("messages"), .member(message), .member("ids"), .member(locale)] : uses[message] ?? []
    }

    /// Returns true when the path leads to a key, so that a finding can name it.
    func isKey(_ message: String) -> Bool { declared.contains(message) }
}
