internal import DataFiles
internal import Vocabulary

/// Reads `messages`: names with a kind and an identifier for each locale.
enum MessagesReader {
    static func read(_ messages: SourceValue) -> [RulesModel.Message] {
        (messages.members(limit: RulesCompilerLimits.messageCount) ?? []).map { name, value in
            _ = value.checkName(name, isKey: true)
            return message(name, value)
        }
    }

    /// A message that is wrong in itself is still known by its name, so that rules which serve it are not.
    private static func message(_ name: String, _ value: SourceValue) -> RulesModel.Message {
        guard value.isObject else { return RulesModel.Message(name: name, kind: .text, identifiers: []) }
        value.checkKeys(.message)
        let kind = value.required("kind").flatMap(kind)
        let identifiers = value.required("ids").flatMap(identifiers)
        return RulesModel.Message(name: name, kind: kind ?? .text, identifiers: identifiers ?? [])
    }

    private static let kinds: [MessageKind] = [.text, .switch, .offer]

    private static func kind(_ value: SourceValue) -> MessageKind? {
        guard let text = value.string else { return nil }
        guard let kind = kinds.first(where: { $0.name == text }) else {
            let names = kinds.map(\.name)
            let near = Spelling.nearest(to: text, among: names).map { "did you mean \"\($0)\"?" }
            let hint = near ?? "one of " + names.joined(separator: ", ")
            value.report(.unknownMessageKind, "unknown kind of message", hint: hint)
            return nil
        }
        return kind
    }

    private static func identifiers(_ value: SourceValue) -> [RulesModel.LocalizedIdentifier]? {
        guard let members = value.members(limit: RulesCompilerLimits.localeCount) else { return nil }
        if members.isEmpty { value.report(.noLocale, "a message needs an identifier in some locale") }
        return members.compactMap { locale, value in
            let isLocale = value.checkLocale(locale, isKey: true)
            guard let identifier = value.uuid, isLocale else { return nil }
            return RulesModel.LocalizedIdentifier(locale: locale, identifier: identifier)
        }
    }
}
