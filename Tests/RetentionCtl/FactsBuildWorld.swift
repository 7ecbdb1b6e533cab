import JSON
import Support
import Testing

/// A store, and a schema with facts of it.
struct FactsBuildWorld {
    let store: StoreWorld
    let address: String

    init(_ kind: StoreKind, count: Int = 40) throws {
        store = try StoreWorld()
        address = try store.filled(kind, count: count)
        try schema(
            #""currentProductId": "string", "status": "string", "price": "int", "autoRenew": "bool""#
        )
    }

    /// Writes a schema with these facts.
    func schema(_ facts: String) throws {
        try store.folder.write(
            """
            {"app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
             "facts": {\(facts)}}
            """,
            to: "rules.json"
        )
    }

    /// Builds a file for a fixed time, so that equal rows give equal bytes.
    func build(_ words: [String] = [], to name: String = "app.facts") throws -> ProgramRun {
        try Tool.run(
            [
                "facts", "build", "--store", address, "--schema", store.folder.path(of: "rules.json"),
                "--built",
                "\(store.now)", "-o", store.folder.path(of: name),
            ] + words
        )
    }

    /// Builds a file and returns its bytes and the report.
    func built(_ words: [String] = []) throws -> (bytes: [UInt8], report: JSONDocument) {
        let run = try build(words + ["--json"])
        try #require(run.status == 0, "\(run.errors)")
        return (try store.folder.read("app.facts"), try Tool.document(run))
    }

    /// The rows of the file that was built last, by their keys.
    func rows() throws -> [String: JSONDocument] {
        let run = try Tool.run(["dump", store.folder.path(of: "app.facts")])
        try #require(run.status == 0, "\(run.errors)")
        var rows: [String: JSONDocument] = [:]
        for line in run.output.split(separator: "\n") {
            let document = try JSONDocument(
                parsing: Array(line.utf8).span, limits: JSONLimits(byteCount: 1 << 20, depth: 4))
            rows[try #require(document.root.member("originalTransactionId")?.string)] = document
        }
        return rows
    }
}
