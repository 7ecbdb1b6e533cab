internal import Answers
internal import ArgumentParser
internal import DataFiles
internal import Decisions
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Decides about one request as the service would, and shows every step.
struct Explain: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows step by step how a request is decided, and the answer that would be sent.",
        discussion: """
            Takes a compiled file or its source. App and environment are the file's own unless they are given. Where \
            nothing is served the service answers 503, and Apple goes on with its own fallback: the message of App \
            Store Connect, then the default message. Ends with 0 in either case.

            Example:
              retentionctl explain rules.json --product pro_monthly --locale de-AT --at 2026-11-21T00:00:00Z
            """
    )

    @Argument(help: "The compiled file or the rules in JSON; - for standard input.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The product the subscriber is on.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("The locale of the subscriber's device.", valueName: "locale"))
    var locale = "en-US"

    @Option(help: ArgumentHelp("The subscriber's originalTransactionId.", valueName: "id"))
    var transaction = "1"

    @Option(
        help: ArgumentHelp("When: RFC 3339 or milliseconds since 1970; now if absent.", valueName: "time")
    )
    var at: Moment?

    @Option(help: ArgumentHelp("The appAppleId of the request.", valueName: "number"))
    var app: Int64?

    @Option(help: ArgumentHelp("The environment of the request.", valueName: "name"))
    var environment: Environment?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let rules = try open()
        let request = DecisionRequest(
            appAppleId: app ?? rules.header.appAppleId,
            environment: environment ?? rules.header.environment,
            productId: product,
            userLocale: locale,
            originalTransactionId: transaction,
            nowMilliseconds: at?.milliseconds ?? Clock.wallMilliseconds()
        )
        let explanation = explain(request, facts: .none(ageSeconds: nil), using: rules)
        let answer = Self.answer(to: explanation.decision, rules)
        if output.json {
            let document = Self.json(explanation, rules, answer)
            Console.print(bytes: document.serialized(pretty: true) + [UInt8(ascii: "\n")])
        } else {
            for line in explanation.lines {
                let indent = String(repeating: "  ", count: line.depth)
                Console.print("\(indent)\(line.step): \(line.result)")
            }
            Console.print("answer: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    private func open() throws(ToolFailure) -> RulesFile {
        let bytes = try Input.read(file)
        // A source is text; a compiled file begins with a byte that no text begins with.
        if bytes.first == 0x89 { return try CompiledFile.open(bytes, path: file) }
        let stamp = RulesFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "")
        let compiled: [UInt8]
        do throws(RulesCompilerError) {
            compiled = try RulesCompiler.compile(bytes, stamp: stamp)
        } catch {
            throw ToolFailure(.badData, error.diagnostics.map { Diagnostic($0, file: file) })
        }
        return try CompiledFile.open(compiled, path: file)
    }

    /// What the service would send, byte for byte, with its default settings.
    private static func answer(
        to decision: Decision,
        _ rules: RulesFile
    ) -> (status: Int, body: [UInt8]) {
        if let body = RealtimeResponseBody(decision, in: rules) { return (200, body.json) }
        return (Problem.noAnswer.status, ProblemDocument.body(of: .noAnswer))
    }

    private static func json(
        _ explanation: Explanation,
        _ rules: RulesFile,
        _ answer: (status: Int, body: [UInt8])
    ) -> JSONNode {
        let decision = explanation.decision
        func text(_ value: String?) -> JSONNode { value.map { .string($0) } ?? .null }
        let steps = explanation.lines.dropLast().map { line in
            JSONNode.object([
                ("depth", .integer(Int64(line.depth))), ("step", .string(line.step)),
                ("result", .string(line.result)),
            ])
        }
        return .object([
            ("steps", .array(steps)),
            ("reason", .string(decision.reason.rawValue)),
            ("rule", text(decision.ruleID(in: rules))),
            ("message", text(decision.messageName(in: rules))),
            ("locale", text(decision.localeUsed(in: rules))),
            (
                "answer",
                .object([
                    ("status", .integer(Int64(answer.status))),
                    ("body", .string(String(decoding: answer.body, as: UTF8.self))),
                ])
            ),
        ])
    }
}
