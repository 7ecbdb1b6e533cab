public import DataFiles
internal import Decisions
internal import JSON

/// Looks for what waits for Apple's approval.
struct ApprovalLint {
    let model: RulesModel
    let findings: LintFindings

    func check() {
        var isMasked = false
        for message in model.messages {
            let masked = message.identifiers.count(where: \.isMasked)
            isMasked = isMasked || masked > 0
            guard masked > 0, masked == message.identifiers.count else { continue }
            findings.add(
                .maskedMessage,
                "\"\(message.name)\" is never served: Apple has approved none of its identifiers",
                at: [.member("messages"), .member(message.name)],
                isKey: true
            )
        }
        guard isMasked, !model.tests.isEmpty else { return }
        // What is never written needs no stamp of its own.
        let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "lint")
        let bytes = RulesFileWriter.write(model, stamp: stamp)
        // A file that was just written opens; were it not so, the compiler would say why.
        guard let file = try? RulesFile(bytes: bytes, check: .structure) else { return }
        Self.checkTests(of: file, findings)
    }

    static func checkTests(of file: RulesFile, _ findings: LintFindings) {
        for test in EmbeddedTests.run(file) where test.awaitsApproval {
            let differences = test.differences.map(\.description).joined(separator: "; ")
            findings.add(
                .testAwaitsApproval,
                "the test \"\(test.name)\" passes once Apple has approved what it expects: \(differences)",
                at: [.member("tests"), .index(test.index), .member("expect")]
            )
        }
    }
}

extension Lint {
    /// The embedded tests of a compiled file that pass only when Apple has approved what is masked in it, with their
    /// places in the source. They are not among ``RulesCompiler/failedTests(of:source:)``.
    public static func testsAwaitingApproval(of file: RulesFile, source: [UInt8]) -> [LintFinding] {
        let findings = LintFindings(source: source)
        ApprovalLint.checkTests(of: file, findings)
        return findings.sorted
    }
}
