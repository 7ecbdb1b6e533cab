internal import JSON

/// What a HUP does with a change of a setting.
enum OnHangup: String, Sendable {
    /// A HUP applies the change.
    case applied
    /// Only a restart applies the change; a HUP with such a change is refused with `needs-restart`.
    case restart
}

/// One key of an object in `retentiond.json` and everything that follows from it: how the key is read, how `-T` writes
/// it, how the schema and the manual describe it, and what a HUP does with a change.
///
/// To add a setting, add a property, whose initial value is the default, and a value of this type.
struct Setting<Object>: Sendable {
    let key: String
    /// One or two sentences for the schema and the manual.
    let meaning: String
    /// What a HUP does with a change. Inside an object or a list, a change is a change of the outer key; a setting inside may
    /// need a restart although the outer key needs none. Nil for a key that is not read.
    var onHangup: OnHangup? = .applied
    var isRequired = false
    /// The form of the value, as members of a JSON Schema.
    let schema: [(String, JSONNode)]
    /// Descriptions of the settings inside the object or the list of objects; empty for other values.
    var below: [DescribedSetting] = []
    /// Reads the value from the text into the object. A wrong value is reported and changes nothing.
    let read: @Sendable (SourceValue, inout Object) -> Void
    /// Returns the object's value as JSON, or nil when the key is absent.
    let write: @Sendable (Object, _ hidingSecrets: Bool) -> JSONNode?

    /// Returns true when the setting has another value in the other object.
    func differs(_ object: Object, from other: Object) -> Bool {
        write(object, false)?.serialized() != write(other, false)?.serialized()
    }

    /// Returns the same setting, whose changes only a restart applies.
    func needingRestart() -> Setting {
        var setting = self
        setting.onHangup = .restart
        return setting
    }

    /// Returns the same setting as a required one: a text without it is refused.
    func required() -> Setting {
        var setting = self
        setting.isRequired = true
        return setting
    }
}

extension SourceValue {
    /// Reads the members of this JSON object into `object`. Reports wrong values and unknown keys.
    ///
    /// - Parameters:
    ///   - settings: the settings that the object can have.
    ///   - later: keys that this version does not support, with the messages that refuse them.
    ///   - object: the value to change. A setting that the text does not have keeps its value.
    func read<Object>(
        _ settings: [Setting<Object>], later: [(key: String, message: String)] = [], into object: inout Object
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

    /// Reports a problem with this value, or with its key.
    func report(_ reason: ConfigurationReason, _ message: String, isKey: Bool = false) {
        findings.add(reason: reason, message, at: path, isKey: isKey)
    }

    /// Returns the string, or nil when the value is not a string of the form `form`. Reports that case.
    func text(_ form: ConfigurationText) -> String? {
        guard let text = string else { return nil }
        guard form.accepts(text) else {
            report(.invalidValue, "must be \(form.expected)")
            return nil
        }
        return text
    }

    /// Returns the elements of a list. A list with fewer than 1 or more than `limit` elements is reported and read as
    /// empty.
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
