internal import DataFiles
internal import JSON

/// Looks at what is served: offers without caps, switches of which cannot be told where they lead, nothing at all.
struct OutcomeLint {
    let model: RulesModel
    let findings: LintFindings

    func check() {
        if model.killSwitch {
            let hint = "set \"killSwitch\" to false to serve messages again"
            findings.add(.killSwitch, "nothing is served", at: [.member("killSwitch")], hint: hint)
        }
        let outcomes = model.placedOutcomes
        if outcomes.allSatisfy({ $0.outcome == .nothing }) {
            findings.add(.servesNothing, "no rule and no default serves a message", at: [])
        }
        let products = ProductTable(model.products)
        let segments = ProductSet.sets(of: model.segments)
        for (outcome, path, rule) in outcomes {
            switch outcome {
            case .offer where model.caps == nil:
                let hint = "\"caps\" say how often a subscriber gets one"
                findings.add(
                    .offerWithoutCap,
                    "an offer without a cap",
                    at: path + [.member("offer")],
                    hint: hint
                )
            case .switch(_, let target, _):
                let origin = ProductSet(rule.flatMap { model.rules[$0].condition }, segments)
                check(switchTo: target, from: origin, products, path + [.member("productId")])
            default: break
            }
        }
    }

    /// The compiler has refused what leads into another group for certain; this is about what cannot be told.
    private func check(
        switchTo target: String,
        from origin: ProductSet,
        _ products: ProductTable,
        _ path: JSONPath
    ) {
        guard let group = products.group(of: target) else {
            let hint = "say it in \"products\""
            findings.add(
                .switchGroup,
                "the subscription group of \"\(target)\" is not known",
                at: path,
                hint: hint
            )
            return
        }
        switch origin {
        case .any:
            let other = products.products.first { $0.group != group }
            guard let other else { return }
            findings.add(
                .switchGroup,
                "subscribers of \"\(other.name)\" may be led into the group \"\(group)\"",
                at: path,
                hint: "name the products of the group in \"when\""
            )
        case .some(let names):
            guard let name = names.sorted().first(where: { products.group(of: $0) == nil }) else { return }
            findings.add(
                .switchGroup,
                "the subscription group of \"\(name)\", on which subscribers are, is not known",
                at: path,
                hint: "say it in \"products\""
            )
        }
    }
}
