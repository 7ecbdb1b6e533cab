internal import System

/// The settings from the command line `benchmarks NAME=VALUE…`, which `Tests/Benchmarks/run` writes.
struct Plan {
    /// The temporary folder.
    let workspace: Workspace
    /// The folder with the C program `responder`.
    let tools: String
    /// The folder with the executables of the package.
    let products: String
    /// The repository's nginx folder.
    let nginx: String
    /// A group of the user who runs this.
    let group: String
    /// The file to which the figures are written as JSON; nil when no such file is wanted.
    let json: String?
    /// The number of pairs in each comparison.
    let pairs: Int
    /// True when figures that take minutes are measured, too.
    let isFull: Bool
    /// The figures to measure, all when empty.
    let only: Set<Substring>

    init(_ arguments: [String]) throws {
        var values: [Substring: String] = [:]
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Failure("not NAME=VALUE: \(argument)") }
            values[parts[0]] = String(parts[1])
        }
        func value(_ name: Substring) throws -> String {
            guard let value = values[name] else { throw Failure("\(name)= is missing") }
            return value
        }
        workspace = Workspace(path: try value("workspace"))
        tools = try value("tools")
        products = try value("products")
        nginx = try value("nginx")
        group = try value("group")
        json = values["json"]
        pairs = values["pairs"].flatMap { Int($0) } ?? 9
        isFull = values["full"] == "yes"
        only = Set(values["only"]?.split(separator: ",").map { $0 } ?? [])
    }

    func wants(_ name: Substring) -> Bool { only.isEmpty || only.contains(name) }
}

/// The temporary folder with everything that one run needs. The script that starts the run makes and removes the
/// folder.
struct Workspace {
    let path: String

    /// Returns the path of an entry.
    func path(of name: String) -> String { "\(path)/\(name)" }

    func makeFolder(_ name: String, permissions: UInt32 = 0o755) throws {
        try Directory.make(path: path(of: name), permissions: permissions)
    }

    /// Writes a file under another name and renames it, as rsync does.
    func write(_ bytes: [UInt8], to name: String, permissions: UInt32 = 0o644) throws {
        try AtomicFile.write(bytes.span, to: path(of: name), permissions: permissions)
    }

    func write(_ text: String, to name: String, permissions: UInt32 = 0o644) throws {
        try write(Array(text.utf8), to: name, permissions: permissions)
    }

    /// Writes down a process number, so that the script that started the run can end the process when the run was
    /// interrupted.
    func note(_ processID: Int32) throws {
        let known = (try? Self.text(of: path(of: "processes"))) ?? ""
        try write(known + "\(processID)\n", to: "processes")
    }

    /// Starts `executable`. Its output goes to the file `output`, which replaces an older file.
    ///
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - arguments: its arguments, without its name.
    ///   - output: the name of the file.
    ///   - descriptors: the descriptors that lead to the file.
    ///   - environment: further entries of the environment, `NAME=VALUE`.
    /// - Returns: the process number, which is not yet written down.
    /// - Throws: the reason why the program did not start.
    func start(
        _ executable: String, _ arguments: [String], output: String, from descriptors: [Int32] = [1, 2],
        environment: [String] = []
    ) throws -> Int32 {
        let path = path(of: output)
        try Directory.removeFile(path: path)
        let file = try FileDescriptor.create(path: path, permissions: 0o644)
        var child = ChildProcess(
            executable: executable, arguments: [executable] + arguments,
            environment: ProcessEnvironment.all() + environment)
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

/// Why a figure could not be measured, in a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
