internal import Cryptography
internal import DataFiles
internal import JSON
internal import Vocabulary

/// What the tool shows of a data file, whatever its kind.
extension DataFileHeader {
    /// Whose file it is, in messages.
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }

    /// Prints for whom and by whom the file was made; a rules file says the bundle too.
    func show(bundleId: String? = nil) {
        let app = [String(appAppleId), bundleId, environment.rawValue].compactMap { $0 }
        Console.print("  app         \(app.joined(separator: " "))")
        Console.print("  generation  \(generation)")
        Console.print("  built       \(CivilTime(milliseconds: builtAtMilliseconds)) by \(writerVersion)")
        Console.print("  sha256      \(digest)")
    }

    /// The same, with its path and size, as members of a JSON object.
    func members(path: String, bundleId: String? = nil) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("file", .string(path)), ("kind", .string(kind.name)), ("appAppleId", .integer(appAppleId)),
        ]
        if let bundleId { members.append(("bundleId", .string(bundleId))) }
        return members + [
            ("environment", .string(environment.rawValue)),
            ("generation", .integer(generation)),
            ("builtAt", .string(CivilTime(milliseconds: builtAtMilliseconds).description)),
            ("writer", .string(writerVersion)),
            ("sha256", .string(digest.hexadecimal)),
            ("bytes", .integer(Int64(fileByteCount))),
        ]
    }
}
