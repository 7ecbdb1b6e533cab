internal import Cryptography
internal import DataFiles
internal import JSON
internal import Vocabulary

/// What the tool shows of the header of a data file, rules or facts.
extension DataFileHeader {
    /// The app and the environment of the file, for messages.
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }

    /// Prints the app, the generation, the build time with the program that wrote the file, and the digest. A rules
    /// file also has a bundle identifier.
    func show(bundleId: String? = nil) {
        let app = [String(appAppleId), bundleId, environment.rawValue].compactMap { $0 }
        Console.print("  app         \(app.joined(separator: " "))")
        if kind == .rules { Console.print("  generation  \(generation)") }
        Console.print("  built       \(CivilTime(milliseconds: builtAtMilliseconds)) by \(writerVersion)")
        Console.print("  sha256      \(digest)")
    }

    /// Returns the same facts, the path and the size as members of a JSON object.
    func members(path: String, bundleId: String? = nil) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("file", .string(path)), ("kind", .string(kind.name)), ("appAppleId", .integer(appAppleId)),
        ]
        if let bundleId { members.append(("bundleId", .string(bundleId))) }
        members.append(("environment", .string(environment.rawValue)))
        if kind == .rules { members.append(("generation", .integer(generation))) }
        return members + [
            ("builtAt", .string(CivilTime(milliseconds: builtAtMilliseconds).description)),
            ("writer", .string(writerVersion)),
            ("sha256", .string(digest.hexadecimal)),
            ("bytes", .integer(Int64(fileByteCount))),
        ]
    }
}
