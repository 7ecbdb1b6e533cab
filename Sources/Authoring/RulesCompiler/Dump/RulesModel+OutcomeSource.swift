internal import DataFiles
internal import JSON

extension RulesModel {
    /// Returns the value of `serve` for an outcome.
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

    /// Returns the name of a message, or its index when the model has no such message.
    func messageName(_ index: Int) -> JSONNode {
        .string(messages.indices.contains(index) ? messages[index].name : "\(index)")
    }

    /// Parses a JSON text of the file. A file from another writer may hold a text that is not valid JSON; it is
    /// returned as a string.
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
