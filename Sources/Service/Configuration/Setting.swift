internal import JSON

/// One key of an object in `retentiond.json`: how the key is read, how `-T` writes it, and what a HUP does with a change.
///
/// To add a setting, add a property, whose initial value is the default, a value of this type, and a member of the schema.
struct Setting<Object>: Sendable {
    let key: String
    /// True when a HUP with a change is refused with `needs-restart`. Inside an object or a list, a change is a change of the
    /// outer key; a setting inside may need a restart although the outer key needs none.
    var needsRestart = false
    var isRequired = false
    /// Reads the value from the text into the object. A wrong value is reported and changes nothing.
    let read: @Sendable (SourceValue, inout Object) -> Void
    /// Returns the object's value as JSON, or nil when the key is absent.
    let write: @Sendable (Object, _ hidingSecrets: Bool) -> JSONNode?

    func differs(_ object: Object, from other: Object) -> Bool {
        write(object, false)?.serialized() != write(other, false)?.serialized()
    }

    func needingRestart() -> Setting {
        var setting = self
        setting.needsRestart = true
        return setting
    }

    func required() -> Setting {
        var setting = self
        setting.isRequired = true
        return setting
    }
}

extension SourceValue {
    /// Reads the members of this JSON object into `object`. Reports wrong values and unknown keys.
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

    func report(_ reason: ConfigurationReason, _ message: String, isKey: Bool = false) {
        findings.add(reason: reason, message, at: path, isKey: isKey)
    }

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

/// One function for each form of value. A setting that the text does not have keeps the value its property was declared
/// with.
extension Setting {
    /// Returns a setting for a whole number in `range`, and for 0 when `allowsZero` is true.
    static func integer<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Number> & Sendable,
        _ range: ClosedRange<Number>, allowsZero: Bool = false
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard let number = value.integer else { return }
                guard let number = Number(exactly: number),
                    range.contains(number) || allowsZero && number == 0
                else {
                    let zero = allowsZero ? "0, or " : ""
                    return value.report(
                        .outOfRange, "must be \(zero)from \(range.lowerBound) to \(range.upperBound)")
                }
                object[keyPath: property] = number
            },
            write: { object, _ in .integer(Int64(object[keyPath: property])) }
        )
    }

    static func boolean(
        _ key: String, _ property: any WritableKeyPath<Object, Bool> & Sendable
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                if let flag = value.boolean { object[keyPath: property] = flag }
            },
            write: { object, _ in .boolean(object[keyPath: property]) }
        )
    }

    /// Returns a setting for a string of the form `form`. `isSecret` hides the value in the output of `-T`.
    static func text(
        _ key: String, _ property: any WritableKeyPath<Object, String> & Sendable, _ form: ConfigurationText,
        isSecret: Bool = false
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                if let text = value.text(form) { object[keyPath: property] = text }
            },
            write: { object, hidingSecrets in
                .string(isSecret && hidingSecrets ? "hidden" : object[keyPath: property])
            }
        )
    }

    static func optionalText(
        _ key: String, _ property: any WritableKeyPath<Object, String?> & Sendable, _ form: ConfigurationText
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                if let text = value.text(form) { object[keyPath: property] = text }
            },
            write: { object, _ in object[keyPath: property].map { .string($0) } }
        )
    }

    /// Returns a setting for a value that the file has as a string. `read` and `write` convert it.
    static func converted<Value>(
        _ key: String, _ property: any WritableKeyPath<Object, Value> & Sendable, expected: String,
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard let text = value.string else { return }
                guard let found = read(text) else {
                    return value.report(.invalidValue, "must be \(expected)")
                }
                object[keyPath: property] = found
            },
            write: { object, _ in .string(write(object[keyPath: property])) }
        )
    }

    static func address(
        _ key: String, _ property: any WritableKeyPath<Object, ListenAddress> & Sendable
    ) -> Setting {
        .converted(
            key, property,
            expected: "\"unix:/path\", \"address:port\" with a numeric address, or \"systemd\"",
            read: { ListenAddress($0) }, write: { $0.description }
        )
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Choice> & Sendable
    ) -> Setting {
        let words = Choice.allCases.map(\.rawValue)
        return Setting(
            key: key,
            read: { value, object in
                guard let word = value.string else { return }
                if let choice = Choice(rawValue: word) {
                    object[keyPath: property] = choice
                } else {
                    let all = words.map { "\"\($0)\"" }.joined(separator: ", ")
                    value.report(.invalidValue, "must be one of \(all)")
                }
            },
            write: { object, _ in .string(object[keyPath: property].rawValue) }
        )
    }

    /// Returns a setting for a list of strings of a form without duplicates. An empty list is refused, because it could mean
    /// "none" or "the default".
    static func texts(
        _ key: String, _ property: any WritableKeyPath<Object, [String]> & Sendable,
        _ form: ConfigurationText
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                let texts = value.list(limit: ConfigurationLimits.listCount).compactMap { $0.text(form) }
                value.refuseDuplicates(texts)
                object[keyPath: property] = texts
            },
            write: { object, _ in
                let texts = object[keyPath: property]
                return texts.isEmpty ? nil : .array(texts.map { .string($0) })
            }
        )
    }

    static func object<Inner>(
        _ key: String, _ property: any WritableKeyPath<Object, Inner> & Sendable, _ settings: [Setting<Inner>]
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in value.read(settings, into: &object[keyPath: property]) },
            write: { object, hidingSecrets in
                let inner = object[keyPath: property]
                return .object(settings.members(of: inner, hidingSecrets: hidingSecrets))
            }
        )
    }

    /// Returns a setting for an object that may be absent. An object that is there begins with the values of `standard`.
    static func optionalObject<Inner: Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Inner?> & Sendable,
        _ settings: [Setting<Inner>], standard: Inner
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard value.isObject else { return }
                var inner = standard
                value.read(settings, into: &inner)
                object[keyPath: property] = inner
            },
            write: { object, hidingSecrets in
                object[keyPath: property].map {
                    .object(settings.members(of: $0, hidingSecrets: hidingSecrets))
                }
            }
        )
    }

    /// Returns a setting for a list of objects that have settings of their own. `check` is called for each object after
    /// it is read, with the objects before it.
    static func objects<Inner: Sendable>(
        _ key: String,
        _ property: any WritableKeyPath<Object, [Inner]> & Sendable,
        _ settings: [Setting<Inner>],
        empty: Inner,
        limit: Int,
        check: @escaping @Sendable (SourceValue, Inner, _ before: [Inner]) -> Void = { _, _, _ in }
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                for element in value.list(limit: limit) where element.isObject {
                    var inner = empty
                    element.read(settings, into: &inner)
                    check(element, inner, object[keyPath: property])
                    object[keyPath: property].append(inner)
                }
            },
            write: { object, hidingSecrets in
                let list = object[keyPath: property].map { inner in
                    JSONNode.object(settings.members(of: inner, hidingSecrets: hidingSecrets))
                }
                return list.isEmpty ? nil : .array(list)
            }
        )
    }
}

extension Array {
    func members<Object>(of object: Object, hidingSecrets: Bool) -> [(String, JSONNode)]
    where Element == Setting<Object> {
        compactMap { setting in setting.write(object, hidingSecrets).map { (setting.key, $0) } }
    }
}
