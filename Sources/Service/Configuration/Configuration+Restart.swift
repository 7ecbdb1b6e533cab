internal import JSON

extension Configuration {
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
