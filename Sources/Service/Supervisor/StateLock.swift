internal import Configuration
internal import System

/// The lock that lets only one pool use a `stateDirectory`: two pools would overwrite each other's last good generation
/// and verdicts.
final class StateLock {
    /// The descriptor number of the lock, for the next binary; -1 when the lock was not taken.
    let descriptorNumber: Int32
    /// Why the lock could not be taken although no other supervisor holds it: a full or read-only disk, or something
    /// else under the lock's name. The pool then serves without the lock.
    let problem: SystemCallError?
    private let lock: DescriptorList?

    /// Returns the path of the lock file in `stateDirectory`.
    static func path(_ configuration: Configuration) -> String {
        "\(configuration.stateDirectory)/supervisor.lock"
    }

    /// Takes the lock. The caller has the rights of the pool.
    ///
    /// - Throws: `supervisor.state-in-use` when another supervisor holds the lock.
    init(_ configuration: Configuration) throws(SupervisorError) {
        do throws(SystemCallError) {
            descriptorNumber = try FileLock(path: Self.path(configuration)).releaseDescriptor()
            lock = DescriptorList(takingOwnership: [descriptorNumber])
            problem = nil
        } catch {
            if error.fault == .lockHeld { throw .stateInUse(directory: configuration.stateDirectory) }
            descriptorNumber = -1
            lock = nil
            problem = error
        }
    }

    /// Takes over the lock that the binary before handed over.
    init(
        adopting descriptor: consuming FileDescriptor,
        _ configuration: Configuration
    ) throws(SystemCallError) {
        problem = nil
        descriptorNumber = try FileLock(adopting: descriptor, path: Self.path(configuration))
            .releaseDescriptor()
        lock = DescriptorList(takingOwnership: [descriptorNumber])
    }

    /// Makes a value without a lock: the binary before had none, and logged that when it started.
    init() {
        problem = nil
        descriptorNumber = -1
        lock = nil
    }
}
