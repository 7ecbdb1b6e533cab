extension Configuration {
    /// The keys that differ from the running configuration and only take effect after a restart, in the order of the
    /// table; a HUP is refused with `needs-restart` unless this is empty.
    public func restartKeys(changedFrom running: Configuration) -> [String] {
        var keys: [String] = []
        func compare<Value: Equatable>(_ key: String, _ value: (Configuration) -> Value) {
            if value(self) != value(running) { keys.append(key) }
        }
        compare("listen") { $0.listen }
        compare("listenMode") { $0.listenMode }
        compare("listenOwner") { $0.listenOwner }
        compare("listenGroup") { $0.listenGroup }
        compare("backlog") { $0.backlog }
        compare("user") { $0.user }
        compare("group") { $0.group }
        compare("reloadIntervalMilliseconds") { $0.reloadIntervalMilliseconds }
        compare("dataDirectory") { $0.dataDirectory }
        compare("stateDirectory") { $0.stateDirectory }
        compare("pidFile") { $0.pidFile }
        compare("allowRemoteFastCGI") { $0.allowRemoteFastCGI }
        compare("coreLimit") { $0.coreLimit }
        return keys
    }
}
