internal import Cryptography
internal import DataFiles
internal import JSON
internal import Vocabulary

/// What the tool shows of the header of a facts file.
extension DataFileHeader {
    /// The app and the environment of the file, for messages.
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }

    /// Prints the app, the build time with the program that wrote the file, and the digest.
    func show() {
        Console.print("  app         \(appAppleId) \(environment.rawValue)")
        Console.print("  built       \(CivilTime(milliseconds: builtAtMilliseconds)) by \(writerVersion)")
        Console.print("  sha256      \(digest)")
    }

    /// Returns the same facts, the path and the size as members of a JSON object.
    func members(path: String) -> [(String, JSONNode)] {
        [
            ("file", .string(path)), ("kind", .string(DataFileKind.facts.name)),
            ("appAppleId", .integer(appAppleId)), ("environment", .string(environment.rawValue)),
            ("builtAt", .string(CivilTime(milliseconds: builtAtMilliseconds).description)),
            ("writer", .string(writerVersion)),
            ("sha256", .string(digest.hexadecimal)),
            ("bytes", .integer(Int64(fileByteCount))),
        ]
    }
}
