internal import JSON

extension Configuration {
    /// The keys that differ from the running configuration and only take effect after a restart, in the order of the
    /// file; a HUP is refused with `needs-restart` unless this is empty.
    public func restartKeys(changedFrom running: Configuration) -> [String] {
        Self.settings.filter { setting in
            let values = [self, running].map { setting.write($0, false)?.serialized() }
            return setting.onHangup == .restart && values[0] != values[1]
        }
        .map(\.key)
    }
}
