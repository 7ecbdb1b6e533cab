internal import JSON

/// The JSON Schema of objects with settings.
enum SettingsSchema {
    /// The schema of one object, whose defaults are those of `standard`.
    static func object<Object>(
        _ settings: [Setting<Object>],
        standard: Object,
        tellsHangup: Bool
    ) -> [(String, JSONNode)] {
        let required = settings.filter(\.isRequired).map { JSONNode.string($0.key) }
        let properties = settings.map { setting in
            (setting.key, JSONNode.object(members(of: setting, standard, tellsHangup)))
        }
        return [("type", .string("object")), ("additionalProperties", .boolean(false))]
            + (required.isEmpty ? [] : [("required", .array(required))])
            + [("properties", .object(properties))]
    }

    private static func members<Object>(
        of setting: Setting<Object>,
        _ standard: Object,
        _ tellsHangup: Bool
    ) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("description", .string(setting.meaning))]
        members += setting.schema
        if let value = setting.standard(in: standard) { members.append(("default", value)) }
        if tellsHangup, let onHangup = setting.onHangup {
            members.append(("x-on-hup", .string(onHangup.rawValue)))
        }
        return members
    }
}

extension Setting {
    /// The default, of simple values alone; nil for what must be there, and for what is absent.
    func standard(in object: Object) -> JSONNode? {
        guard !isRequired, let value = write(object, false) else { return nil }
        switch value {
        case .object, .array: return nil
        default: return value
        }
    }
}

/// A setting as people are told of it, in the order of the file.
package struct DescribedSetting: Sendable, Hashable {
    /// The way to it: `apps[].bundleId`.
    package let path: String
    /// The default as a text has it, without quotes; empty when there is none.
    package let standard: String
    /// `applied` or `restart`.
    package let onHangup: String
    /// What it means.
    package let meaning: String

    static func all<Object>(
        _ settings: [Setting<Object>],
        below prefix: String = "",
        standard: Object
    ) -> [DescribedSetting] {
        settings.flatMap { setting in
            let value = setting.standard(in: standard)
            let described = DescribedSetting(
                path: prefix + setting.key,
                standard: value.map(Self.text) ?? "",
                onHangup: setting.onHangup?.rawValue ?? "",
                meaning: setting.meaning
            )
            // What is below an object or a list is changed with it.
            let below = setting.below.map { inner in
                DescribedSetting(
                    path: prefix + inner.path,
                    standard: inner.standard,
                    onHangup: described.onHangup,
                    meaning: inner.meaning
                )
            }
            return [described] + below
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
