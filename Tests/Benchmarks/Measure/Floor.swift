internal import System

/// The small FastCGI program in C, running with two processes.
struct Floor {
    private let program: Program

    /// The unix socket on which the program listens.
    let socket: String

    /// Starts the program and waits until it listens.
    init(_ name: String, _ executable: String, leaf: String, threads: Int, in workspace: Workspace) throws {
        let socket = workspace.path(of: "\(name).sock")
        self.socket = socket
        program = try Program(name, executable, [socket, leaf, "2", String(threads)], in: workspace)
        try program.wait { (try? FileStatus(path: socket)) != nil }
    }

    /// The two processes.
    func workers() throws -> [Int32] { try ProcessTable.children(of: program.processID) }

    func stop() { program.stop(.kill) }
}
