internal import Authoring
internal import Facts
internal import JSON
internal import Rules
internal import System

/// The body of the rules source fuzzer: reads any bytes as the loader does, and decides with what can be read. The resolved form must resolve to the same bytes, and lint must accept a source that can be read.
/// Nothing may trap or hang.
package func fuzzRulesSource(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    guard let model = try? RulesSource.read(source) else { return }
    guard let resolved = try? RulesCompiler.resolve(source) else {
        preconditionFailure("the compiler refuses what the loader reads")
    }
    precondition(resolved.model == model, "the compiler reads something else than the loader")
    let again = try? RulesCompiler.resolve(resolved.text)
    precondition(again?.text == resolved.text, "the resolved rules resolve to others")
    precondition((try? Lint.findings(in: source, now: 0)) != nil, "lint refuses a source that compiles")
    exercise(resolved.file)
    _ = EmbeddedTests.run(model, resolved.file).map(\.passes)
}

/// Makes decisions for strings of the file, so that some rules match, and for a string that is not in the file.
private func exercise(_ file: RulesFile) {
    _ = (file.bundleId, file.revision, file.ruleID(at: file.ruleCount - 1), file.messageName(at: 0))
    let known = (UInt32(0)..<8).compactMap { file.string(EntryReference($0)) }
    for (index, text) in (known + ["unknown"]).enumerated() {
        let request = DecisionRequest(
            appAppleId: file.appAppleId, environment: file.environment, productId: text,
            userLocale: known.isEmpty ? text : known[(index + 1) % known.count], originalTransactionId: text,
            nowMilliseconds: Int64(index) * 1_000_000_000_000, signing: index % 2 == 0 ? .all : [])
        let facts = facts(index, text, file)
        let decision = decide(request, facts: facts, using: file)
        _ = (decision.ruleID(in: file), decision.messageName(in: file), decision.localeUsed(in: file))
        switch decision.outcome {
        case .serve(.switch(let product, _), _): _ = file.text(at: product)
        case .serve(.offer(let product, let offer), _): _ = (file.text(at: product), file.text(at: offer))
        case .serve(.advancedCommerce(let request), _): _ = file.text(at: request)
        case .serve(.message, _), .nothing: break
        }
        if index == 0 {
            let explanation = explain(request, facts: facts, using: file)
            _ = explanation.lines.count
        }
    }
}

private func facts(_ index: Int, _ text: String, _ file: RulesFile) -> SubscriberFacts {
    if index % 3 == 0 { return .none(ageSeconds: index == 0 ? nil : 60) }
    let values = file.declaredFacts.map { fact -> FactValue? in
        switch fact.kind {
        case .string: .string(text)
        case .date: .date(Int64(index) * 900_000_000_000)
        case .integer: index % 3 == 1 ? .integer(Int64(index)) : nil
        case .boolean: .boolean(index % 2 == 0)
        }
    }
    return .literal(values, ageSeconds: 3600)
}
