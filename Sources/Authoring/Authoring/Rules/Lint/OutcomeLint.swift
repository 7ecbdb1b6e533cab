internal import JSON
internal import Rules

/// Checks the outcomes. Finds offers without caps or with a cap that some subscribers never pass, switches that may
/// lead into another group, and rules that serve nothing.
struct OutcomeLint {
    let model: RulesModel
    let findings: Findings

    func check() {
        if model.killSwitch {
            let hint = "set \"killSwitch\" to false to serve messages again"
            findings.add(.killSwitch, "nothing is served", at: [.member("killSwitch")], hint: hint)
        }
        checkCaps()
        let outcomes = model.placedOutcomes
        if outcomes.allSatisfy({ $0.outcome == .nothing }) {
            findings.add(.servesNothing, "no rule and no default serves a message", at: [])
        }
        let products = ProductTable(model.products)
        let segments = SegmentProducts(model.segments)
        let truths = ProductEvaluations(model.segments)
        for (outcome, path, rule) in outcomes {
            switch outcome {
            case .offer where model.caps == nil:
                let hint = "\"caps\" say how often a subscriber gets one"
                findings.add(
                    .offerWithoutCap, "an offer without a cap", at: path + [.member("offer")], hint: hint)
            case .switch(_, let target, let plan):
                let condition = rule.flatMap { model.rules[$0].condition }
                let origin = ProductSet(condition, segments)
                let path = path + [.member("productId")]
                let whole = ProductOrigin(condition, products: origin, truths: truths)
                check(switchTo: target, from: whole, products, path)
                // A switch to another billing plan of the same product is a real switch.
                if plan == nil, case .some(let names) = origin, names.contains(ByteComparedString(target)) {
                    let text = "subscribers of \"\(target)\" are led to \"\(target)\""
                    findings.add(.switchToSame, text, at: path)
                }
            case .advancedCommerce(_, let request): check(request: request, path + [.member("request")])
            case .nothing, .message, .offer: break
            }
        }
    }

    /// Warns when the offer of an Advanced Commerce request has another reason than RETENTION.
    private func check(request: String, _ path: JSONPath) {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.requestByteCount, depth: RulesSourceLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: request.utf8Span.span, limits: limits),
            let offer = document.root.member("changeItems")?.element(at: 0)?.member("offer"),
            let reason = offer.member("reason")?.string, reason != AdvancedCommerceCheck.retentionReason
        else { return }
        findings.add(
            .offerReason, "an offer with the reason \(reason) beside a retention message",
            at: path + [.member("changeItems"), .index(0), .member("offer"), .member("reason")],
            hint: "Apple's word for it is \(AdvancedCommerceCheck.retentionReason)")
    }

    private func checkCaps() {
        guard let caps = model.caps, caps.acceptedFact == nil, !caps.allowsUnknown else { return }
        findings.add(
            .capWithoutCount,
            "a subscriber who never had an offer has no date of the last one, and is refused for ever",
            at: [.member("caps"), .member("offer"), .member("minDaysSinceLast")], isKey: true,
            hint: "declare the fact \"\(CapsReader.acceptedFact)\", whose 0 says so, or set \"whenUnknown\"")
    }

    /// Warns when a switch may lead into another group, or when this cannot be told. The compiler has already refused
    /// switches that certainly lead into another group.
    private func check(
        switchTo target: String, from origin: ProductOrigin, _ products: ProductTable, _ path: JSONPath
    ) {
        guard let group = products.group(of: target) else {
            let hint = "say it in \"products\""
            findings.add(
                .switchGroup, "the subscription group of \"\(target)\" is not known", at: path, hint: hint)
            return
        }
        switch origin.products {
        case .any:
            let other = products.products.first { product in
                products.group(of: product.name) != group && origin.mayBe(product.name) ?? false
            }
            guard let other else { return }
            findings.add(
                .switchGroup, "subscribers of \"\(other.name)\" may be led into the group \"\(group.text)\"",
                at: path, hint: "name the products of the group in \"when\"")
        case .some(let names):
            guard let name = names.sorted().first(where: { products.group(of: $0.text) == nil }) else {
                return
            }
            findings.add(
                .switchGroup,
                "the subscription group of \"\(name.text)\", on which subscribers are, is not known",
                at: path, hint: "say it in \"products\"")
        }
    }
}
