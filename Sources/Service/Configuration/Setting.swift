internal import JSON

/// Whether a change of a setting is applied by a reload.
enum OnHangup: String, Sendable {
    /// HUP applies it.
    case applied
    /// Only a restart does; a HUP is refused with `needs-restart`.
    case restart
}

/// One key of an object in `retentiond.json`, and everything that follows from it: how it is read, written by `-T`, described
/// in the schema and in the manual, and what a HUP does.
///
/// Whoever adds a setting adds a property, whose value is the default, and a row of this kind.
struct Setting<Object>: Sendable {
    let key: String
    /// One or two sentences for the schema and the manual.
    let meaning: String
    /// What HUP does with a change; of nested objects the outermost key's counts. Nil for what is not read.
    var onHangup: OnHangup? = .applied
    var isRequired = false
    /// The form of the value, as members of a JSON Schema.
    let schema: [(String, JSONNode)]
    /// The settings of the objects below; none for other values.
    var below: [DescribedSetting] = []
    /// Takes over the value of a text. One that is wrong is reported and changes nothing.
    let read: @Sendable (SourceValue, inout Object) -> Void
    /// The value as a text has it; nil when it is absent.
    let write: @Sendable (Object, _ hidingSecrets: Bool) -> JSONNode?

    /// The same setting, which a HUP does not apply.
    func afterRestart() -> Setting {
        var setting = self
        setting.onHangup = .restart
        return setting
    }

    /// The same setting, without which a text is refused.
    func required() -> Setting {
        var setting = self
        setting.isRequired = true
        return setting
    }
}

extension SourceValue {
    /// Takes the members of an object over into a value. What is wrong with them is reported, and keys that are none.
    ///
    /// - Parameters:
    ///   - settings: those of the object.
    ///   - later: keys that a later version will know, with what is said of them.
    ///   - object: the value; settings that the text does not have stay as they are.
    func read<Object>(
        _ settings: [Setting<Object>],
        later: [(key: String, message: String)] = [],
        into object: inout Object
    ) {
        guard isObject else { return }
        for setting in settings {
            guard let value = setting.isRequired ? required(setting.key) : member(setting.key) else {
                continue
            }
            setting.read(value, &object)
        }
        for (key, message) in later { member(key)?.report(.notSupported, message, isKey: true) }
        checkKeys(settings.map(\.key), knowing: later.map(\.key))
    }

    /// Reports this value, or its key.
    func report(_ reason: ConfigurationReason, _ message: String, isKey: Bool = false) {
        findings.add(reason: reason, message, at: path, isKey: isKey)
    }

    /// A string of a form.
    func text(_ form: ConfigurationText) -> String? {
        guard let text = string else { return nil }
        guard form.accepts(text) else {
            report(.invalidValue, "must be \(form.expected)")
            return nil
        }
        return text
    }

    /// The elements of a list with 1 to `limit` of them.
    func list(limit: Int) -> [SourceValue] {
        guard let elements else { return [] }
        guard (1...limit).contains(elements.count) else {
            report(.outOfRange, "must have from 1 to \(limit) entries")
            return []
        }
        return elements
    }

    func refuseDuplicates(_ words: [String]) {
        for (index, word) in words.enumerated() where words[..<index].contains(word) {
            return report(.duplicateValue, "has \"\(word)\" twice")
        }
    }
}
