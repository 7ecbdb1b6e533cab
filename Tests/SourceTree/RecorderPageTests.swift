import Support
import Testing

/// What retentiond-recorder(8) says of options, signals, statuses and answers, against the source of the program.
@Suite("The page about retentiond-recorder")
struct RecorderPageTests {
    private static let commands = "Sources/Commands/retentiond-recorder"
    private static let service = "Sources/Service/Recorder"

    private static func page() throws -> String { try ManualPage.text("retentiond-recorder.8.md") }

    private static func usage() throws -> String {
        let source = try ProgramPageTests.text("\(commands)/RecorderArguments.swift")
        let match = try #require(source.firstMatch(of: /static let usage = """\n((?s:.*?))"""/))
        return String(match.output.1)
    }

    /// The terms of a list of definitions: the lines above those that begin with a colon.
    private static func terms(in section: Substring) -> [Substring] {
        let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(lines, lines.dropFirst()).filter { $1.hasPrefix(": ") }.map(\.0)
    }

    /// The words in code type in a text.
    private static func codes(in text: Substring) -> Set<String> {
        Set(text.matches(of: /`([a-z0-9.-]+)`/).map { String($0.output.1) })
    }

    @Test("names every option, and no other option")
    func options() throws {
        let source = try ProgramPageTests.text("\(Self.commands)/RecorderArguments.swift")
        var accepted: Set<String> = []
        for line in source.split(separator: "\n") {
            guard let found = line.firstMatch(of: /^ *case ("-.*"):/) else { continue }
            accepted.formUnion(ProgramPageTests.options(in: found.output.1))
        }
        #expect(accepted.count >= 10)
        let page = try Self.page()
        let terms = Self.terms(in: try ProgramPageTests.section("OPTIONS", of: page)).map {
            ProgramPageTests.options(in: $0)
        }
        #expect(terms.reduce(into: Set()) { $0.formUnion($1) } == accepted)
        // The usage text and the synopsis name each option once, in one of its spellings. They leave out the help.
        let usage = ProgramPageTests.options(in: try Self.usage()[...])
        #expect(ProgramPageTests.options(in: try ProgramPageTests.section("SYNOPSIS", of: page)) == usage)
        for term in terms where !term.contains("--help") {
            #expect(!term.isDisjoint(with: usage), "\(term) is not in the usage text")
        }
    }

    @Test("names every signal that the recorder receives, and no other signal")
    func signals() throws {
        let names = [
            "hangup": "HUP", "interrupt": "INT", "quit": "QUIT", "terminate": "TERM", "user1": "USR1",
        ]
        let source = try ProgramPageTests.text("\(Self.service)/RecorderStart.swift")
        let list = try #require(source.firstMatch(of: /receiving: \[([^\]]+)\]/)).output.1
        let received = Set(
            try list.matches(of: /\.(\w+)/).map { try #require(names[String($0.output.1)], "\($0.output.1)") }
        )
        let section = try ProgramPageTests.section("SIGNALS", of: try Self.page())
        let documented = Self.terms(in: section).map { ProgramPageTests.signals(in: $0) }
        #expect(documented.reduce(into: Set()) { $0.formUnion($1) } == received)
        let line = try #require(try Self.usage().firstRange(of: "Signals: "))
        #expect(ProgramPageTests.signals(in: try Self.usage()[line.upperBound...]) == received)
    }

    @Test("and the page about capacity name only metrics that the recorder has")
    func metrics() throws {
        let source = try ProgramPageTests.text("\(Self.service)/RecorderMetric.swift")
        let pages = try Self.page() + ManualPage.text("retention-operations.7.md")
        let names = Set(pages.matches(of: /retentiond_recorder_([a-z_]+)/).map { String($0.output.1) })
        #expect(names.count >= 8)
        for name in names where !name.hasSuffix("_") {
            let family = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
            let base = family.map { name.dropLast($0.utf8.count) } ?? name[...]
            #expect(source.contains("\"\(base)\""), "\(name)")
        }
    }

    @Test("names every exit status, and no other status")
    func statuses() throws {
        let program = ["RecorderCommand", "RecorderError", "RecorderStart", "SupervisorError"]
        let sources = try SwiftSource.all(in: [Self.commands, Self.service, "Sources/Service/Supervisor"])
        var statuses: [String: Set<String>] = [:]
        for source in sources {
            let name = String(source.path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
            if program.contains(name) { statuses[name] = ProgramPageTests.statuses(in: source) }
        }
        for name in program { #expect(statuses[name]?.isEmpty == false, "\(name)") }
        let section = try ProgramPageTests.section("EXIT STATUS", of: try Self.page())
        let rows = ProgramPageTests.rows("Status", in: section).flatMap { row in
            row.first.split(separator: ", ").map(String.init)
        }
        #expect(Set(rows) == statuses.values.reduce(into: Set()) { $0.formUnion($1) })
        #expect(rows.count == Set(rows).count)
    }

    /// The codes of answers to a notification with their statuses. The requests for retention messages alone get the others.
    private static func answers() throws -> [String: String] {
        let golden = try ProgramPageTests.text("Tests/Answers/Golden/problems.txt")
        var answers: [String: String] = [:]
        for line in golden.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            answers[cells[0]] = cells[4]
        }
        for (code, name) in [("no-answer", "noAnswer"), ("rules-missing", "rulesMissing")] {
            #expect(answers.removeValue(forKey: code) != nil)
            for source in try SwiftSource.all(in: [service]) {
                #expect(!source.code.contains { $0.contains(".\(name)") }, "\(source.path)")
            }
        }
        let nginx = try ProgramPageTests.text("nginx/retentiond-notifications.conf")
        for match in nginx.matches(of: /return ([0-9]+) '.*"code":"([a-z-]+)"/) {
            answers[String(match.output.2)] = String(match.output.1)
        }
        #expect(answers["recorder-unavailable"] == "503")
        return answers
    }

    @Test("names every status of an answer, and no other status")
    func answers() throws {
        let section = try ProgramPageTests.section("ANSWERS", of: try Self.page())
        let rows = ProgramPageTests.rows("Status", in: section)
        let documented = rows.flatMap { $0.first.split(separator: ", ").map(String.init) }
        let answers = try Self.answers()
        #expect(Set(documented) == Set(answers.values).union(["200"]))
        // A code stands in the row of its status.
        for row in rows {
            for code in Self.codes(in: row.rest[...]) {
                guard let status = answers[code] else { continue }
                #expect(row.first.contains(status), "\(code)")
            }
        }
    }

    @Test("says for every 503 what to do, and for no other code")
    func unavailable() throws {
        let section = try ProgramPageTests.section("WHAT TO DO AT A 503", of: try Self.page())
        let documented = Self.terms(in: section).reduce(into: Set()) { $0.formUnion(Self.codes(in: $1)) }
        #expect(documented == Set(try Self.answers().filter { $0.value == "503" }.keys))
        // The codes of the log are codes of the program.
        let golden = try ProgramPageTests.text("Tests/SourceTree/Golden/codes.txt")
        let known = Set(
            golden.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        )
        let named = Self.codes(in: section).filter { $0.hasPrefix("sql.") || $0.hasPrefix("store.") }
        #expect(named.count >= 10 && named.isSubset(of: known), "\(named.subtracting(known))")
    }
}
