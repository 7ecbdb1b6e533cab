package import Configuration
package import FastCGI
package import NotificationStore
package import Pool
package import SignedPayloads
package import System

package struct RecorderConfiguration: Sendable {
    package let trust: LoadedTrust
    /// The object `notifications`.
    package let settings: NotificationSettings
    let store: StoreAddress

    /// The keys outside `notifications` that the recorder uses and that only a restart of the recorder changes. A socket of
    /// systemd needs none of the keys of the socket.
    static let restartKeys = socketKeys + ["log.level", "log.format"]
    private static let socketKeys = ["listenMode", "listenGroup", "backlog"]

    /// Reads and checks the configuration at `path` and its anchors.
    package init(path: String) throws(RecorderError) {
        trust = try LoadError.mapped(to: RecorderError.load, try LoadedTrust(path: path))
        guard let settings = trust.configuration.notifications else { throw .notConfigured }
        self.settings = settings
        store = try NotificationStoreError.mapped(to: RecorderError.store, try StoreAddress(settings.store))
        // A policy that cannot be made is refused before anything changes.
        _ = try AnchorError.mapped(to: RecorderError.anchors, try trust.policy())
    }

    /// The configuration of the pool, with the recorder's socket, pid file and error log in place of the pool's.
    var asPool: Configuration {
        var configuration = trust.configuration
        configuration.listen = settings.listen
        configuration.pidFile = settings.pidFile
        configuration.errorLog = settings.errorLog
        return configuration
    }

    /// Opens the file of `errorLog`, or standard error.
    ///
    /// - Returns: the opened place; nil when `running` names the same one.
    func openLog(_ log: ErrorLog, after running: RecorderConfiguration) throws(RecorderError) -> ErrorLog
        .Target?
    {
        let path = settings.errorLog
        guard running.settings.errorLog != path else { return nil }
        return try SystemCallError.mapped(
            to: { RecorderError.load(.errorLogUnwritable(path: path ?? "", $0)) },
            try log.open(path)
        )
    }

    /// Checks that the file of `errorLog` can be opened now. Makes nothing.
    func checkLog() throws(RecorderError) {
        guard let path = settings.errorLog else { return }
        try SystemCallError.mapped(
            to: { RecorderError.load(.errorLogUnwritable(path: path, $0)) },
            try LineOutput.check(appendingTo: path)
        )
    }

    func restartKeys(changedFrom running: RecorderConfiguration) -> [String] {
        let outer = trust.configuration.keys(Self.restartKeys, changedFrom: running.trust.configuration)
            .filter { running.settings.listen != .systemd || !Self.socketKeys.contains($0) }
        return outer + settings.restartKeys(changedFrom: running.settings)
    }
}

/// The reason why the recorder does not start, or refuses a reload.
package enum RecorderError: CodedError, Hashable, CustomStringConvertible {
    /// The configuration has no object `notifications`.
    case notConfigured
    /// The configuration or an anchor is refused.
    case load(LoadError)
    /// An anchor cannot be used.
    case anchors(AnchorError)
    /// Root, the socket or the pid file are refused.
    case start(SupervisorError)
    /// The store is refused.
    case store(NotificationStoreError)
    /// libfcgi or a system call failed.
    case serving(FastCGIError)
    /// A system call failed.
    case system(SystemCallError)

    package var code: String {
        switch self {
        case .notConfigured: "recorder.not-configured"
        case .load(let error): error.code
        case .anchors(let error): error.code
        case .start(let error): error.code
        case .store(let error): error.code
        case .serving(let error): error.code
        case .system(let error): error.code
        }
    }

    package var description: String {
        switch self {
        case .notConfigured: "the configuration has no \"notifications\", so there is nothing to do"
        case .load(let error): error.description
        case .anchors(let error): "the anchors: \(error)"
        case .start(let error): error.description
        case .store(let error): "the store: \(error)"
        case .serving(let error): "\(error)"
        case .system(let error): error.description
        }
    }

    /// The exit status: 1 a refusal, 70 a fault of this program, 74 input or output, 77 permission, 78 configuration.
    package var exitStatus: Int32 {
        switch self {
        case .notConfigured, .load, .anchors: 78
        case .start(let error): error.exitStatus
        case .store: 1
        case .serving: 70
        case .system: 74
        }
    }
}
