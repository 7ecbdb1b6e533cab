public import Testing

/// The inputs in `Tests/Fuzz/Corpus`: those from which the fuzzers started and those that the fuzzers found.
public enum FuzzCorpus {
    /// Calls `body` with every file of a corpus. An empty corpus is a failure.
    public static func replay(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: (Span<UInt8>) -> Void
    ) throws {
        let paths = try SourceFile.paths(below: "Tests/Fuzz/Corpus/\(name)")
        #expect(!paths.isEmpty, "the corpus \(name) has no files", sourceLocation: sourceLocation)
        for path in paths {
            let bytes = try SourceFile.read(SourceFile.root + "/" + path)
            body(bytes.span)
        }
    }
}
