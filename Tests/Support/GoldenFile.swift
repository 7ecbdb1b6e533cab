internal import System
public import Testing

/// Expected output kept beside the tests.
public enum GoldenFile {
    /// True when UPDATE_GOLDEN is in the environment: tests then rewrite the expected output.
    public static var isUpdating: Bool { ProcessEnvironment.value(of: "UPDATE_GOLDEN") != nil }

    /// Compares `text` with the file at `path` below the checkout. With UPDATE_GOLDEN in the environment the file is
    /// rewritten instead, and the test fails.
    public static func check(
        _ text: String, _ path: String, isUpdating: Bool = Self.isUpdating,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = Array(text.utf8)
        let kept = try keep(bytes, path, isUpdating: isUpdating, sourceLocation: sourceLocation)
        let expected = String(decoding: kept, as: UTF8.self)
        #expect(text == expected, "\(path)", sourceLocation: sourceLocation)
    }

    /// Returns the bytes of the file at `path` below the checkout. With UPDATE_GOLDEN in the environment `bytes` are
    /// written there first. The test then fails: it has compared nothing, so a run with the variable never passes.
    public static func keep(
        _ bytes: [UInt8], _ path: String, isUpdating: Bool = Self.isUpdating,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [UInt8] {
        let whole = SourceFile.root + "/" + path
        if isUpdating {
            try AtomicFile.write(bytes.span, to: whole)
            Issue.record(
                "UPDATE_GOLDEN wrote \(path): look at the difference, then run without the variable",
                sourceLocation: sourceLocation)
        }
        return try SourceFile.read(whole)
    }
}
