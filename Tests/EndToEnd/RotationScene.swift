import Support
import System

/// A folder of logs that the real logrotate rotates with the shipped file. A script takes the place of systemctl, and sends
/// the signal to a process of the test.
struct RotationScene {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try folder.makeDirectory("logs", permissions: 0o750)
        try folder.makeDirectory("bin")
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.logrotate")
        var text = String(decoding: bytes, as: UTF8.self)
        let user = Accounts.userName(Credentials.current.userID)
        let changes = [
            ("/var/log/retentiond/", "\(folder.path)/logs/"),
            ("    su retentiond retentiond\n", "    su \(user) \(user)\n"),
            // The test reads the renamed files. On a server a day lies between two rotations.
            ("    compress\n    delaycompress\n", ""),
        ]
        for (old, new) in changes {
            guard text.contains(old) else { throw Complaint("the shipped file has no \(old)") }
            text.replace(old, with: new)
        }
        try folder.write(text, to: "logrotate.conf", permissions: 0o600)
    }

    func path(_ name: String) -> String { folder.path(of: "logs/\(name)") }

    /// Makes systemctl reach a process as the main process of a unit.
    func run(_ process: RunningProcess, asUnit unit: String) throws {
        try folder.write("\(process.processID)", to: unit + ".pid")
        try folder.write(
            """
            #!/bin/sh
            cd '\(folder.path)'
            if [ "$1" = is-active ] && [ $# = 2 ]; then
                if [ -e "$2.pid" ]; then echo active; else echo inactive; exit 3; fi
            elif [ "$1 $2 $3" = "kill --kill-who=main --signal=USR1" ] && [ $# = 4 ]; then
                kill -USR1 "$(cat "$4.pid")"
            else
                exit 64
            fi

            """,
            to: "bin/systemctl",
            permissions: 0o755
        )
    }

    /// Rotates all logs, as logrotate does once a day.
    func rotate() throws {
        let run = try logrotate()
        guard run.status == 0, run.errors.isEmpty else { throw Complaint("logrotate: \(run.errors)") }
    }

    func logrotate() throws -> ProgramRun {
        try Programs.run(
            "logrotate", ["--force", "--state", folder.path(of: "state"), folder.path(of: "logrotate.conf")],
            environment: ["PATH=\(folder.path)/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// The lines of a log, from the oldest file to the newest. Throws when a file does not end with a whole line.
    func lines(_ name: String) throws -> [String] {
        try texts(name).flatMap { text in
            guard text.isEmpty || text.last == UInt8(ascii: "\n") else { throw Complaint("half a line") }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// The files of a log, from the oldest to the newest.
    func texts(_ name: String) throws -> [[UInt8]] {
        let all = try Directory.names(in: FileDescriptor.openDirectory(path: path("")), limitCount: 100)
        let files = all.filter { $0.hasPrefix(name + ".") }.sorted {
            $0.count == $1.count ? $0 > $1 : $0.count > $1.count
        }
        return try (files + [name]).map { try folder.read("logs/\($0)") }
    }
}
