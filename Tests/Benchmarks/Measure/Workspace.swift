internal import System

/// The temporary folder with everything that one run needs. Whoever started the run made it and removes it.
struct Workspace {
    let path: String

    /// The path of an entry.
    func path(of name: String) -> String { "\(path)/\(name)" }

    func makeFolder(_ name: String, permissions: UInt32 = 0o755) throws {
        try Directory.make(path: path(of: name), permissions: permissions)
    }

    /// Puts a file in place by renaming, as rsync does.
    func write(_ bytes: [UInt8], to name: String, permissions: UInt32 = 0o644) throws {
        try AtomicFile.write(bytes.span, to: path(of: name), permissions: permissions)
    }

    func write(_ text: String, to name: String, permissions: UInt32 = 0o644) throws {
        try write(Array(text.utf8), to: name, permissions: permissions)
    }

    /// Notes a process, so that whoever started the run can end it when the run itself was ended.
    func note(_ processID: Int32) throws {
        let known = (try? Self.text(of: path(of: "processes"))) ?? ""
        try write(known + "\(processID)\n", to: "processes")
    }

    /// Starts `executable`; what it says goes to the file `output`, which is made anew.
    ///
    /// - Returns: its process, which is not noted yet.
    func start(
        _ executable: String,
        _ arguments: [String],
        output: String,
        from descriptors: [Int32] = [1, 2]
    ) throws -> Int32 {
        let path = path(of: output)
        try Directory.removeFile(path: path)
        let file = try FileDescriptor.create(path: path, permissions: 0o644)
        var child = ChildProcess(
            executable: executable,
            arguments: [executable] + arguments,
            environment: ProcessEnvironment.all()
        )
        child.descriptors = descriptors.map { (from: file.number, to: $0) }
        return try child.start()
    }

    static func read(_ path: String) throws -> [UInt8] {
        try FileDescriptor.openForReading(path: path).readAll(limitBytes: 256 << 20)
    }

    static func text(of path: String) throws -> String {
        String(decoding: try read(path), as: UTF8.self)
    }
}
