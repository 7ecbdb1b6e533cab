internal import JSON

extension Configuration {
    /// The configuration with every default written out, as a text that reads back to an equal value.
    ///
    /// - Parameter hidingSecrets: for people (`-T`): issuer identifiers become `hidden`; the file holds no other secret,
    ///   keys are only pointed at. Without it the text is for processes.
    /// - Returns: indented JSON with a line feed at the end.
    public func effectiveJSON(hidingSecrets: Bool) -> [UInt8] {
        let members = Self.settings.members(of: self, hidingSecrets: hidingSecrets)
        return JSONNode.object(members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// The JSON Schema of the file, which is `examples/retentiond.schema.json`; `x-on-hup` says what a HUP does.
    package static func schemaJSON() -> [UInt8] {
        let head: [(String, JSONNode)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("retentiond.json")),
            (
                "description",
                .string(
                    "Configuration of retentiond. `x-on-hup` says whether a change is applied by a reload or needs a restart."
                )
            ),
        ]
        let members = SettingsSchema.object(settings, standard: Configuration(apps: []), tellsHangup: true)
        return JSONNode.object(head + members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Every setting in the order of the file, for the manual.
    package static func describedSettings() -> [DescribedSetting] {
        DescribedSetting.all(settings, standard: Configuration(apps: [])).filter { $0.path != "$schema" }
    }
}
