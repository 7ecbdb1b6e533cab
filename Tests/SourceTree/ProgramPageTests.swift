import Support
import Testing

/// What the pages say of retentiond's options, signals and exit statuses, against the source of the program.
@Suite("The pages about the programs")
struct ProgramPageTests {
    /// The words that only a supervisor writes, for its children.
    private static let wordsForChildren: Set = [
        "--load", "--worker", "--source", "--serving", "--generation",
        "--sequence", "--slot",
    ]

    static func text(_ path: String) throws -> String {
        String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
    }

    /// Returns the text of a page between the heading and the next heading of that level.
    static func section(_ heading: String, of page: String) throws -> Substring {
        let start = try #require(page.firstRange(of: "\n# \(heading)\n"), "\(heading)").upperBound
        let end = page[start...].firstRange(of: "\n# ")?.lowerBound ?? page.endIndex
        return page[start..<end]
    }

    /// Returns the rows of the first table whose heading row begins with `heading`: the first cell and the others.
    static func rows(_ heading: String, in text: Substring) -> [(first: String, rest: String)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix("| \(heading) |") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).compactMap { line in
            guard let row = String(line).wholeMatch(of: /\| (.+?) \| (.*) \|/) else { return nil }
            return (String(row.output.1), String(row.output.2))
        }
    }

    /// Returns the words of a text that look like options.
    static func options(in text: Substring) -> Set<String> {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0 == "-" || $0 == "?")) }
        return Set(words.map(String.init).filter { $0.wholeMatch(of: /-[A-Za-z?]|--[a-z-]+/) != nil })
    }

    static func signals(in text: Substring) -> Set<String> {
        Set(text.matches(of: /\b(?:HUP|INT|QUIT|TERM|USR1|USR2|WINCH|CHLD)\b/).map { String($0.output) })
    }

    /// Returns the usage text in the source of the arguments.
    private static func usage() throws -> String {
        let source = try text("Sources/Commands/retentiond/Arguments.swift")
        let match = try #require(source.firstMatch(of: /static let usage = """\n((?s:.*?))"""/))
        return String(match.output.1)
    }

    @Test("name every option that a person may type, and no other option")
    func options() throws {
        let source = try Self.text("Sources/Commands/retentiond/Arguments.swift")
        var accepted: Set<String> = []
        for line in source.split(separator: "\n") {
            guard let found = line.firstMatch(of: /^ *case ("-.*"):/) else { continue }
            accepted.formUnion(Self.options(in: found.output.1))
        }
        #expect(accepted.isSuperset(of: Self.wordsForChildren))
        let page = try ManualPage.text("retentiond.8.md")
        let lines = try Self.section("OPTIONS", of: page).split(separator: "\n")
        let terms = lines.filter { $0.hasPrefix("**-") }.map { Self.options(in: $0) }
        #expect(terms.reduce(into: Set()) { $0.formUnion($1) } == accepted.subtracting(Self.wordsForChildren))
        // The usage text and the synopsis name each option once, in one of its spellings. They leave out the help.
        let usage = Self.options(in: try Self.usage()[...])
        #expect(Self.options(in: try Self.section("SYNOPSIS", of: page)) == usage)
        #expect(usage.isSubset(of: accepted.subtracting(Self.wordsForChildren)))
        for term in terms where !term.contains("--help") {
            #expect(!term.isDisjoint(with: usage), "\(term) is not in the usage text")
        }
    }

    @Test("name every signal that the supervisor receives, and no other signal")
    func signals() throws {
        let names = [
            "hangup": "HUP", "interrupt": "INT", "quit": "QUIT", "terminate": "TERM", "user1": "USR1",
        ]
        let source = try Self.text("Sources/Service/Supervisor/Supervisor+Starting.swift")
        let list = try #require(source.firstMatch(of: /receiving: \[([^\]]+)\]/)).output.1
        // The kernel sends CHLD when a child ends. Nobody else does.
        let cases = Set(list.matches(of: /\.(\w+)/).map { String($0.output.1) }).subtracting(["child"])
        let received = Set(try cases.map { try #require(names[$0], "\($0)") })
        let page = try Self.section("SIGNALS", of: try ManualPage.text("retentiond.8.md"))
        let rows = Self.rows("signal", in: page)
        #expect(rows.reduce(into: Set()) { $0.formUnion(Self.signals(in: $1.first[...])) } == received)
        let line = try #require(try Self.usage().firstRange(of: "Signals: "))
        #expect(Self.signals(in: try Self.usage()[line.upperBound...]) == received)
    }

    /// Returns the numbers in the code of a file that are exit statuses of retentiond.
    static func statuses(in source: SwiftSource) -> Set<String> {
        var found: Set<String> = []
        for line in source.code {
            for match in line.matches(
                of: /(?:return |exit\(|[sS]tatus = |Int32 = |exitStatus: |\?\? |^ *case .*: )([0-9]{1,2})\b/
            ) {
                found.insert(String(match.output.1))
            }
            if let both = line.firstMatch(of: /\? ([0-9]{1,2}) : ([0-9]{1,2})\b/) {
                found.formUnion([String(both.output.1), String(both.output.2)])
            }
        }
        return found
    }

    @Test("name every exit status of retentiond, and no other status")
    func statuses() throws {
        // LoaderProcess is left out: only the supervisor sees how a loader ends.
        let program = ["Daemon", "CheckCommand", "CGIProcess", "WorkerProcess"]
        let sources = try SwiftSource.all(in: ["Sources/Commands/retentiond", "Sources/Service/Supervisor"])
        var statuses: [String: Set<String>] = [:]
        for source in sources {
            let name = String(source.path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
            if (program + ["SupervisorError"]).contains(name) {
                statuses[name] = Self.statuses(in: source)
            } else if source.place?.target == "Supervisor" {
                // The state of the pool says how a pool ends that could not start.
                let lines = source.code.filter { $0.contains(/exitStatus(?:: Int32)? =/) }
                statuses[name] = Self.statuses(in: SwiftSource(path: source.path, lines: lines))
            }
        }
        for name in program + ["SupervisorError"] { #expect(statuses[name]?.isEmpty == false, "\(name)") }
        let page = try Self.section("EXIT STATUS", of: try ManualPage.text("retentiond.8.md"))
        let rows = Self.rows("status", in: page)
        #expect(Set(rows.map(\.first)) == statuses.values.reduce(into: Set()) { $0.formUnion($1) })
        for row in rows {
            let isOfCGI = statuses["CGIProcess"]?.contains(row.first) == true
            #expect(row.rest.contains("**--cgi**") == isOfCGI, "\(row.first)")
        }
    }

    @Test("name every exit status of examples/push, and no other status")
    func push() throws {
        let lines = try Self.text("examples/push").split(separator: "\n")
        let documented = lines.compactMap { line in
            line.wholeMatch(of: /#     (\d+) +[A-Z].*/).map { String($0.output.1) }
        }
        var ended: Set<String> = []
        for line in lines where !line.hasPrefix("#") {
            ended.formUnion(line.matches(of: /\b(?:exit |status=)(\d+)\b/).map { String($0.output.1) })
        }
        #expect(Set(documented) == ended)
        let page = try ManualPage.text("retention-operations.7.md")
        let rows = Self.rows("status", in: try Self.section("PUBLISHING RULES AND FACTS", of: page))
        #expect(rows.map(\.first) == documented)
    }
}
