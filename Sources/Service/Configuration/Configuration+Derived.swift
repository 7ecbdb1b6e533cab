internal import JSON

extension Configuration {
    /// Returns the configuration as JSON with every default written out. The text parses to an equal value, unless
    /// secrets are hidden.
    ///
    /// - Parameter hidingSecrets: true for output to people (`-T`): every issuer identifier becomes `hidden`. The file
    ///   holds no other secret, because it only names the files of keys. False for text that another process reads.
    /// - Returns: indented JSON with a line feed at the end.
    public func effectiveJSON(hidingSecrets: Bool) -> [UInt8] {
        let members = Self.settings.members(of: self, hidingSecrets: hidingSecrets)
        return JSONNode.object(members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Returns the JSON Schema of `retentiond.json`, as in `examples/retentiond.schema.json`. Its `x-on-hup` says what
    /// a HUP does with a change of the setting.
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
        let members = SettingsSchema.object(settings, standard: Configuration(apps: []), includesHangup: true)
        return JSONNode.object(head + members).serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// Returns every setting except `$schema`, in the order of the file, for the manual.
    package static func describedSettings() -> [DescribedSetting] {
        DescribedSetting.all(settings, standard: Configuration(apps: [])).filter { $0.path != "$schema" }
    }

    /// Returns the keys whose values differ from the running configuration and that only a restart applies, in the
    /// order of the file. A HUP is refused with `needs-restart` unless the list is empty.
    public func restartKeys(changedFrom running: Configuration) -> [String] {
        Self.settings.filter { setting in
            let values = [self, running].map { setting.write($0, false)?.serialized() }
            return setting.onHangup == .restart && values[0] != values[1]
        }
        .map(\.key)
    }
}
