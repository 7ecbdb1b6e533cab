internal import Glibc
internal import System
public import Testing

/// Expected output kept beside the tests.
public enum GoldenFile {
    /// Whether expected output is to be rewritten: UPDATE_GOLDEN is in the environment.
    public static var isUpdating: Bool { unsafe getenv("UPDATE_GOLDEN") != nil }

    /// Compares `text` with the file at `path` below the checkout. With UPDATE_GOLDEN=1 in the environment the file is
    /// rewritten instead.
    public static func check(
        _ text: String,
        _ path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let whole = SourceFile.root + "/" + path
        if isUpdating {
            let number = unsafe open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard number >= 0 else { throw SystemCallError(call: "open \(path)", number: errno) }
            let file = FileDescriptor(takingOwnership: number)
            try file.write(Array(text.utf8).span)
        }
        let expected = String(decoding: try SourceFile.read(whole), as: UTF8.self)
        #expect(text == expected, "\(path)", sourceLocation: sourceLocation)
    }
}
