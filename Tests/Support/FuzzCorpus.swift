public import Testing

/// What the fuzzers were started from and what they found, kept in `Tests/Fuzz/Corpus`.
public enum FuzzCorpus {
    /// Gives every file of a corpus to `body`; an empty corpus is a failure.
    public static func replay(
        _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Span<UInt8>) -> Void
    ) throws {
        let paths = try SourceFile.paths(below: "Tests/Fuzz/Corpus/\(name)")
        #expect(!paths.isEmpty, "no corpus \(name)", sourceLocation: sourceLocation)
        for path in paths {
            let bytes = try SourceFile.read(SourceFile.root + "/" + path)
            body(bytes.span)
        }
    }
}
