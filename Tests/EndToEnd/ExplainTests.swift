import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("An explanation")
    struct ExplainTests {
        /// Runs `retentionctl` and returns what it printed.
        private static func tool(_ arguments: [String]) throws -> String {
            let run = try Programs.run(Programs.tool(), arguments)
            guard run.status == 0 else { throw Complaint("\(arguments): \(run.errors)") }
            return run.output
        }

        @Test("shows byte for byte what the pool sends")
        func bytes() throws {
            let examples = SourceFile.root + "/examples"
            let source = examples + "/rules/annual-upsell.json"
            try Tester.run { tester in
                let facts = TestFacts.path(tester)
                _ = try Self.tool(["compile", source, "-o", tester.rulesPath])
                _ = try Self.tool([
                    "facts", "build", examples + "/facts/subscribers.csv", "--schema", source, "-o", facts,
                ])
                let former = try tester.workers
                try tester.reload()
                try tester.awaitOthers(than: former)
                var bodies: Set<String> = []
                for number in 2_000_000_001...2_000_000_012 {
                    for locale in ["en-US", "de-DE"] {
                        let payload = tester.forge.payload.setting("originalTransactionId", "\"\(number)\"")
                            .setting("userLocale", "\"\(locale)\"")
                        let answer = try #require(tester.post(try tester.forge.body(payload)))
                        let text = try Self.tool([
                            "explain", tester.rulesPath, "--no-key", "--product", "pro_monthly",
                            "--locale", locale,
                            "--subscriber", "\(number)", "--facts", facts,
                        ])
                        #expect(text.hasSuffix("\nanswer: \(answer.status) \(answer.body)\n"), "\(number)")
                        bodies.insert(answer.body)
                    }
                }
                #expect(bodies.count >= 3, "at least the text, its German version, and nothing: \(bodies)")
            }
        }
    }
}
