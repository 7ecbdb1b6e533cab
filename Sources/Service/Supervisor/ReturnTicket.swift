internal import System

/// The way back to the old binary, for a new binary that cannot take over the pool. The new binary only needs to read
/// the number of one descriptor; it passes the rest on unread.
struct ReturnTicket: Sendable, Hashable {
    /// The environment variable that the old binary writes.
    static let variable = "RETENTIOND_RETURN"

    /// The open file of the old binary.
    let executable: Int32
    /// The path at which the supervisor looks for the next binary.
    let path: String
    /// The text that the old binary handed over, word for word.
    let handOver: String

    init(executable: Int32, path: String, handOver: String) {
        self.executable = executable
        self.path = path
        self.handOver = handOver
    }

    /// The value of the variable, as three lines.
    var text: String { "\(executable)\n\(path)\n\(handOver)" }

    /// Reads a text that ``text`` made. Returns nil for any other text.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, let number = Int32(lines[0]), number > 2, lines[1].hasPrefix("/") else {
            return nil
        }
        executable = number
        path = String(lines[1])
        handOver = String(lines[2])
    }

    /// Replaces this process with the old binary, started with these arguments, and tells it why.
    ///
    /// - Returns: the error, only when that failed too.
    func use(_ words: [String], why error: SupervisorError) -> SystemCallError {
        // The kernel opens the executable before it closes the descriptors that are close-on-exec.
        try? FileDescriptor.setCloseOnExec(of: executable, true)
        return Processes.replace(
            executable: "/proc/self/fd/\(executable)",
            arguments: ["retentiond"] + words,
            environment: Supervisor.inheritedEnvironment + [
                "\(HandOver.variable)=\(handOver)",
                "\(FailedUpgrade.variable)=\(FailedUpgrade(code: error.code, path: path).text)",
            ]
        )
    }
}

/// The message of a binary that could not take over to the binary that gets the pool back.
struct FailedUpgrade: Sendable, Hashable {
    /// The environment variable that holds the message.
    static let variable = "RETENTIOND_RETURNED"

    /// The reason, as the code of a ``SupervisorError``.
    let code: String
    /// The path at which the supervisor looks for the next binary.
    let path: String

    init(code: String, path: String) {
        self.code = code
        self.path = path
    }

    /// The value of the variable, as two lines.
    var text: String { "\(code)\n\(path)" }

    /// Reads a text that ``text`` made. Returns nil for any other text.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2, !lines[0].isEmpty, lines[1].hasPrefix("/") else { return nil }
        code = String(lines[0])
        path = String(lines[1])
    }
}
