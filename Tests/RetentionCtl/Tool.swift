import AppStoreTraffic
import JSON
import Support
import System
import Testing

/// The built retentionctl with a test authority of its own.
struct Tool {
    let folder: TemporaryDirectory
    var authority: String { folder.path(of: "authority") }
    /// The options that every signing subcommand needs.
    var signing: [String] {
        ["--authority", authority, "--app", "531412", "--product", "com.example.product"]
    }

    init() throws {
        folder = try TemporaryDirectory()
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
    }

    /// Runs the tool to its end.
    static func run(_ arguments: [String], input: [UInt8] = [], environment: [String] = []) throws
        -> ProgramRun
    {
        try ProgramRun.run(
            ProgramRun.product("retentionctl"), arguments, input: input,
            environment: ["PATH=/usr/bin:/bin", "LANG=C"] + environment)
    }

    /// The one JSON document that a run printed.
    static func document(_ run: ProgramRun) throws -> JSONDocument {
        let bytes = Array(run.output.utf8)
        return try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
    }
}
