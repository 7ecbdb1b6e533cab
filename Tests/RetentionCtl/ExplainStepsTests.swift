import JSON
import Support
import Testing

@Suite("The steps that retentionctl explain shows")
struct ExplainStepsTests {
    @Test("are limited in number, however often segments refer to other segments")
    func sharedSegments() throws {
        var segments = [#""s0": {"fact": "inTrial", "eq": true}"#]
        for index in 1..<15 {
            let segment = #"{"segment": "s\#(index - 1)"}"#
            segments.append(#""s\#(index)": {"any": [\#(segment), \#(segment)]}"#)
        }
        let run = try SmallRules.explain([
            "segments": "{\(segments.joined(separator: ","))}",
            "rules": #"[{"id": "r", "when": {"segment": "s14"}, "serve": "none"}]"#,
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("\n  when: unknown (inTrial missing)\n"))
        // A segment is written again below the conditions that refer to it, but not without limit.
        #expect(run.output.contains("…: shown above\n"))
        #expect(run.output.count { $0 == "\n" } < 10_000)
    }

    /// A condition, values of facts, and the result that explain prints for the condition.
    static let conditions: [(String, [String], String)] = [
        (
            #"{"all": [{"any": [{"fact": "inTrial", "eq": true}, {"fact": "productId", "eq": "p"}]},"#
                + #"{"fact": "paidPeriods", "gt": 1}]}"#, [], "unknown (paidPeriods missing)"
        ),
        (
            #"{"any": [{"all": [{"fact": "inTrial", "eq": true}, {"fact": "productId", "eq": "q"}]},"#
                + #"{"not": {"fact": "storefront", "eq": "USA"}}]}"#, [], "unknown (storefront missing)"
        ),
        (
            #"{"all": [{"fact": "paidPeriods", "gt": 1}, {"fact": "inTrial", "eq": true},"#
                + #"{"fact": "paidPeriods", "lt": 9}]}"#, [], "unknown (paidPeriods, inTrial missing)"
        ),
        (
            #"{"all": [{"fact": "paidPeriods", "gt": 1}, {"fact": "inTrial", "eq": true}]}"#,
            ["--fact", "paidPeriods=2"], "unknown (inTrial missing)"
        ),
        (
            #"{"all": [{"fact": "plan", "exists": false}, {"segment": "s"}]}"#, [],
            "unknown (inTrial missing)"
        ),
    ]

    @Test("name only facts whose absence made a condition unknown", arguments: conditions.indices)
    func missing(index: Int) throws {
        let (condition, facts, words) = Self.conditions[index]
        // The second rule uses the result that the segment had in the first rule.
        let run = try SmallRules.explain(
            [
                "segments": #"{"s": {"fact": "inTrial", "eq": true}}"#,
                "rules": #"""
                [{"id": "r", "when": \#(condition), "serve": "none"},
                 {"id": "again", "when": {"segment": "s"}, "serve": "none"}]
                """#,
            ],
            facts
        )
        let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("  when: ") }
        #expect(lines == ["  when: \(words)", "  when: unknown (inTrial missing)"], "\(run.errors)")
    }

    /// Segments whose conditions are groups. They stand after other conditions, refer to each other and are used more
    /// than once.
    private static let segments = [
        "segments": #"""
        {"paying": {"all": [{"fact": "inTrial", "eq": false}, {"fact": "paidPeriods", "gt": 1}]},
         "near": {"any": [{"fact": "storefront", "eq": "CAN"}, {"fact": "storefront", "eq": "USA"}]},
         "both": {"all": [{"fact": "productId", "eq": "p"}, {"segment": "near"}, {"segment": "paying"}]}}
        """#,
        "rules": #"""
        [{"id": "first", "when": {"all": [{"fact": "paidPeriods", "gte": 1}, {"segment": "both"},
                                          {"not": {"segment": "near"}}]}, "serve": "none"},
         {"id": "second", "when": {"segment": "both"}, "serve": "none"}]
        """#,
    ]
    private static let facts = [
        "--fact", "inTrial=false", "--fact", "paidPeriods=3", "--fact", "storefront=USA",
    ]

    @Test("have each condition below its own group or segment")
    func parents() throws {
        let run = try SmallRules.explain(Self.segments, Self.facts)
        let near = { (indent: String) in
            [
                "segment near: true", "  any: true",
                "    storefront eq \"CAN\": false (storefront is USA)",
                "    storefront eq \"USA\": true (storefront is USA)",
            ].map { indent + $0 }
        }
        let both = { (indent: String) in
            ["\(indent)segment both: true", "\(indent)  all: true"]
                + ["\(indent)    productId eq \"p\": true (productId is p)"] + near(indent + "    ")
                + [
                    "segment paying: true", "  all: true", "    inTrial eq false: true (inTrial is false)",
                    "    paidPeriods gt 1: true (paidPeriods is 3)",
                ].map { "\(indent)    \($0)" }
        }
        let expected =
            ["rule: first", "  enabled: yes", "  window: open", "  when: false", "    all: false"]
            + ["      paidPeriods gte 1: true (paidPeriods is 3)"] + both("      ") + ["      not: false"]
            + near("        ") + ["rule: second", "  enabled: yes", "  window: open", "  when: true"]
            + both("    ")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(Array(lines.drop { $0 != "rule: first" }.prefix(expected.count)) == expected)
    }

    @Test("have the same parents in JSON, and separate values")
    func details() throws {
        let text = try SmallRules.explain(Self.segments, Self.facts)
        let run = try SmallRules.explain(Self.segments, Self.facts + ["--json"])
        let steps = try #require(try Tool.document(run).root.member("steps")).elements
        let lines = steps.map { step in
            String(repeating: "  ", count: Int(step.member("depth")?.int64 ?? 0))
                + "\(step.member("step")?.string ?? ""): \(step.member("result")?.string ?? "")"
        }
        #expect(text.output.contains(lines.dropLast(1).joined(separator: "\n")))
        let nodes = steps.compactMap { $0.member("details") }.filter { $0.member("operation") != nil }
        let last = try #require(nodes.last)
        #expect(last.member("operation")?.string == "gt" && last.member("truth")?.string == "true")
        #expect(last.member("fact")?.string == "paidPeriods" && last.member("value")?.int64 == 3)
        #expect(nodes.contains { $0.member("segment")?.string == "paying" })
    }

    @Test("show below the holdout what a held-out subscriber gets")
    func heldOut() throws {
        let run = try SmallRules.explain([
            "holdout": #"{"salt": "h", "basisPoints": 10000, "serve": {"message": "text"}}"#,
            "rules": #"[{"id": "r", "serve": {"switch": "switch", "productId": "q"}}]"#,
        ])
        let steps = run.output.split(separator: "\n").drop { !$0.hasPrefix("holdout: in") }
        #expect(
            steps.dropFirst().prefix(9) == [
                "  approval: yes", "  locale: en-US: found", "rule: r", "  enabled: yes", "  window: open",
                "  when: always", "  approval: yes", "  locale: en-US: found",
                "decision: HOLDOUT: message text en-US 551ee7c0-c097-418e-9dd5-2a98533a7390",
            ],
            "\(run.output)"
        )
        let nothing = try SmallRules.explain([
            "holdout": #"{"salt": "h", "basisPoints": 10000, "serve": "none"}"#
        ])
        let rest = nothing.output.split(separator: "\n").drop { !$0.hasPrefix("holdout: in") }
        #expect(rest.dropFirst().prefix(3) == ["default:", "  approval: yes", "  locale: en-US: found"])
    }

    @Test(
        "end with the service's answer to a request of another app or environment",
        arguments: [
            (["--app", "5"], 403, "app-unknown"),
            (["--app", "5", "--environment", "Sandbox"], 403, "app-unknown"),
            (["--environment", "Sandbox"], 503, "rules-missing"),
            (["--environment", "Sandbox", "--no-answer-empty"], 503, "rules-missing"),
            (["--environment", "Xcode"], 403, "environment-not-configured"),
        ]
    )
    func otherApp(arguments: [String], status: Int, code: String) throws {
        let run = try SmallRules.explain([:], arguments)
        #expect(run.status == 0)
        let answer = run.output.split(separator: "\n").last ?? ""
        #expect(answer.hasPrefix("answer: \(status) {\"status\":\(status),"), "\(answer)")
        #expect(answer.hasSuffix("\"code\":\"\(code)\"}"), "\(answer)")
    }

    @Test("accept no value that is not in the fact's enumeration")
    func enumerations() throws {
        let message = "facts.wrong-value: plan is string: one of a, b\n"
        for (option, value) in [("--fact", "plan=zzz"), ("--facts", #"{"plan": "zzz"}"#)] {
            let run = try SmallRules.explain([:], [option, value])
            #expect(run.status == 65 && run.errors == "\(option): error: \(message)", "\(run.errors)")
        }
        #expect(try SmallRules.explain([:], ["--fact", "plan=b"]).status == 0)
        #expect(try SmallRules.explain([:], ["--fact", "plan="]).status == 0)
    }
}
