internal import Configuration
internal import System

/// The lock that lets only one pool use a `stateDirectory`: two pools would overwrite each other's generations and
/// verdicts.
final class StateLock {
    /// Why the lock could not be taken although no other supervisor holds it: a full or read-only disk, or something
    /// else under the lock's name. The pool then serves without the lock.
    let problem: SystemCallError?
    private let lock: FileLock?

    /// Returns the path of the lock file in `stateDirectory`.
    static func path(_ configuration: Configuration) -> String {
        "\(configuration.stateDirectory)/supervisor.lock"
    }

    /// Takes the lock. The caller has the rights of the pool.
    ///
    /// - Throws: `supervisor.state-in-use` when another supervisor holds the lock.
    init(_ configuration: Configuration) throws(SupervisorError) {
        do throws(SystemCallError) {
            lock = try FileLock(path: Self.path(configuration))
            problem = nil
        } catch {
            if error.fault == .lockHeld { throw .stateInUse(directory: configuration.stateDirectory) }
            lock = nil
            problem = error
        }
    }
}
