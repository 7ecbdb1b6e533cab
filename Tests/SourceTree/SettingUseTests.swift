import Configuration
import Testing

/// A setting that is read from the file and then forgotten would pass every other test.
@Suite("The settings of retentiond.json")
struct SettingUseTests {
    private static let folder = "Sources/Service/Configuration/"
    /// Settings that no code uses: `revocation` has only one value so far.
    private static let unused: Set<String> = ["revocation"]

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

    /// Returns each setting with the last word of its path. `$schema` is for editors.
    private static func settings() -> [(path: String, word: String)] {
        Configuration.describedSettings().map(\.path).filter { $0 != "$schema" }
            .map { ($0, $0.split(separator: ".").last.map(String.init) ?? "") }
    }

    private static func programs() throws -> [SwiftSource] {
        try SwiftSource.all(in: ["Sources/Service", "Sources/Commands"])
    }

    @Test("are each used by code that does more than read the file")
    func sources() throws {
        let lines = try Self.programs().flatMap(\.code)
        let idle = Self.settings().filter { setting in
            !lines.contains { Self.uses(setting.word, $0) }
        }
        #expect(Set(idle.map(\.path)) == Self.unused)
    }

    @Test("are each set by a test of the code that uses them")
    func tests() throws {
        let users = try Self.programs().filter { !$0.path.hasPrefix(Self.folder) }.flatMap(\.code)
        let tests = try SwiftSource.all(in: ["Tests"]).filter { test in
            !test.path.hasPrefix("Tests/Configuration/") && !test.path.hasSuffix("/SettingUseTests.swift")
        }.flatMap(\.lines)
        let used = Self.settings().filter { setting in
            users.contains { Self.uses(setting.word, $0) }
        }
        let untested = used.filter { setting in
            !tests.contains { Self.uses(setting.word, $0) }
        }
        #expect(untested.isEmpty, "\(untested.map(\.path))")
    }
}
