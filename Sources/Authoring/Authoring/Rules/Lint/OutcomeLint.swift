internal import JSON
internal import Rules

struct OutcomeLint {
    let model: RulesModel
    let findings: Findings

    func check() {
        let products = ProductTable(model.products)
        let segments = model.segmentProducts
        for (outcome, path, rule) in model.placedOutcomes {
            switch outcome {
            case .offer where model.caps == nil:
                let hint = "\"caps\" say how often a subscriber gets one"
                findings.add(
                    .offerWithoutCap, "an offer without a cap", at: path + [.member("offer")], hint: hint)
            case .switch(_, let target, _):
                let condition = rule.flatMap { model.rules[$0].condition }
                let origin = ProductOrigin(condition, model.segments, segments)
                check(switchTo: target, from: origin, products, path + [.member("productId")])
            case .nothing, .message, .offer, .advancedCommerce: break
            }
        }
    }

    /// The compiler has already refused switches that certainly lead into another group.
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
                products.group(of: product.name) != group && origin.mayBe(product.name)
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

/// Tells in which locales each message is found.
struct LocaleCover {
    /// Every locale that the source names, in order, and then nil for all other locales.
    let locales: [String?]
    private let steps: [String: String]
    private let last: String?

    init(_ model: RulesModel) {
        steps = Dictionary(model.localeFallbacks.map { ($0.locale, $0.fallback) }) { first, _ in first }
        last = model.lastLocale
        var named = Set(model.messages.flatMap { $0.identifiers.map(\.locale) })
        named.formUnion(steps.keys)
        named.formUnion(steps.values)
        locales = named.sorted() + [nil]
    }

    /// As indexes in ``locales``. Masked identifiers count only when `masked` is true.
    func places(of message: RulesModel.Message, masked: Bool) -> Set<Int> {
        let known = Set(message.identifiers.filter { masked || !$0.isMasked }.map(\.locale))
        return Set(locales.indices.filter { finds(locales[$0], known) })
    }

    /// Returns true when one of the known locales is found from `locale` along the fallbacks, or is the last one.
    func finds(_ locale: String?, _ known: Set<String>) -> Bool {
        locales(from: locale).contains(where: known.contains)
    }

    func locales(from locale: String?) -> [String] {
        // The sequence ends, because the compiler and the loader have refused circles.
        (locale.map { Array(sequence(first: $0) { steps[$0] }) } ?? []) + [last].compactMap { $0 }
    }
}

/// Finds products whose subscribers get no message in a locale that the source names.
struct LocaleLint {
    let model: RulesModel
    let findings: Findings

    func check() {
        let cover = LocaleCover(model)
        let places = model.messages.map { cover.places(of: $0, masked: true) }
        func missing(_ messages: Set<Int>) -> [String] {
            guard !messages.isEmpty else { return [] }
            let found = messages.reduce(into: Set<Int>()) { $0.formUnion(places[$1]) }
            return cover.locales.indices.filter { !found.contains($0) }.compactMap { cover.locales[$0] }
        }
        let (common, named) = servedMessages()
        guard !model.products.isEmpty else {
            let all = named.values.reduce(common) { $0.union($1) }
            return report(missing(all), "any product", [.member("messages")])
        }
        // Most products have the same messages, so the result for each set of messages is kept.
        var known: [Set<Int>: [String]] = [:]
        for product in model.products {
            let messages = named[ByteComparedString(product.name)].map { $0.union(common) } ?? common
            let locales = known[messages] ?? missing(messages)
            known[messages] = locales
            report(locales, "\"\(product.name)\"", [.member("products"), .member(product.name)])
        }
    }

    /// Returns the messages that subscribers of any product may get, and for each product those that only its rules serve.
    private func servedMessages() -> (common: Set<Int>, named: [ByteComparedString: Set<Int>]) {
        let segments = model.segmentProducts
        var common = Set([model.defaultOutcome?.message].compactMap { $0 })
        var named: [ByteComparedString: Set<Int>] = [:]
        for rule in model.rules where rule.isEnabled {
            let messages = rule.choice.outcomes.compactMap(\.message)
            switch ProductSet(rule.condition, segments) {
            case .any: common.formUnion(messages)
            case .some(let products):
                for product in products { named[product, default: []].formUnion(messages) }
            }
        }
        return (common, named)
    }

    private func report(_ locales: [String], _ whom: String, _ path: JSONPath) {
        guard !locales.isEmpty else { return }
        let list = locales.prefix(5).joined(separator: ", ") + (locales.count > 5 ? ", …" : "")
        findings.add(
            .missingLocale, "subscribers of \(whom) get no message in \(list)", at: path, isKey: true,
            hint: "add identifiers, a \"fallback\" or \"last\"")
    }
}
