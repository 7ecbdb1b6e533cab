import Facts
import HTTPLoad
import Support
import System
import Testing

/// The rules that the pool serves: nothing for one product, and one message for all others. The two generations differ
/// only in the message, so that every answer shows which generation it came from.
enum TestRules: String, Sendable, CaseIterable {
    case old = "551ee7c0-c097-418e-9dd5-2a98533a7390"
    case new = "12e6970f-0000-4000-8000-000000000001"

    /// The exact body of the answer.
    var answer: String { #"{"message":{"messageIdentifier":"\#(rawValue)"}}"# }

    /// The rules of the other generation.
    var other: TestRules { self == .old ? .new : .old }

    /// The bytes that are pushed.
    var pushed: [UInt8] {
        let silent =
            #"{"id": "silent", "when": {"fact": "productId", "eq": "\#(TestPayload.silentProduct)"}, "serve": "none"}"#
        return Self.text(
            ["value": rawValue], #""rules": [\#(silent)], "default": {"serve": {"message": "value"}}"#)
    }

    /// Rules with these text messages and further members.
    static func text(
        _ messages: KeyValuePairs<String, String>, _ members: String, app: Int64 = TestPayload.appAppleId,
        bundleId: String = "com.example.app"
    ) -> [UInt8] {
        let list = messages.map { #""\#($0)": {"kind": "text", "ids": {"en-US": "\#($1)"}}"# }
        let text = """
            {"format": 1, "app": {"appAppleId": \(app), "bundleId": "\(bundleId)"}, "environment": "Production",
             "locales": {"last": "en-US"}, "messages": {\(list.joined(separator: ", "))}, \(members)}
            """
        return Array(text.utf8)
    }

    /// Pushes the file as rsync does: writes it under another name, which the daemon ignores, and renames it.
    func push(to tester: Tester) throws {
        try AtomicFile.write(pushed.span, to: tester.rulesPath)
    }
}

/// Facts of the subscribers in these tests, and rules that use these facts: a subscriber with the plan `old` gets the
/// old message of ``TestRules``, every other subscriber gets the new message.
enum TestFacts {
    static let columns: [FactsBuilder.Column] = [
        .init(name: "paidPeriods", kind: .integer), .init(name: "plan", kind: .string),
    ]

    /// Pushes the rules that test the plan.
    static func pushRules(to tester: Tester) throws {
        let rule = #"{"id": "old_plan", "when": {"fact": "plan", "eq": "old"}, "serve": {"message": "old"}}"#
        let text = TestRules.text(
            ["old": TestRules.old.rawValue, "new": TestRules.new.rawValue],
            #""facts": {"plan": "string"}, "rules": [\#(rule)], "default": {"serve": {"message": "new"}}"#)
        try AtomicFile.write(text.span, to: tester.rulesPath)
    }

    /// The bytes of a facts file in which all subscribers have this plan.
    static func compiled(plan: TestRules, columns: [FactsBuilder.Column] = columns) throws -> [UInt8] {
        var builder = FactsBuilder(columns: columns)
        let text = plan == .old ? "old" : "new"
        for number in 0..<2000 {
            builder.set(Int64(number % 30), column: 0)
            if columns.count > 1 { try builder.set(text.utf8Span.span, column: 1) }
            builder.commit(key: 2_000_000_000 + UInt64(number), line: number + 2)
        }
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: TestPayload.appAppleId, environment: .production,
            stamp: DataFileStamp(builtAtMilliseconds: Clock.wallMilliseconds(), writerVersion: "tests"))
        try builder.write(making, to: &output)
        return output.bytes
    }

    static func path(_ tester: Tester) -> String { tester.folder.path(of: "data/app.facts") }
}

/// Requests for load: whole HTTP requests with signed bodies.
enum TestTraffic {
    static let path = "/retention-message"

    /// Valid requests, each with its own payload and signature.
    static func valid(_ forge: ZooForge, count: Int = 64) throws -> [[UInt8]] {
        try (1...count).map { number in
            let payload = TestPayload.request(signedDate: forge.now, identifier: number)
            return RequestText.post(path, try forge.trusted.body(payload))
        }
    }
}

/// What is pushed and then loaded by a HUP: a rules file, or facts that choose between the two messages.
enum Pushed: String, Sendable, CaseIterable {
    case rules
    case facts

    func path(_ tester: Tester) -> String { self == .rules ? tester.rulesPath : TestFacts.path(tester) }

    /// Writes the file as rsync does: under another name, which the daemon ignores, and renames it.
    func push(_ plan: TestRules, to tester: Tester) throws {
        let bytes = try self == .rules ? plan.pushed : TestFacts.compiled(plan: plan)
        try AtomicFile.write(bytes.span, to: path(tester))
    }

    /// Runs `body` with a pool that serves the old message.
    func run(_ body: (Tester) throws -> Void) throws {
        try Tester.run() { tester in
            if self == .facts {
                try TestFacts.pushRules(to: tester)
                try push(.old, to: tester)
                try tester.reload()
                #expect(try tester.hasSwitched(to: .old))
            }
            try body(tester)
        }
    }
}
