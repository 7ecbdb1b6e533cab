import Facts
import JSON
import Support
import System
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

    /// The rows of the file that was built last, by their keys, without the missing values.
    func rows() throws -> [String: JSONDocument] {
        let path = store.folder.path(of: "app.facts")
        let file = try FactsFile(
            mapping: MappedMemory(of: FileDescriptor.openForReading(path: path)), check: .full)
        var rows: [String: JSONDocument] = [:]
        for row in file.rows {
            var members: [(String, JSONNode)] = []
            for (index, column) in file.columns.enumerated() {
                let value =
                    file.string(column: index, row: row).map { JSONNode.string($0) }
                    ?? (file.integer(column: index, row: row) ?? file.date(column: index, row: row)).map {
                        .integer($0)
                    } ?? file.boolean(column: index, row: row).map { .boolean($0) }
                if let value { members.append((column.name, value)) }
            }
            rows[String(try #require(file.key(of: row)))] = try JSONDocument(
                parsing: JSONNode.object(members).serialized().span,
                limits: JSONLimits(byteCount: 1 << 20, depth: 4))
        }
        return rows
    }
}
