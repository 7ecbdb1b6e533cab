internal import DataFileWriting
internal import DataFiles
internal import Decisions
internal import Vocabulary

/// The body of the rules file fuzzer: opens any bytes as a rules file and makes decisions with each file that the full
/// check accepts. It does the same with right checksums, because a fuzzer does not find those. Nothing may trap or hang.
public func fuzzRulesFile(_ bytes: Span<UInt8>) {
    forEachCheck(of: bytes, exercise)
}

private func exercise(_ bytes: [UInt8], _ check: DataFileCheck) {
    guard let file = try? RulesFile(bytes: bytes, check: check), check == .full else { return }
    exercise(file)
    let model = RulesModel(reading: file)
    let stamp = DataFileStamp(
        generation: file.header.generation, builtAtMilliseconds: file.header.builtAtMilliseconds,
        writerVersion: file.header.writerVersion)
    let again = try? RulesFile(bytes: RulesFileWriter.write(model, stamp: stamp), check: .full)
    precondition(again != nil, "a good file is refused after it was read and written again")
    _ = EmbeddedTests.run(file).map(\.passes)
}

/// Makes decisions for strings of the file, so that some rules match, and for a string that is not in the file.
private func exercise(_ file: RulesFile) {
    _ = (file.bundleId, file.revision, file.ruleID(at: file.ruleCount - 1), file.messageName(at: 0))
    let known = (0..<UInt32(min(file.tables.strings.count, 8))).compactMap { file.string(EntryReference($0)) }
    for (index, text) in (known + ["unknown"]).enumerated() {
        let request = DecisionRequest(
            appAppleId: file.header.appAppleId, environment: file.header.environment, productId: text,
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
