package import Configuration
internal import Loader
internal import System
internal import Vocabulary

/// The request of `--reload`: asks the running supervisor to reload and waits for its verdict.
///
///     let request = try ReloadRequest(configurationPath: "/etc/retentiond/retentiond.json")
///     let outcome = try request.send()
public struct ReloadRequest {
    /// The answer to a request.
    public enum Outcome: Sendable, Hashable {
        /// Every worker serves the new generation. `unwritten` is the reason why the verdict is not in
        /// `stateDirectory`; nil when it is there.
        case loaded(sequence: Int, unwritten: String?)
        /// The reload was refused, and the old generation serves on.
        case refused(sequence: Int, PoolRefusal, unwritten: String?)
        /// No verdict came. The text says why.
        case noVerdict(String)
    }

    let configuration: Configuration
    let patienceMilliseconds: Int64
    private let places: [VerdictFile]
    private let processName: String
    /// What messages call the process.
    private let role: String

    /// Reads the configuration to learn where the pid file and the verdict are.
    ///
    /// - Throws: the codes of the configuration. The supervisor would refuse the same configuration with the same code.
    public init(configurationPath: String, patienceMilliseconds: Int64 = 60_000) throws(SupervisorError) {
        configuration = try LoadError.mapped(
            to: SupervisorError.configuration, try Loader.readConfiguration(path: configurationPath))
        self.patienceMilliseconds = patienceMilliseconds
        places = [VerdictFile(configuration), VerdictFile(spareOf: configuration)]
        processName = Supervisor.processName
        role = "supervisor"
    }

    /// Asks another program that writes its verdicts beside its pid file.
    ///
    /// - Parameters:
    ///   - configuration: its configuration, with its pid file.
    ///   - processName: its name.
    ///   - patienceMilliseconds: how long to wait for the verdict.
    package init(_ configuration: Configuration, processName: String, patienceMilliseconds: Int64 = 60_000) {
        self.configuration = configuration
        self.patienceMilliseconds = patienceMilliseconds
        places = [VerdictFile(spareOf: configuration)]
        self.processName = processName
        role = processName
    }

    /// Sends HUP to the supervisor and waits for the verdict.
    ///
    /// - Throws: `supervisor.pid-file-invalid`, `supervisor.pid-file-foreign` when the pid file does not name the
    ///   pool's supervisor; `supervisor.unavailable` when the pid file cannot be read or the signal is not allowed.
    public func send() throws(SupervisorError) -> Outcome {
        let before = places.map { $0.read()?.sequence }
        let asked = Self.now
        guard let supervisor = try RunningSupervisor.find(configuration, processName: processName) else {
            return .noVerdict("no \(role) runs, see \(configuration.pidFile)")
        }
        let pidFile = configuration.pidFile
        let failure = { (error: SystemCallError) in SupervisorError.unavailable(what: pidFile, error) }
        try SystemCallError.mapped(to: failure, try supervisor.send(.hangup))
        while Self.now - asked < patienceMilliseconds {
            for (place, known) in zip(places, before) {
                // Only a load that began after the signal has certainly seen the files that were pushed before.
                guard let verdict = place.read(), verdict.sequence != known,
                    verdict.startedMilliseconds >= asked
                else { continue }
                return Self.outcome(verdict)
            }
            guard supervisor.isAlive else { return .noVerdict("the \(role) is gone") }
            _ = try SystemCallError.mapped(to: failure, try Readiness.wait(for: [], timeoutMilliseconds: 5))
        }
        return .noVerdict("nothing in \(patienceMilliseconds / 1000) s; the log says more")
    }

    private static func outcome(_ verdict: VerdictFile.Content) -> Outcome {
        guard let refusal = verdict.refusal else {
            return .loaded(sequence: verdict.sequence, unwritten: verdict.unwritten)
        }
        return .refused(sequence: verdict.sequence, refusal, unwritten: verdict.unwritten)
    }

    private static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }
}
