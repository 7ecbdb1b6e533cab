internal import DataFiles
internal import JSON

/// Which messages have something for which locale.
struct LocaleCover {
    /// Every locale that the source names, in order; and nil for one that it does not.
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

    /// The locales, by their places in ``locales``, in which a message is found. Masked identifiers count only when
    /// they are asked for.
    func places(of message: RulesModel.Message, masked: Bool) -> Set<Int> {
        let known = Set(message.identifiers.filter { masked || !$0.isMasked }.map(\.locale))
        return Set(locales.indices.filter { finds(locales[$0], known) })
    }

    private func finds(_ locale: String?, _ known: Set<String>) -> Bool {
        var next = locale
        // The compiler has refused circles.
        while let current = next {
            if known.contains(current) { return true }
            next = steps[current]
        }
        return last.map { known.contains($0) } ?? false
    }
}

/// Looks for products whose subscribers get nothing in a locale that some message has.
struct LocaleLint {
    let model: RulesModel
    let findings: LintFindings

    func check() {
        let cover = LocaleCover(model)
        let places = model.messages.map { cover.places(of: $0, masked: true) }
        // Of a message that is masked in all locales something is said already.
        let approved = zip(model.messages, places).map { message, places in
            message.identifiers.allSatisfy(\.isMasked) ? places : cover.places(of: message, masked: false)
        }
        let segments = ProductSet.sets(of: model.segments)
        let sets = model.rules.map { ProductSet($0.condition, segments) }
        func missing(_ mayMatch: (ProductSet) -> Bool) -> (always: [String], unapproved: [String]) {
            var messages: Set<Int> = []
            for (rule, set) in zip(model.rules, sets) where rule.isEnabled && mayMatch(set) {
                messages.formUnion(rule.choice.outcomes.compactMap(\.message))
            }
            model.defaultOutcome?.message.map { _ = messages.insert($0) }
            guard !messages.isEmpty else { return ([], []) }
            let found = messages.reduce(into: Set<Int>()) { $0.formUnion(places[$1]) }
            let shown = messages.reduce(into: Set<Int>()) { $0.formUnion(approved[$1]) }
            let missing = cover.locales.indices.filter { !shown.contains($0) }
            return (
                missing.filter { !found.contains($0) }.compactMap { cover.locales[$0] },
                missing.filter { found.contains($0) }.compactMap { cover.locales[$0] }
            )
        }
        for product in model.products {
            report(
                missing { $0.contains(product.name) },
                "\"\(product.name)\"",
                [
                    .member("products"), .member(product.name),
                ]
            )
        }
        if model.products.isEmpty { report(missing { _ in true }, "any product", [.member("messages")]) }
    }

    private func report(
        _ locales: (always: [String], unapproved: [String]),
        _ whom: String,
        _ path: JSONPath
    ) {
        report(locales.always, whom, path, hint: "add identifiers, a \"fallback\" or \"last\"")
        let hint = "Apple has approved none; a \"fallback\" or \"last\" serves another one until then"
        report(locales.unapproved, whom, path, hint: hint)
    }

    private func report(_ locales: [String], _ whom: String, _ path: JSONPath, hint: String) {
        guard !locales.isEmpty else { return }
        let list = locales.prefix(5).joined(separator: ", ") + (locales.count > 5 ? ", …" : "")
        findings.add(
            .missingLocale,
            "subscribers of \(whom) get no message in \(list)",
            at: path,
            isKey: true,
            hint: hint
        )
    }
}
