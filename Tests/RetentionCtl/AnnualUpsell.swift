import Support
import Testing

/// The example rules of the annual upsell, and the facts that they use.
enum AnnualUpsell {
    static let rules = SourceFile.root + "/examples/rules/annual-upsell.json"
    /// The table of subscribers, `.csv` or `.ndjson`.
    static let table = SourceFile.root + "/examples/facts/subscribers"
    /// The time of the requests.
    static let at = ["--at", "2026-11-21T00:00:00Z"]

    /// Compiles the table into a facts file that is an hour older than the requests.
    static func facts(in folder: TemporaryDirectory) throws -> String {
        let path = folder.path(of: "app.facts")
        let run = try Tool.run([
            "facts", "build", table + ".csv", "--schema", rules, "-o", path, "--built",
            "2026-11-20T23:00:00Z",
        ])
        try #require(run.status == 0, "\(run.errors)")
        return path
    }
}
