internal import Configuration
internal import System
internal import Vocabulary

/// Finds the running supervisor that a pid file names.
enum RunningSupervisor {
    /// Finds the process of the supervisor. A process counts as the supervisor when all of this holds:
    /// - It runs our program, and its process name is not that of a worker or a loader.
    /// - Its user is the owner of the pid file. So whoever can write the pid file cannot have a signal sent to a process of
    ///   another user.
    /// - It has the lock beside the pid file open, where this process may read which files it has open (as root, or as
    ///   the pool's user). Otherwise it is the supervisor of another pool.
    ///
    /// - Returns: nil when there is no pid file, or no process with its number.
    /// - Throws: `supervisor.pid-file-invalid`, `supervisor.pid-file-foreign`, `supervisor.unavailable`.
    static func find(_ configuration: Configuration, processName: String = Supervisor.processName)
        throws(SupervisorError) -> ProcessHandle?
    {
        let path = configuration.pidFile
        let contents = try SystemCallError.mapped(
            to: { error in
                error.fault == .notProcessNumber
                    ? SupervisorError.pidFileInvalid(path: path) : .unavailable(what: path, error)
            },
            try PidFile.read(path: path)
        )
        guard let contents, let found = ProcessHandle(contents.processID) else { return nil }
        guard found.userID == contents.ownerID, isOurs(found, processName),
            found.hasOpen(path: PidFile.lockPath(of: path)) ?? true
        else {
            // The process may have ended during these checks.
            guard found.isAlive else { return nil }
            throw .pidFileForeign(path: path, processID: found.processID)
        }
        return found
    }

    /// Returns true when the process runs a program of our name and its own process name is not that of a worker or a
    /// loader. The kernel hides the executable of a process that has changed its user from everybody but root; in that
    /// case the process name alone decides.
    private static func isOurs(_ process: ProcessHandle, _ processName: String) -> Bool {
        guard let name = process.name, !Supervisor.childNames.contains(name) else { return false }
        guard let path = process.executablePath else { return name == processName }
        let own = (try? Processes.executablePath()).map { AtomicFile.split($0).name }
        let program = AtomicFile.split(path).name
        return program == own || program == processName
    }
}
