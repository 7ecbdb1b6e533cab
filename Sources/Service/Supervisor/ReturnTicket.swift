internal import System

/// The way back to the binary that ran before, for a new one that cannot take over what it was handed. The new one
/// needs to understand the number of a descriptor and nothing else.
struct ReturnTicket: Sendable, Hashable {
    /// The environment variable that the old binary writes.
    static let variable = "RETENTIOND_RETURN"

    /// The open file of the old binary.
    let executable: Int32
    /// Where the next binary will be looked for.
    let path: String
    /// What the old binary handed over, word for word.
    let handOver: String

    init(executable: Int32, path: String, handOver: String) {
        self.executable = executable
        self.path = path
        self.handOver = handOver
    }

    /// The value of the variable: three lines.
    var text: String { "\(executable)\n\(path)\n\(handOver)" }

    /// Reads what ``text`` wrote; nil for anything else.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, let number = Int32(lines[0]), number > 2, lines[1].hasPrefix("/") else {
            return nil
        }
        executable = number
        path = String(lines[1])
        handOver = String(lines[2])
    }

    /// Becomes the old binary again, started with these arguments; it is told why.
    ///
    /// - Returns: only when even that failed.
    func use(_ words: [String], why error: SupervisorError) -> SystemCallError {
        // The kernel opens the file before it closes what is marked.
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

/// What a binary that could not take over says to the one it gives back to.
struct FailedUpgrade: Sendable, Hashable {
    /// The environment variable.
    static let variable = "RETENTIOND_RETURNED"

    /// Why, as the code of a ``SupervisorError``.
    let code: String
    /// Where the next binary will be looked for.
    let path: String

    init(code: String, path: String) {
        self.code = code
        self.path = path
    }

    /// The value of the variable: two lines.
    var text: String { "\(code)\n\(path)" }

    /// Reads what ``text`` wrote; nil for anything else.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2, !lines[0].isEmpty, lines[1].hasPrefix("/") else { return nil }
        code = String(lines[0])
        path = String(lines[1])
    }
}
