internal import AppStoreSimulator
package import JSON
internal import System

/// The built retentionctl and appstore-simulator, with a test authority of their own.
package struct Tool {
    package let folder: TemporaryDirectory
    package var authority: String { folder.path(of: "authority") }
    /// The options that every signing command needs.
    package var signing: [String] {
        ["--authority", authority, "--app", "531412", "--product", "com.example.product"]
    }

    package init() throws {
        folder = try TemporaryDirectory()
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
    }

    /// Runs retentionctl to its end.
    package static func run(_ arguments: [String], input: [UInt8] = [], environment: [String] = []) throws
        -> ProgramRun
    {
        try run("retentionctl", arguments, input: input, environment: environment)
    }

    /// Runs appstore-simulator to its end.
    package static func simulate(_ arguments: [String]) throws -> ProgramRun {
        try run("appstore-simulator", arguments)
    }

    /// Signs a request and returns its body.
    package func signed(_ options: [String] = []) throws -> String {
        try Self.simulate(["request", "--print"] + signing + options).output
    }

    /// The one JSON document that a run printed.
    package static func document(_ run: ProgramRun) throws -> JSONDocument {
        let bytes = Array(run.output.utf8)
        return try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
    }

    private static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], environment: [String] = []
    ) throws -> ProgramRun {
        try ProgramRun.run(
            ProgramRun.product(program), arguments, input: input,
            environment: ["PATH=/usr/bin:/bin", "LANG=C"] + environment)
    }
}
