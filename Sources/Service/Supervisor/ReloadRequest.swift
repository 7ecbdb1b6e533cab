internal import Configuration
internal import Loader
internal import System

/// `--reload`: asks the running supervisor to reload and waits for its verdict.
public struct ReloadRequest {
    /// How it ended.
    public enum Outcome: Sendable, Hashable {
        /// Every worker serves the new generation.
        case loaded(sequence: Int)
        /// The old generation goes on.
        case refused(sequence: Int, PoolRefusal)
        /// Nobody said anything.
        case noVerdict(String)
    }

    let configuration: Configuration
    let patienceMilliseconds: Int64

    /// Reads where the supervisor is.
    ///
    /// - Throws: the configuration's codes. A configuration that is refused here would be refused by the supervisor, too.
    public init(configurationPath: String, patienceMilliseconds: Int64 = 60_000) throws(SupervisorError) {
        do throws(LoadError) {
            configuration = try Loader.readConfiguration(path: configurationPath)
        } catch {
            throw .configuration(error)
        }
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Sends HUP and waits.
    public func send() throws(SupervisorError) -> Outcome {
        let verdictFile = VerdictFile(stateDirectory: configuration.stateDirectory)
        let before = verdictFile.read()?.sequence
        let asked = Self.now
        do throws(SystemCallError) {
            guard let supervisor = try PidFile.holder(path: configuration.pidFile) else {
                return .noVerdict("no supervisor holds \(configuration.pidFile)")
            }
            try Processes.send(.hangup, to: supervisor)
            while Self.now - asked < patienceMilliseconds {
                // Only a load that began after we asked has surely seen what was pushed before.
                if let verdict = verdictFile.read(), verdict.sequence != before,
                    verdict.startedMilliseconds >= asked
                {
                    guard let refusal = verdict.refusal else { return .loaded(sequence: verdict.sequence) }
                    return .refused(sequence: verdict.sequence, refusal)
                }
                guard Processes.exists(supervisor) else { return .noVerdict("the supervisor is gone") }
                _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
            }
            return .noVerdict("nothing in \(patienceMilliseconds / 1000) s")
        } catch {
            throw .unavailable(what: configuration.pidFile, error)
        }
    }

    private static var now: Int64 { Int64(Clock.monotonicNanoseconds() / 1_000_000) }
}
