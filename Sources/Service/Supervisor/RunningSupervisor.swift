internal import Configuration
internal import System

/// The supervisor that a pid file names, when it is one.
enum RunningSupervisor {
    /// Finds it. A process is taken for the supervisor when it runs our program under the supervisor's name, as the user that
    /// the configuration names or as the one who wrote the pid file: whoever may write that file cannot have a signal sent to
    /// anybody else. Where it may be seen which files it has open (root, or whoever runs the pool), the lock beside the pid
    /// file is one of them: else it is another pool's.
    ///
    /// - Returns: nil when there is no pid file, or no process with its number.
    /// - Throws: `supervisor.pid-file-invalid`, `supervisor.pid-file-foreign`, `supervisor.unavailable`.
    static func find(_ configuration: Configuration) throws(SupervisorError) -> ProcessHandle? {
        let path = configuration.pidFile
        let contents: PidFile.Contents?
        do throws(SystemCallError) {
            contents = try PidFile.read(path: path)
        } catch {
            if error.reason == .einval { throw .pidFileInvalid(path: path) }
            throw .unavailable(what: path, error)
        }
        guard let contents, let found = ProcessHandle(contents.processID) else { return nil }
        let users = [contents.ownerID] + (configuration.user.flatMap(userID).map { [$0] } ?? [])
        guard let user = found.userID, users.contains(user), isOurs(found),
            found.hasOpen(path: PidFile.lockPath(of: path)) ?? true
        else {
            // It may have ended while it was looked at.
            guard found.isAlive else { return nil }
            throw .pidFileForeign(path: path, processID: found.processID)
        }
        return found
    }

    private static func userID(_ name: String) -> UInt32? {
        Accounts.user(named: name)?.userID ?? UInt32(name)
    }

    /// Whether it runs a program of our name, and is no worker or other child by the name that it gives itself. The kernel
    /// hides the program of who has changed its user from everybody but root; then its own name has to do.
    private static func isOurs(_ process: ProcessHandle) -> Bool {
        guard let name = process.name, !Supervisor.childNames.contains(name) else { return false }
        guard let path = process.executablePath else { return name == Supervisor.processName }
        let own = (try? Processes.executablePath()).map { AtomicFile.split($0).name }
        let program = AtomicFile.split(path).name
        return program == own || program == Supervisor.processName
    }
}
