internal import JSON

/// Makes the JSON Schema of objects that have settings.
enum SettingsSchema {
    /// Returns the schema of one object. Its defaults are the values of `standard`; `includesHangup` adds `x-on-hup`.
    static func object<Object>(_ settings: [Setting<Object>], standard: Object, includesHangup: Bool) -> [(
        String, JSONNode
    )] {
        let required = settings.filter(\.isRequired).map { JSONNode.string($0.key) }
        let properties = settings.map { setting in
            (setting.key, JSONNode.object(members(of: setting, standard, includesHangup)))
        }
        return [("type", .string("object")), ("additionalProperties", .boolean(false))]
            + (required.isEmpty ? [] : [("required", .array(required))])
            + [("properties", .object(properties))]
    }

    private static func members<Object>(
        of setting: Setting<Object>, _ standard: Object, _ includesHangup: Bool
    ) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("description", .string(setting.meaning))]
        members += setting.schema
        if let value = setting.standard(in: standard) { members.append(("default", value)) }
        if includesHangup, let onHangup = setting.onHangup {
            members.append(("x-on-hup", .string(onHangup.rawValue)))
        }
        return members
    }
}

extension Setting {
    /// Returns the default of a simple value. Nil for an object or a list, for a required setting, and for a setting
    /// that is absent by default.
    func standard(in object: Object) -> JSONNode? {
        guard !isRequired, let value = write(object, false) else { return nil }
        switch value {
        case .object, .array: return nil
        default: return value
        }
    }
}

/// The description of one setting in the manual.
package struct DescribedSetting: Sendable, Hashable {
    /// The path of the setting, such as `apps[].bundleId`.
    package let path: String
    /// The default as the file would have it, without quotes; empty when the setting has no default.
    package let standard: String
    /// What values the setting takes, in a few words: `1 to 65535`, `off or on`, `a text`.
    package let values: String
    /// What a HUP does with a change: `applied` or `restart`; empty for a key that is not read.
    package let onHangup: String
    /// What the setting means, in one or two sentences.
    package let meaning: String

    static func all<Object>(_ settings: [Setting<Object>], below prefix: String = "", standard: Object)
        -> [DescribedSetting]
    {
        settings.flatMap { setting in
            let value = setting.standard(in: standard)
            let described = DescribedSetting(
                path: prefix + setting.key, standard: value.map(Self.text) ?? "",
                values: Self.values(setting.schema), onHangup: setting.onHangup?.rawValue ?? "",
                meaning: setting.meaning)
            // A change inside an object or a list is a change of the outer setting.
            let restart = OnHangup.restart.rawValue
            let below = setting.below.map { inner in
                DescribedSetting(
                    path: prefix + inner.path, standard: inner.standard, values: inner.values,
                    onHangup: inner.onHangup == restart ? restart : described.onHangup, meaning: inner.meaning
                )
            }
            return [described] + below
        }
    }

    /// Puts the form of a value, which the schema says, into a few words.
    private static func values(_ schema: [(String, JSONNode)]) -> String {
        func member(_ name: String) -> JSONNode? { schema.first { $0.0 == name }?.1 }
        if case .array(let words)? = member("enum") { return words.map(text).joined(separator: " or ") }
        if case .integer(let low)? = member("minimum"), case .integer(let high)? = member("maximum") {
            if case .object(let gap)? = member("not"), case .integer(let last)? = gap.last?.1 {
                return "\(low), or \(last + 1) to \(high)"
            }
            return high == .max ? "\(low) or more" : "\(low) to \(high)"
        }
        guard case .string(let type)? = member("type") else { return "" }
        return switch type {
        case "boolean": "true or false"
        case "array": "a list"
        case "object": "an object"
        default: "a text"
        }
    }

    private static func text(_ value: JSONNode) -> String {
        if case .string(let text) = value {
            text
        } else {
            String(decoding: value.serialized(), as: UTF8.self)
        }
    }
}
