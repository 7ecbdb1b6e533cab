import Support
import Testing

/// A setting that is read from the file and then forgotten would pass every other test.
@Suite("The settings of retentiond.json")
struct SettingUseTests {
    private static let folder = "Sources/Service/Configuration/"

    /// Returns true when a line has the word where it neither declares the property nor is a key path in a row of the
    /// settings.
    private static func uses(_ word: String, _ line: String) -> Bool {
        line.ranges(of: word).contains { place in
            let before = line[..<place.lowerBound]
            let after = line[place.upperBound...]
            let isWhole = [before.last, after.first].allSatisfy { neighbour in
                neighbour.map { !$0.isLetter && !$0.isNumber } ?? true
            }
            return isWhole && !before.hasSuffix("var ") && !before.hasSuffix("\\.")
        }
    }

    /// Returns each setting with the last word of its path.
    private static func settings() throws -> [(path: String, word: String)] {
        try ShippedSchema.settings().map {
            ($0.path, $0.path.split(separator: ".").last.map(String.init) ?? "")
        }
    }

    private static func programs() throws -> [SwiftSource] {
        try SwiftSource.all(in: ["Sources/Service", "Sources/Commands"])
    }

    @Test("are each used by code that does more than read the file")
    func sources() throws {
        let lines = try Self.programs().flatMap(\.code)
        let idle = try Self.settings().filter { setting in
            !lines.contains { Self.uses(setting.word, $0) }
        }
        #expect(idle.isEmpty, "\(idle.map(\.path))")
    }
}
