internal import Authoring
internal import CommandLineTool
internal import System

/// Asks and changes hosts with the programs of this machine: a remote shell and rsync.
struct HostPrograms: HostAccess {
    let commands: HostCommands
    let timeoutSeconds: Int64

    /// The status with which ssh says that it reached nothing.
    private static let unreachableStatus: Int32 = 255
    /// The longest text of a program in a message.
    private static let detailCount = 500

    func served(_ host: PublishHost, withRules: Bool) throws(ToolError) -> ServedPool {
        let limit = withRules ? ServedPool.byteLimitWithRules : ServedPool.byteLimit
        let run = try run(commands.served(host, withRules: withRules), outputByteCount: limit)
        guard let exit = run.exit else { throw timedOut("retentiond --served") }
        guard exit.isSuccess else {
            throw failure("does not say what it serves", run, host)
        }
        guard !run.isTruncated else { throw .unreachable("says more than \(limit) bytes of what it serves") }
        return try ServedPool(reading: run.output)
    }

    func checkRsync() throws(ToolError) {
        let run = try run([commands.rsync, "--version"])
        guard run.exit != nil else { throw timedOut("rsync") }
        let output = String(decoding: run.output, as: UTF8.self)
        if let reason = HostCommands.unfitRsync(output) { throw Self.missing(reason) }
    }

    func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost)
        throws(ToolError)
    {
        let run = try run(commands.former(step, names, in: directory, on: host))
        guard let exit = run.exit else { throw timedOut("sh") }
        let words =
            step == .restore
            ? "the former files could not be put back" : "the present files could not be kept"
        guard exit.isSuccess else { throw failure(words, run, host) }
    }

    func copy(_ file: String, to path: String, on host: PublishHost) throws(ToolError) {
        let run = try run(commands.copy(file, to: path, on: host))
        guard let exit = run.exit else { throw timedOut("rsync") }
        guard exit.isSuccess else { throw .unreachable("the file could not be copied: \(Self.detail(run))") }
    }

    func reload(_ host: PublishHost) -> ReloadAnswer {
        do throws(ToolError) {
            let run = try run(commands.reload(host))
            guard let exit = run.exit else { return .timedOut(seconds: timeoutSeconds) }
            return exit.isSuccess ? .done : .failed(detail: Self.detail(run))
        } catch {
            return .failed(detail: error.description)
        }
    }

    private func timedOut(_ command: String) -> ToolError {
        .unreachable("\(command) took more than \(timeoutSeconds) s and was ended")
    }

    private func failure(_ words: String, _ run: Subprocess.Result, _ host: PublishHost) -> ToolError {
        let isUnreachable = run.exit == .exited(Self.unreachableStatus) && host != .local
        return .unreachable("\(isUnreachable ? "cannot be reached" : words): \(Self.detail(run))")
    }

    private static func missing(_ words: String) -> ToolError {
        ToolError(.ours, code: "publish.program-missing", words)
    }

    private func run(_ words: [String], outputByteCount: Int = 1 << 20) throws(ToolError)
        -> Subprocess.Result
    {
        let search = ProcessEnvironment.value(of: "PATH") ?? "/usr/bin:/bin"
        let name = words[0]
        guard let path = Subprocess.path(of: name, searchPath: search) else {
            throw Self.missing("this machine has no program \(name)")
        }
        // The programs need the user's agent, home and terminal, and nothing about Apple's key.
        var process = Subprocess(
            executable: path, arguments: words,
            environment: ProcessEnvironment.all(excludingPrefixes: ["RETENTIONCTL_"]))
        process.timeoutMilliseconds = timeoutSeconds * 1000
        process.outputByteCount = outputByteCount
        do throws(SystemCallError) {
            return try process.run()
        } catch {
            throw Self.missing("\(name) cannot be run: \(error)")
        }
    }

    /// Returns how a program ended, with the last lines that it wrote to standard error.
    private static func detail(_ run: Subprocess.Result) -> String {
        let lines = String(decoding: run.errors, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { line in line.contains { !$0.isWhitespace } }
        let text = lines.suffix(3).joined(separator: "; ")
        let exit = run.exit.map { "\($0)" } ?? "killed"
        return text.isEmpty ? exit : "\(text.suffix(detailCount)) (\(exit))"
    }
}
