import Cryptography
import JSON
import Support
import Testing

@Suite("retentionctl diff")
struct DiffTests {
    private let folder: TemporaryDirectory
    private static let rules = AnnualUpsell.rules

    /// Requests in all forms that a request in a sample can have.
    private static let requests = #"""
        {"productId":"pro_monthly","userLocale":"en-US","originalTransactionId":"2000000001","now":"2026-11-21T00:00:00Z","facts":{"paidPeriods":6,"inTrial":false,"storefront":"USA"}}
        {"productId":"pro_monthly","userLocale":"de-DE","originalTransactionId":"2000000001","now":1795219200000,"facts":{"paidPeriods":0,"inTrial":true}}

        {"productId":"pro_monthly","userLocale":"en-US","originalTransactionId":"2000000003","now":"2026-11-21T00:00:00Z"}
        {"originalTransactionId":"2000000001","appAppleId":6745974591,"productId":"pro_monthly","userLocale":"en-US","requestIdentifier":"3db5c98d-8acf-4e29-831e-8e1f00000001","environment":"Production","signedDate":1795219200000}
        {"originalTransactionId":"2000000001","appAppleId":6745974592,"productId":"pro_monthly","userLocale":"en-US","environment":"Production"}
        {"originalTransactionId":"2000000001","appAppleId":6745974591,"productId":"pro_monthly","userLocale":"en-US","environment":"Sandbox"}
        {"productId":"pro_monthly","userLocale":"fr-FR","originalTransactionId":"2000000006","facts":{"inTrial":null}}
        """#

    init() throws {
        folder = try TemporaryDirectory()
        // The new rules have another text in German, draw the offer instead of the switch, hold nobody out, and test
        // whether inTrial is known instead of its value.
        let old = String(decoding: try SourceFile.read(Self.rules), as: UTF8.self)
        let new = old.replacing(
            "12e6970f-0000-4000-8000-000000000001", with: "12e6970f-0000-4000-8000-000000000002"
        )
        .replacing(#""name": "switch", "weight": 5000"#, with: #""name": "switch", "weight": 1"#)
        .replacing(
            #""name": "offer",\#n            "weight": 5000"#,
            with: #""name": "offer", "weight": 9999"#
        )
        .replacing(#""basisPoints": 1000, "serve": "none""#, with: #""basisPoints": 0, "serve": "none""#)
        .replacing(#""fact": "inTrial", "eq": true"#, with: #""fact": "inTrial", "exists": true"#)
        let start = try #require(new.firstRange(of: ",\n  \"tests\": [")).lowerBound
        try folder.write(String(new[..<start]) + "}\n", to: "new.json")
        try folder.write(Self.requests, to: "requests.ndjson")
    }

    private var new: String { folder.path(of: "new.json") }
    private var sample: String { folder.path(of: "requests.ndjson") }

    private func diff(_ arguments: [String] = [], sample: String? = nil, input: [UInt8] = []) throws
        -> ProgramRun
    {
        let at = ["--sample", sample ?? self.sample] + AnnualUpsell.at
        return try Tool.run(["diff", Self.rules, new] + at + arguments, input: input)
    }

    /// Compares the output with a golden file, without the folder, which has another name in each run.
    private func check(_ run: ProgramRun, _ name: String, unknown: String? = nil) throws {
        let errors = run.errors.replacing(folder.path + "/", with: "")
        let warning = unknown.map { count in
            "warning: diff.facts-unknown: the rules read facts, which are not known for \(count) requests: "
                + "the counts and shares are not those of the service"
        }
        #expect(warning.map(errors.contains) ?? errors.isEmpty, "\(errors)")
        let text = run.output.replacing(folder.path + "/", with: "")
        try GoldenFile.check(text, "Tests/RetentionCtl/Golden/\(name)")
    }

    @Test("reads a sample with a byte order mark")
    func byteOrderMark() throws {
        try folder.write("\u{FEFF}" + Self.requests, to: "marked.ndjson")
        let marked = try diff(["--json"], sample: folder.path(of: "marked.ndjson"))
        #expect(marked.status == 0, "\(marked.errors)")
        #expect(marked.output.replacing("marked", with: "requests") == (try diff(["--json"]).output))
    }

    @Test("shows how many answers change, the old and the new answers, and examples")
    func requests() throws {
        let run = try diff()
        #expect(run.status == 0)
        try check(run, "diff-requests.txt", unknown: "2 of 5")
        try check(try diff(["--json"]), "diff-requests.json")
        try check(try diff(["--facts", try AnnualUpsell.facts(in: folder)]), "diff-facts.txt")
    }

    @Test("ends with 1 when an answer changes and --exit-code is given")
    func status() throws {
        #expect(try diff(["--exit-code"]).status == 1)
        let same = try Tool.run([
            "diff", Self.rules, Self.rules, "--sample", sample, "--exit-code", "--at", "2026-11-21T00:00:00Z",
        ])
        #expect(same.status == 0)
        #expect(same.output.contains("5 requests, 0 answers change (0.0 %), MISLEADING"))
    }

    @Test("reads compiled files and standard input too")
    func compiled() throws {
        let paths = (old: folder.path(of: "old.rules.json"), new: folder.path(of: "new.rules.json"))
        for (source, path) in [(Self.rules, paths.old), (new, paths.new)] {
            try #require(try Tool.run(["compile", source, "-o", path]).status == 0)
        }
        let run = try Tool.run(
            ["diff", paths.old, paths.new, "--sample", "-", "--at", "2026-11-21T00:00:00Z"],
            input: Array(Self.requests.utf8))
        #expect(run.output == (try diff().output.replacing(sample, with: "-")))
    }

    /// Records of a decision log, for the first four subscribers of the table.
    private func log(_ key: [UInt8]) throws -> String {
        let code = try HMACSHA256(key: key.span)
        return try ["2000000001", "2000000002", "2000000003", "2000000004"].enumerated().map {
            index,
            subscriber in
            let name = try code.authenticate(Array(subscriber.utf8).span).hexadecimal.prefix(32)
            let decided =
                [
                    #""rule":"annual_upsell","arm":"switch","reason":"SPLIT""#,
                    #""rule":null,"arm":null,"reason":"DEFAULT""#,
                    #""rule":"no_offer_in_trial","arm":null,"reason":"TARGETING_MATCH""#,
                    #""rule":"annual_upsell","arm":"switch","reason":"SPLIT""#,
                ][index]
            let request =
                #"{"time":"2026-11-21T00:00:0\#(index)Z","requestIdentifier":"3db5c98d-8acf-4e29-831e-8e1f00000001""#
                + #","subscriber":"\#(name)","app":6745974591,"environment":"Production","product":"pro_monthly""#
            let numbers = #""verifyMicroseconds":60,"totalMicroseconds":90"#
            return request + #","locale":"en-US",\#(decided),"served":null,\#(numbers)}"# + "\n"
        }.joined()
    }

    @Test("reads a decision log, and finds its subscribers in the facts with the key")
    func decisionLog() throws {
        let key = [UInt8](0..<32)
        try folder.write("\(Hexadecimal.encode(key.span))\n", to: "key")
        try folder.write(try log(key), to: "decisions.ndjson")
        let log = folder.path(of: "decisions.ndjson")
        let alone = try diff(sample: log).output
        try check(try diff(sample: log), "diff-log.txt", unknown: "4 of 4")
        // The facts alone do not help: without the key, diff cannot find the subscriber of a record.
        let facts = ["--facts", try AnnualUpsell.facts(in: folder)]
        let unknown = try diff(facts, sample: log)
        #expect(unknown.output == (try diff(sample: log)).output)
        #expect(unknown.errors.hasSuffix(" (give --identifier-key)\n"), "\(unknown.errors)")
        let known = [
            "--facts", try AnnualUpsell.facts(in: folder), "--identifier-key", folder.path(of: "key"),
        ]
        try check(try diff(known, sample: log), "diff-log-known.txt")
        // The lines about rules and about the end of a worker are not requests.
        let (rules, end) = (#"{"rules":"00","app":6745974591,"product":"p"}"#, #"{"end":"00","sequence":4}"#)
        try folder.write("\(rules)\n\(try self.log(key))\(end)\n", to: "decisions.ndjson")
        #expect(try diff(sample: log).output == alone)
        // Neither are lines that a full disk cut short, alone or with the next one behind them.
        let lines = try self.log(key).split(separator: "\n")
        let count = lines.count + 1
        for length in [1, 2, 8, 9, 100] {
            var torn = lines.map { "\($0)\n\($0.prefix(length))\n\n" }.joined()
            torn += "\(lines[0].prefix(length))\(lines[1])\n"
            try folder.write(torn, to: "decisions.ndjson")
            let output = try diff(sample: log).output
            let note = "\(count) broken lines of the log left out\n"
            #expect(output.contains("\n" + note), "cut after \(length) bytes")
            #expect(output.replacing(note, with: "") == alone, "cut after \(length) bytes")
        }
        try folder.write("secret", to: "key")
        let bad = try diff(known, sample: log)
        #expect(bad.status == 65 && bad.errors.contains("diff.bad-identifier-key"), "\(bad.errors)")
    }

    @Test("names every bad line and what is wrong with it")
    func badLines() throws {
        let lines = [
            "{", #"{"productId":"p","userLocale":"en-US"}"#,
            #"{"productId":1,"userLocale":"en-US","originalTransactionId":"1"}"#,
            #"{"productId":"p","userLocale":"en-US","originalTransactionId":"1","now":"soon"}"#,
            #"{"productId":"p","userLocale":"en-US","originalTransactionId":"1","facts":{"inTrail":true}}"#,
            #"{"productId":"p","userLocale":"en-US","originalTransactionId":"1","facts":{"inTrial":"no"}}"#,
            #"{"product":"p","locale":"en-US"}"#, "[]",
            #"{"productId":"p","userLocale":"en-US","originalTransactionId":"1","environment":"Test"}"#,
        ]
        let run = try diff(sample: "-", input: Array(lines.joined(separator: "\n").utf8))
        #expect(run.status == 65)
        #expect(
            run.errors == """
                -:1:2: error: json.syntax: ends too early
                -:2:1: error: sample.unusable: "originalTransactionId" is missing
                -:3:14: error: sample.unusable: productId is not a text
                -:4:73: error: sample.unusable: now is not a date as 2026-11-21T00:00:00Z, or milliseconds since 1970
                -:5:76: error: sample.unusable: the rules declare no fact "inTrail" (did you mean "inTrial"?)
                -:6:86: error: sample.unusable: inTrial is not true or false
                -:7:1: error: sample.unusable: "subscriber" is missing
                -:8:1: error: sample.unusable: a line is not an object
                -:9:81: error: sample.unusable: environment is not one of Apple's

                """
        )
    }

    @Test("refuses samples and rules that cannot be compared")
    func refusals() throws {
        let empty = try diff(sample: "-")
        #expect(empty.status == 65 && empty.errors == "-: error: sample.unusable: no request\n")
        let others = String(Self.requests.split(separator: "\n")[4])
        let none = try diff(sample: "-", input: Array(others.utf8))
        #expect(none.errors == "-: error: sample.unusable: no request, 1 of other apps and environments\n")
        let hello = SourceFile.root + "/examples/rules/quickstart.json"
        let other = try Tool.run(["diff", Self.rules, hello, "--sample", sample])
        #expect(other.status == 65 && other.errors.contains("input.other-app"), "\(other.errors)")
        #expect(try diff(sample: folder.path(of: "none")).status == 65)
        #expect(try diff(["--examples", "-1"]).status == 64)
        #expect(try diff(["--identifier-key", "key"]).status == 64)
        #expect(try Tool.run(["diff", "-", "-", "--sample", sample]).status == 64)
        let hinted = try diff(
            ["--json"],
            sample: "-",
            input: Array(
                #"{"productId":"p","userLocale":"en-US","originalTransactionId":"1","facts":{"inTrail":true}}"#
                    .utf8
            )
        )
        let finding = try Tool.document(hinted).root.member("diagnostics")?.element(at: 0)
        #expect(finding?.member("message")?.string == "the rules declare no fact \"inTrail\"")
        #expect(finding?.member("hint")?.string == "did you mean \"inTrial\"?")
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20)
        #expect(try diff(sample: "-", input: long).errors.contains("-:1: error: sample.unusable"))
    }
}
