internal import Configuration
internal import System

/// That one pool alone uses a `stateDirectory`: two would undo each other's last good generation and verdicts.
final class StateLock {
    /// The number to hand to the next binary, -1 for none.
    let descriptorNumber: Int32
    /// Why it could not be taken although nobody has it: a disk that is full or read-only, something else under the
    /// lock's name. The pool serves without.
    let problem: SystemCallError?
    private let lock: DescriptorList?

    /// The lock's file in `stateDirectory`.
    static func path(_ configuration: Configuration) -> String {
        "\(configuration.stateDirectory)/supervisor.lock"
    }

    /// Takes it, with the rights of the pool.
    ///
    /// - Throws: `supervisor.state-in-use` when another supervisor has it.
    init(_ configuration: Configuration) throws(SupervisorError) {
        do throws(SystemCallError) {
            descriptorNumber = try FileLock(path: Self.path(configuration)).releaseDescriptor()
            lock = DescriptorList(takingOwnership: [descriptorNumber])
            problem = nil
        } catch {
            if error.reason == .ebusy { throw .stateInUse(directory: configuration.stateDirectory) }
            descriptorNumber = -1
            lock = nil
            problem = error
        }
    }

    /// Takes over what the binary before handed over.
    init(
        adopting descriptor: consuming FileDescriptor,
        _ configuration: Configuration
    ) throws(SystemCallError) {
        problem = nil
        descriptorNumber = try FileLock(adopting: descriptor, path: Self.path(configuration))
            .releaseDescriptor()
        lock = DescriptorList(takingOwnership: [descriptorNumber])
    }

    /// The binary before had none, and has said so when it started.
    init() {
        problem = nil
        descriptorNumber = -1
        lock = nil
    }
}
