import DataFileWriting
import DataFiles
import Support
import System

/// The machine that runs `examples/push`: a folder of files to push, and a PATH with only the programs that the script
/// needs, so that the tests do not depend on other installed programs.
struct PushDesk {
    let folder: TemporaryDirectory

    /// How the server's systemd behaves.
    enum Systemd: Sendable, Equatable {
        /// systemd runs ExecReload=, and its process ends with this verdict.
        case reloads(verdict: String)
        /// The unit does not run.
        case isInactive
        /// sudo does not allow the user to run systemctl.
        case refusesUser
        /// The server has neither systemctl nor sudo.
        case isMissing
    }

    init(_ folder: TemporaryDirectory) throws {
        self.folder = folder
        try folder.makeDirectory("bin")
        try folder.makeDirectory("pushed")
        for name in ["bash", "sh", "cat", "head", "jq", "od", "tr", "env", "cp", "ln", "mv", "rm"] {
            try link(name, to: "/usr/bin/\(name)")
        }
        // The scripts for rsync and ssh stay on this machine, whatever host a test names.
        try link("rsync-here", to: "/usr/bin/rsync")
        let words = #"for word; do set -- "$@" "${word#elsewhere:}"; shift; done"#
        try script("rsync", words + #"; exec rsync-here "$@""#)
        try script("ssh", #"[ "$#" -eq 3 ] && eval "$3""#)
        try script("id", "echo 1000")
    }

    /// The path of a file that can be pushed.
    func path(_ name: String) -> String { folder.path(of: "pushed/\(name)") }

    /// Writes a file that can be pushed.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try folder.write(bytes, to: "pushed/\(name)")
        return path(name)
    }

    /// Puts a script into the PATH.
    func script(_ name: String, _ lines: String) throws {
        try folder.write("#!/bin/sh\n\(lines)\n", to: "bin/\(name)", permissions: 0o755)
    }

    private func link(_ name: String, to path: String) throws {
        _ = try Programs.run("ln", ["-s", path, folder.path(of: "bin/\(name)")])
    }

    /// What the script needs of its environment.
    var environment: [String] {
        ["PATH=\(folder.path(of: "bin"))", "RETENTION_DATA=\(folder.path(of: "data"))"]
    }

    /// The names in the data directory.
    func pushedNames() throws -> [String] {
        let data = try FileDescriptor.openDirectory(path: folder.path(of: "data"))
        return try Directory.names(in: data, limitCount: 10)
    }

    /// Runs `examples/push`. Without `reload` the script reloads the daemon through systemd.
    func push(_ files: [String], host: String = "local", options: [String] = [], reload: String? = nil) throws
        -> ProgramRun
    {
        try Programs.run(
            SourceFile.root + "/examples/push",
            options + [host] + files,
            environment: environment + (reload.map { ["RETENTION_RELOAD=\($0)"] } ?? [])
        )
    }

    /// Puts scripts named `sudo` and `systemctl` into the PATH that behave as `systemd` says.
    func install(_ systemd: Systemd) throws {
        guard systemd != .isMissing else { return }
        let asked = folder.path(of: "asked")
        let isAllowed = systemd != .refusesUser
        try script(
            "sudo", "printf '%s\\n' \"$*\" >>\(asked)\n" + (isAllowed ? "shift; exec \"$@\"" : "exit 1"))
        let state = folder.path(of: "state-of-systemd")
        try folder.write(Self.execReload("pid=0", "code=(null) ; status=0/0"), to: "state-of-systemd")
        var reload = "exit 1"
        if case .reloads(let verdict) = systemd {
            let shown = Self.execReload("pid=$$", verdict)
            reload = "echo \"\(shown)\" >\(state); \(verdict.hasSuffix("=0") ? "exit 0" : "exit 1")"
        }
        try script(
            "systemctl",
            """
            case "$*" in
                "show -p ExecReload retentiond") cat \(state) ;;
                "show -p StatusText retentiond") echo "StatusText=serving; reload refused: data-file.x" ;;
                "reload retentiond") \(reload) ;;
                *) exit 64 ;;
            esac
            """
        )
    }

    /// The property `ExecReload` as systemctl 252 prints it.
    private static func execReload(_ process: String, _ exit: String) -> String {
        "ExecReload={ path=/usr/bin/retentiond ; argv[]=/usr/bin/retentiond --reload ; ignore_errors=no ; "
            + "start_time=[n/a] ; stop_time=[n/a] ; \(process) ; \(exit) }"
    }

    /// A facts file of some subscribers.
    static func facts(_ count: Int) throws -> [UInt8] {
        var table = FactsTable(columns: [.init(name: "paidPeriods", kind: .integer)])
        table.rows = (1...count).map { (key: UInt64($0), values: [.integer(1)]) }
        return try table.bytes()
    }

    /// A text that may be rules.
    static let rules = Array("{}\n".utf8)

    /// The first bytes of a facts file.
    static let factsHeader: [UInt8] =
        [0x89, 0x52, 0x54, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 16) + [2, 0]
        + [UInt8](repeating: 0, count: 102)
}
