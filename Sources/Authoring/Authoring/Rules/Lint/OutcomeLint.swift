internal import JSON
internal import Rules

/// Finds offers without caps, and switches that may lead into another group.
struct OutcomeLint {
    let model: RulesModel
    let findings: Findings

    func check() {
        let products = ProductTable(model.products)
        let segments = SegmentProducts(model.segments)
        let truths = ProductEvaluations(model.segments)
        for (outcome, path, rule) in model.placedOutcomes {
            switch outcome {
            case .offer where model.caps == nil:
                let hint = "\"caps\" say how often a subscriber gets one"
                findings.add(
                    .offerWithoutCap, "an offer without a cap", at: path + [.member("offer")], hint: hint)
            case .switch(_, let target, _):
                let condition = rule.flatMap { model.rules[$0].condition }
                let origin = ProductOrigin(
                    condition, products: ProductSet(condition, segments), truths: truths)
                check(switchTo: target, from: origin, products, path + [.member("productId")])
            case .nothing, .message, .offer, .advancedCommerce: break
            }
        }
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
