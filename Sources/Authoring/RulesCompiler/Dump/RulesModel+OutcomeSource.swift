internal import DataFiles
internal import JSON

extension RulesModel {
    /// `serve` as a source has it.
    func source(of outcome: Outcome) -> JSONNode {
        switch outcome {
        case .nothing: return .string("none")
        case .message(let message): return .object([("message", messageName(message))])
        case .switch(let message, let productId, let plan):
            var members = [("switch", messageName(message)), ("productId", .string(productId))]
            if let plan { members.append(("billingPlanType", .string(plan.rawValue))) }
            return .object(members)
        case .offer(let message, let productId, let offerIdentifier):
            return .object([
                ("offer", messageName(message)), ("productId", .string(productId)),
                ("offerIdentifier", .string(offerIdentifier)),
            ])
        case .advancedCommerce(let message, let request):
            return .object([("advancedCommerce", messageName(message)), ("request", Self.object(request))])
        }
    }

    /// The name of a message; its number where there is none.
    func messageName(_ index: Int) -> JSONNode {
        .string(messages.indices.contains(index) ? messages[index].name : "\(index)")
    }

    /// The object that a text of the file is; a file that was not compiled here may have another text, which is shown
    /// as it is.
    private static func object(_ text: String) -> JSONNode {
        let limits = JSONLimits(
            byteCount: RulesCompilerLimits.sourceByteCount,
            depth: RulesCompilerLimits.jsonDepth
        )
        guard let document = try? JSONDocument(parsing: text.utf8Span.span, limits: limits) else {
            return .string(text)
        }
        return JSONNode(document.root)
    }
}
