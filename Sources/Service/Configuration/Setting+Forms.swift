internal import JSON

/// One function for each form of value. A setting that the text does not have keeps the value its property was declared
/// with.
extension Setting {
    /// Returns a setting for a whole number in `range`, and for 0 when `allowsZero` is true.
    static func integer<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Number> & Sendable,
        _ range: ClosedRange<Number>, allowsZero: Bool = false, _ meaning: String
    ) -> Setting {
        let (low, high) = (Int64(range.lowerBound), Int64(range.upperBound))
        let gap: [(String, JSONNode)] =
            allowsZero
            ? [("not", .object([("minimum", .integer(1)), ("maximum", .integer(low - 1))]))] : []
        return Setting(
            key: key,
            meaning: meaning,
            schema: [
                ("type", .string("integer")), ("minimum", .integer(allowsZero ? 0 : low)),
                ("maximum", .integer(high)),
            ] + gap,
            read: { value, object in
                guard let number = value.integer else { return }
                guard let number = Number(exactly: number),
                    range.contains(number) || allowsZero && number == 0
                else {
                    return value.report(
                        .outOfRange, "must be \(allowsZero ? "0, or " : "")from \(low) to \(high)")
                }
                object[keyPath: property] = number
            },
            write: { object, _ in .integer(Int64(object[keyPath: property])) }
        )
    }

    static func boolean(
        _ key: String, _ property: any WritableKeyPath<Object, Bool> & Sendable, _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: [("type", .string("boolean"))],
            read: { value, object in
                if let flag = value.boolean { object[keyPath: property] = flag }
            },
            write: { object, _ in .boolean(object[keyPath: property]) }
        )
    }

    /// Returns a setting for a string of the form `form`. `isSecret` hides the value in the output of `-T`.
    static func text(
        _ key: String, _ property: any WritableKeyPath<Object, String> & Sendable, _ form: ConfigurationText,
        isSecret: Bool = false, _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: form.schema,
            read: { value, object in
                if let text = value.text(form) { object[keyPath: property] = text }
            },
            write: { object, hidingSecrets in
                .string(isSecret && hidingSecrets ? "hidden" : object[keyPath: property])
            }
        )
    }

    /// Returns a setting for a string that may be absent.
    static func optionalText(
        _ key: String, _ property: any WritableKeyPath<Object, String?> & Sendable, _ form: ConfigurationText,
        _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: form.schema,
            read: { value, object in
                if let text = value.text(form) { object[keyPath: property] = text }
            },
            write: { object, _ in object[keyPath: property].map { .string($0) } }
        )
    }

    /// Returns a setting for a value that the file has as a string. `read` and `write` convert it.
    static func converted<Value>(
        _ key: String, _ property: any WritableKeyPath<Object, Value> & Sendable, pattern: String,
        expected: String, _ meaning: String, read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: [("type", .string("string")), ("pattern", .string(pattern))],
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

    /// Returns a setting for an address at which connections are accepted.
    static func address(
        _ key: String, _ property: any WritableKeyPath<Object, ListenAddress> & Sendable, _ meaning: String
    ) -> Setting {
        .converted(
            key,
            property,
            pattern: "^(unix:/.+|[0-9.]+:[0-9]+|\\[[0-9A-Fa-f:.]+\\]:[0-9]+|systemd)$",
            expected: "\"unix:/path\", \"address:port\" with a numeric address, or \"systemd\"",
            meaning,
            read: { ListenAddress($0) },
            write: { $0.description }
        )
    }

    /// Returns a setting for one of the words of `Choice`. `later` are words that a later version will support: they
    /// are refused as not supported yet.
    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Choice> & Sendable, later: [String] = [],
        _ meaning: String
    ) -> Setting {
        let words = Choice.allCases.map(\.rawValue)
        return Setting(
            key: key,
            meaning: meaning,
            schema: [("enum", .array(words.map { .string($0) }))],
            read: { value, object in
                guard let word = value.string else { return }
                if let choice = Choice(rawValue: word) {
                    object[keyPath: property] = choice
                } else if later.contains(word) {
                    value.report(.notSupported, "\"\(word)\" is not supported yet")
                } else {
                    let all = words.map { "\"\($0)\"" }.joined(separator: ", ")
                    value.report(.invalidValue, "must be one of \(all)")
                }
            },
            write: { object, _ in .string(object[keyPath: property].rawValue) }
        )
    }

    /// Returns a setting for a list of paths without duplicates.
    static func paths(
        _ key: String, _ property: any WritableKeyPath<Object, [String]> & Sendable, _ meaning: String
    ) -> Setting {
        texts(key, property, .absolutePath, meaning)
    }

    /// Returns a setting for a list of strings of a form without duplicates. An empty list is refused, because it could mean
    /// "none" or "the default".
    static func texts(
        _ key: String, _ property: any WritableKeyPath<Object, [String]> & Sendable,
        _ form: ConfigurationText, _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: [("type", .string("array")), ("items", .object(form.schema))]
                + listBounds(ConfigurationLimits.listCount, isUnique: true),
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

    /// Returns a setting for an object that has settings of its own.
    static func object<Inner>(
        _ key: String, _ property: any WritableKeyPath<Object, Inner> & Sendable,
        _ settings: [Setting<Inner>], standard: Inner, _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: SettingsSchema.object(settings, standard: standard, includesHangup: false),
            below: DescribedSetting.all(settings, below: "\(key).", standard: standard),
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
        _ settings: [Setting<Inner>], standard: Inner, _ meaning: String
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: SettingsSchema.object(settings, standard: standard, includesHangup: true),
            below: DescribedSetting.all(settings, below: "\(key).", standard: standard),
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
        _ meaning: String,
        check: @escaping @Sendable (SourceValue, Inner, _ before: [Inner]) -> Void = { _, _, _ in }
    ) -> Setting {
        Setting(
            key: key,
            meaning: meaning,
            schema: [("type", .string("array"))] + listBounds(limit, isUnique: false) + [
                ("items", .object(SettingsSchema.object(settings, standard: empty, includesHangup: false)))
            ],
            below: DescribedSetting.all(settings, below: "\(key)[].", standard: empty),
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

    static func listBounds(_ limit: Int, isUnique: Bool) -> [(String, JSONNode)] {
        [("minItems", .integer(1)), ("maxItems", .integer(Int64(limit)))]
            + (isUnique ? [("uniqueItems", .boolean(true))] : [])
    }
}

extension Array {
    /// Returns the members that `object` has as JSON.
    func members<Object>(of object: Object, hidingSecrets: Bool) -> [(String, JSONNode)]
    where Element == Setting<Object> {
        compactMap { setting in setting.write(object, hidingSecrets).map { (setting.key, $0) } }
    }
}
