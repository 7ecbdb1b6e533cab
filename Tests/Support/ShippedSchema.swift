package import JSON

/// `examples/retentiond.schema.json`, which a test compares with the settings of the programs.
package enum ShippedSchema {
    /// Returns each setting, such as `apps[].bundleId`, with its own schema. `$schema` is for editors.
    package static func settings() throws -> [(path: String, schema: JSONValue)] {
        let bytes = try SourceFile.read(SourceFile.root + "/examples/retentiond.schema.json")
        let root = try JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
            .root
        return settings(of: root, below: "").filter { $0.path != "$schema" }
    }

    private static func settings(of schema: JSONValue, below prefix: String)
        -> [(path: String, schema: JSONValue)]
    {
        let items = schema.member("items")
        let inner = items == nil ? prefix : prefix + "[]"
        return ((items ?? schema).member("properties")?.members ?? []).flatMap { name, value in
            let path = inner.isEmpty ? name : "\(inner).\(name)"
            return [(path: path, schema: value)] + settings(of: value, below: path)
        }
    }
}
