internal import JSON
internal import System

/// Reads `messages`: for each name, a kind and an identifier for each locale.
struct MessagesReader {
    private(set) var messages: [RulesModel.Message] = []
    /// The messages with a wrong kind. They are still known by name, so that outcomes which serve them are not reported too.
    private(set) var withoutKind: Set<String> = []

    /// The names of all messages, those of the catalogue among them.
    private(set) var names: [String] = []

    /// Reads messages, and adds those of a catalogue that the source serves.
    init(
        _ value: SourceValue?, catalogue: [RulesModel.Message], served: Set<String>, unapproved: SourceValue?
    ) {
        let others = Set(catalogue.map(\.name))
        for (name, value) in value?.namedMembers(limit: RulesSourceLimits.messageCount) ?? [] {
            _ = value.checkName(name, isKey: true)
            if others.contains(name) {
                let hint = "remove it here, or rename it"
                value.reportKey(.duplicate, "the catalogue has a message \"\(name)\" too", hint: hint)
            }
            messages.append(message(name, value))
        }
        let own = Set(messages.map(\.name))
        messages += catalogue.filter { served.contains($0.name) && !own.contains($0.name) }
        names = own.union(others).sorted()
        if let unapproved { mark(unapproved) }
    }

    private mutating func mark(_ value: SourceValue) {
        let limit = RulesSourceLimits.messageCount * RulesSourceLimits.localeCount
        var states: [UUID: RulesModel.Unapproved] = [:]
        let known = Set(messages.flatMap { $0.identifiers.map(\.identifier) })
        for (name, value) in value.members(limit: limit) ?? [] {
            let state = value.choice(
                of: RulesModel.Unapproved.allCases, named: \.rawValue, RulesReason.badValue
            ) { "\"\($0)\" is not the state of a message that Apple has not approved" }
            guard let identifier = UUID(name) else {
                value.reportKey(.badValue, "\"\(name)\" is not a UUID")
                continue
            }
            guard known.contains(identifier) else {
                value.reportKey(.unknownName, "no message has the identifier \(identifier)")
                continue
            }
            states[identifier] = state
        }
        for message in messages.indices {
            for place in messages[message].identifiers.indices {
                let identifier = messages[message].identifiers[place].identifier
                messages[message].identifiers[place].unapproved = states[identifier]
            }
        }
    }

    private mutating func message(_ name: String, _ value: SourceValue) -> RulesModel.Message {
        guard value.isObject else {
            withoutKind.insert(name)
            return RulesModel.Message(name: name, kind: .text, identifiers: [])
        }
        value.checkKeys(.message)
        let kind = value.required("kind")?.choice(
            of: MessageKind.allCases, named: \.name, RulesReason.badValue
        ) { _ in "unknown kind of message" }
        if kind == nil { withoutKind.insert(name) }
        let identifiers = value.required("ids").flatMap(Self.identifiers) ?? []
        var message = RulesModel.Message(name: name, kind: kind ?? .text, identifiers: identifiers)
        if let word = value.member("whenUnapproved") {
            let choice = word.choice(
                of: RulesModel.WhenUnapproved.allCases, named: \.rawValue, RulesReason.badValue
            ) { "\"\($0)\" is not a value of \"whenUnapproved\"" }
            message.failsWhenUnapproved = choice == .pass
        }
        return message
    }

    private static func identifiers(_ value: SourceValue) -> [RulesModel.LocalizedIdentifier]? {
        guard let members = value.members(limit: RulesSourceLimits.localeCount) else { return nil }
        if members.isEmpty { value.report(.badValue, "a message needs an identifier in some locale") }
        return members.compactMap { locale, value in
            let isLocale = value.checkLocale(locale, isKey: true)
            guard let identifier = value.uuid(RulesReason.badValue), isLocale else { return nil }
            return RulesModel.LocalizedIdentifier(locale: locale, identifier: identifier)
        }
    }
}
