package import System

package struct ProgramRun: Sendable {
    package let exit: ChildExit
    package let output: String
    package let errors: String

    package var status: Int32 {
        if case .exited(let status) = exit { return status }
        return -1
    }

    /// Runs a program and waits for its end. Its standard streams are files, so that the program and the test cannot
    /// block each other.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in the usual directories.
    ///   - arguments: the arguments without the program's name.
    ///   - input: the bytes that the program reads from standard input.
    ///   - environment: its whole environment, `NAME=value`.
    /// - Returns: how it ended and what it wrote.
    /// - Throws: the error that kept the program from starting.
    package static func run(
        _ executable: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String] = ["PATH=/usr/bin:/bin", "LANG=C"]
    ) throws -> ProgramRun {
        let folder = try TemporaryDirectory()
        try folder.write(input, to: "input")
        let standardInput = try FileDescriptor.openForReading(path: folder.path(of: "input"))
        let standardOutput = try FileDescriptor.create(path: folder.path(of: "output"), permissions: 0o600)
        let standardError = try FileDescriptor.create(path: folder.path(of: "errors"), permissions: 0o600)
        var child = ChildProcess(
            executable: try path(of: executable), arguments: [executable] + arguments,
            environment: environment)
        child.descriptors = [
            (standardInput.number, 0), (standardOutput.number, 1), (standardError.number, 2),
        ]
        let number = try child.start()
        guard let exit = Processes.wait(for: number) else {
            throw SystemCallError(call: "waitpid", .einval)
        }
        return ProgramRun(
            exit: exit, output: String(decoding: try folder.read("output"), as: UTF8.self),
            errors: String(decoding: try folder.read("errors"), as: UTF8.self))
    }

    /// Returns the path of an executable of this package: the value of the environment variable with its name in
    /// capitals (`RETENTIONCTL`), or else the path beside the test program.
    package static func product(_ name: String) throws -> String {
        if let path = ProcessEnvironment.value(of: name.uppercased().replacing("-", with: "_")) {
            return path
        }
        return SourceFile.folder(of: Directory.linkTarget(path: ChildProcess.ownExecutable) ?? "") + "/"
            + name
    }

    static func path(of executable: String) throws -> String {
        guard !executable.contains("/") else { return executable }
        let places = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        for place in places where (try? FileStatus(path: "\(place)/\(executable)")) != nil {
            return "\(place)/\(executable)"
        }
        // A test that needs a program fails where the program is missing; it is never skipped.
        throw SystemCallError(call: "\(executable): open", .enoent)
    }
}
