internal import ArgumentParser
internal import CommandLineTool
internal import System

/// A remote name becomes an argument of the remote shell and of rsync. So it has only characters that neither they nor a shell gives
/// a meaning, and does not begin like an option.
struct PublishHost: Hashable, CustomStringConvertible {
    let user: String?
    let name: String

    /// This machine: commands run without a remote shell.
    static let local = PublishHost(user: nil, name: "local")

    var description: String { prefix + name }
    private var prefix: String { user.map { "\($0)@" } ?? "" }

    /// A path on the host, as rsync takes it: a colon ends the host, so an address of IPv6 has brackets.
    fileprivate func destination(_ path: String) -> String {
        guard self != .local else { return path }
        return prefix + (name.contains(":") ? "[\(name)]" : name) + ":" + path
    }
}

extension PublishHost: ExpressibleByArgument {
    /// Reads `local`, `HOST` or `USER@HOST`. HOST may be an address, also one of IPv6 without brackets.
    init?(argument text: String) {
        let form = /(?:([A-Za-z0-9_.][A-Za-z0-9_.\-]*)@)?((?:[A-Za-z0-9_.]|::)[A-Za-z0-9_.:\-]*)/
        guard text.utf8.count <= 255, let found = text.wholeMatch(of: form) else { return nil }
        self.init(user: found.1.map(String.init), name: String(found.2))
    }
}

/// The words of a command in one text, as rsync reads its remote shell: spaces separate words, quotes keep spaces, and nothing else
/// has a meaning.
struct CommandWords: ExpressibleByArgument {
    let words: [String]
    let defaultValueDescription: String

    init(_ text: String) {
        words = text.split(separator: " ").map(String.init)
        defaultValueDescription = text
    }

    /// Returns nil for no word, an open quote, a control character, and a program that looks like an option.
    init?(argument text: String) {
        guard text.utf8.count <= 4096, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        let word = /(?:[^ '"]|'[^']*'|"[^"]*")+/
        let words = text.matches(of: word).map {
            $0.output.replacing(/'([^']*)'|"([^"]*)"/) { quoted in quoted.output.1 ?? quoted.output.2 ?? "" }
        }
        // An open quote is left between the words.
        let isWhole = text.replacing(word, with: "").allSatisfy { $0 == " " }
        guard isWhole, let program = words.first, !program.isEmpty, !program.hasPrefix("-") else {
            return nil
        }
        self.words = words.map(String.init)
        defaultValueDescription = text
    }
}

/// Asks and changes hosts with the programs of this machine: a remote shell and rsync. No shell of this machine reads a command.
struct HostOptions: ParsableArguments {
    @Option(
        help: """
            A host that runs the pool, as ssh knows it; local is this machine. May be repeated: hosts are done in this \
            order, so the first one is the canary.
            """)
    var host: [PublishHost]

    @Option(help: "Runs a command on a host; called as ssh is: [-l user] host command.")
    var remoteShell = CommandWords("ssh")

    @Option(
        help: """
            How retentiond is run on a host, with the options that it needs there; without it, \
            "sudo -n -u retentiond retentiond", and "retentiond" for root on this machine.
            """)
    var retentiond: CommandWords?

    @Option(
        help: """
            Has the pool on a host load its files, and ends with 0 when it has; without it, \
            "sudo -n systemctl reload retentiond", for root on this machine without sudo.
            """)
    var reload: CommandWords?

    @Option(help: "How long each command on a host may take, 1 to 86400 seconds.")
    var timeout: Int64 = 120

    /// The options for one host, with the usual commands.
    static func asking(_ host: PublishHost) throws -> HostOptions {
        try HostOptions.parse(["--host", "\(host)"])
    }

    func validate() throws {
        guard Set(host).count == host.count else { throw ValidationError("A --host is given twice.") }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout must be 1 to 86400.") }
    }

    /// The words of an option, or the usual ones, with sudo where that is needed.
    private func asUser(
        _ option: CommandWords?, _ user: [String], _ words: [String], _ host: PublishHost
    ) -> [String] {
        if let option { return option.words }
        return host == .local && Credentials.isPrivileged ? words : ["sudo", "-n"] + user + words
    }

    func served(_ host: PublishHost, withRules: Bool) throws -> ServedPool {
        let words =
            asUser(retentiond, ["-u", "retentiond"], ["retentiond"], host) + [
                withRules ? "--served-rules" : "--served"
            ]
        let limit = withRules ? ServedPool.byteLimit : 1 << 20
        let run = try run(words, on: host, outputByteCount: limit)
        try check(run, "does not say what it serves", "retentiond --served", host)
        guard !run.isTruncated else {
            throw Self.unreachable("says more than \(limit) bytes of what it serves")
        }
        return try ServedPool(reading: run.output)
    }

    /// The oldest rsync that has all flags is 3.2.4; macOS has openrsync, which is not rsync, in its place.
    func checkRsync() throws {
        let run = try run(["rsync", "--version"], on: .local)
        let line = String(decoding: run.output, as: UTF8.self).prefix { $0 != "\n" }
        if let found = line.firstMatch(of: #/^rsync +version v?(\d+)\.(\d+)\.(\d+)/#),
            let major = Int(found.1), let minor = Int(found.2), let patch = Int(found.3),
            (major, minor, patch) >= (3, 2, 4)
        {
            return
        }
        throw Self.missing(
            "publishing needs rsync 3.2.4 or newer, on this machine and on every host; this one says \"\(line)\""
        )
    }

    /// rsync writes a hidden file in the same directory and renames it, which is safe while a process reads the old one. `--checksum`
    /// compares contents, since different files can have the same size and time. The file gets the group of the directory, the pool's.
    /// `--protect-args` keeps the shell of the host from reading the path.
    func copy(_ file: String, to path: String, on host: PublishHost) throws {
        let flags = [
            "--copy-links", "--times", "--checksum", "--fsync", "--perms", "--chmod=F640", "--protect-args",
        ]
        let shell = remoteShell.words.map { "'" + $0.replacing("'", with: "''") + "'" }
        // With a slash before any colon, rsync takes a name for a file on this machine, and never for an option.
        let source = file.hasPrefix("/") ? file : "./\(file)"
        let run = try run(
            ["rsync"] + flags + (host == .local ? [] : ["-e", shell.joined(separator: " ")])
                + ["--", source, host.destination(path)], on: .local)
        try check(run, "the file could not be copied", "rsync", .local)
    }

    enum FormerFiles: String {
        /// They are kept under hidden names, which the host ignores.
        case keep
        /// They are put back. A name that had no file has none again.
        case restore
        case drop
    }

    /// A copy does where a hard link is not allowed. What is the same already, rsync leaves: then nothing is put back.
    private static let formerFiles = """
        set -e
        step=$1 push=$3
        cd "$2"
        shift 3
        for name; do
            old=./.former-$push-$name
            case $step in
                keep)
                    [ ! -e "./$name" ] || ln "./$name" "$old" 2>/dev/null || cp -p "./$name" "$old"
                    ;;
                restore)
                    if [ "$old" -ef "./$name" ]; then rm -f "$old"
                    elif [ -e "$old" ]; then mv -f "$old" "./$name"
                    else rm -f "./$name"
                    fi
                    ;;
                drop) rm -f "$old" ;;
            esac
        done
        """

    func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost) throws {
        // Another process has another number, and keeps others.
        let words = ["sh", "-c", Self.formerFiles, "sh", step.rawValue, directory, "\(Processes.current)"]
        let failure =
            step == .restore
            ? "the former files could not be put back" : "the present files could not be kept"
        try check(try run(words + names, on: host), failure, "sh", host)
    }

    /// Returns why a load failed; nil when it ended well. What the host serves now, only the host says.
    func reload(_ host: PublishHost) -> String? {
        do {
            let run = try run(asUser(reload, [], ["systemctl", "reload", "retentiond"], host), on: host)
            guard let exit = run.exit else {
                return "the host gave no verdict within \(timeout) s; it may still load the file"
            }
            return exit.isSuccess ? nil : Self.detail(run)
        } catch { return ToolError(error).description }
    }

    private func check(
        _ run: Subprocess.Result, _ words: String, _ command: String, _ host: PublishHost
    ) throws {
        guard let exit = run.exit else {
            throw Self.unreachable("\(command) took more than \(timeout) s and was ended")
        }
        guard !exit.isSuccess else { return }
        // With 255, ssh says that it reached nothing.
        let isUnreachable = exit == .exited(255) && host != .local
        throw Self.unreachable("\(isUnreachable ? "cannot be reached" : words): \(Self.detail(run))")
    }

    private func run(_ words: [String], on host: PublishHost, outputByteCount: Int = 1 << 20) throws
        -> Subprocess.Result
    {
        var words = words
        if host != .local {
            // Each word is quoted, so nothing in it has a meaning for the shell there, whichever shell that is.
            let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
            words = remoteShell.words + (host.user.map { ["-l", $0] } ?? []) + [host.name, command]
        }
        let search = ProcessEnvironment.value(of: "PATH") ?? "/usr/bin:/bin"
        guard let path = Subprocess.path(of: words[0], searchPath: search) else {
            throw Self.missing("this machine has no program \(words[0])")
        }
        // The programs need the user's agent, home and terminal, and nothing about Apple's key.
        var process = Subprocess(
            executable: path, arguments: words,
            environment: ProcessEnvironment.all(excludingPrefixes: ["RETENTIONCTL_"]))
        process.timeoutMilliseconds = timeout * 1000
        process.outputByteCount = outputByteCount
        do { return try process.run() } catch { throw Self.missing("\(words[0]) cannot be run: \(error)") }
    }

    private static func detail(_ run: Subprocess.Result) -> String {
        let lines = String(decoding: run.errors, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { line in line.contains { !$0.isWhitespace } }
        let text = lines.suffix(3).joined(separator: "; ")
        let exit = run.exit.map { "\($0)" } ?? "killed"
        return text.isEmpty ? exit : "\(text.suffix(500)) (\(exit))"
    }

    private static func missing(_ words: String) -> ToolError {
        ToolError(.ours, code: "publish.program-missing", words)
    }

    /// The text comes from programs here and on the host; whoever shows it escapes it.
    static func unreachable(_ words: String) -> ToolError {
        ToolError(.unreachable, code: "publish.unreachable", words)
    }
}
