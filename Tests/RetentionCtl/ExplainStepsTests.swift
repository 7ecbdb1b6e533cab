import Support
import Testing

@Suite("The steps that retentionctl explain shows", .timeLimit(.minutes(1)))
struct ExplainStepsTests {
    @Test("come from each segment once, however often others refer to it")
    func sharedSegments() throws {
        var segments = [#""s0": {"fact": "inTrial", "eq": true}"#]
        for index in 1..<64 {
            let segment = #"{"segment": "s\#(index - 1)"}"#
            segments.append(#""s\#(index)": {"any": [\#(segment), \#(segment)]}"#)
        }
        let run = try SmallRules.explain([
            "segments": "{\(segments.joined(separator: ","))}",
            "rules": #"[{"id": "r", "when": {"segment": "s63"}, "serve": "none"}]"#,
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("\n  when: unknown (inTrial missing)\n"))
    }

    /// A condition, values of facts, and what is said of it.
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
        // The second rule takes what the segment came to in the first.
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

    @Test("put what one who is held out gets below the holdout")
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
        "end with what the service says to a request of another app or environment",
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

    @Test("take no value that is outside an enumeration of the source")
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
