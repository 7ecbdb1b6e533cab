internal import DataFiles
internal import JSON
internal import Vocabulary

/// The products that a source declares, with their subscription groups.
struct ProductTable {
    /// The products, for the file.
    let products: [RulesModel.Product]
    private let groups: [ExactText: ExactText?]

    /// Reads `products`; nil is none.
    init(_ value: SourceValue?) {
        let members = value?.members(limit: RulesCompilerLimits.productCount) ?? []
        let products = members.map { name, value in
            if name.isEmpty || name.utf8.count > RulesCompilerLimits.stringByteCount {
                value.reportKey(.badLength, "a product identifier is empty or too long")
            }
            guard value.isObject else { return RulesModel.Product(name: name) }
            value.checkKeys(.product)
            let group = value.member("group")?.string(limitBytes: RulesCompilerLimits.stringByteCount)
            return RulesModel.Product(name: name, group: group)
        }
        self.init(products)
    }

    /// Takes products that were read before.
    init(_ products: [RulesModel.Product]) {
        self.products = products
        let pairs = products.map { (ExactText($0.name), $0.group.map { ExactText($0) }) }
        groups = Dictionary(pairs) { first, _ in first }
    }

    /// Whether the source declares this one.
    func contains(_ product: String) -> Bool { groups[ExactText(product)] != nil }

    /// The group of a product; nil when the source does not say.
    func group(of product: String) -> ExactText? { groups[ExactText(product)] ?? nil }

    /// The product that a rule offers; reported when the source declares products and this is none of them.
    func target(_ value: SourceValue) -> String? {
        guard let name = value.storeIdentifier else { return nil }
        guard products.isEmpty || contains(name) else {
            value.report(
                .unknownProduct,
                "there is no product \"\(name)\"",
                hint: Hint.near(name, among: products.map(\.name)) ?? "it is not in \"products\""
            )
            return nil
        }
        return name
    }

    /// Reports a switch that leads into another group for certain: Apple refuses it (facts.md section 1.4,
    /// alternateProduct).
    func checkSwitch(to target: SourceValue, from origin: ProductOrigin) {
        guard let product = target.value.string, let group = group(of: product),
            let outside = outside(group, origin)
        else { return }
        target.report(
            .wrongGroup,
            "\"\(product)\" is of group \"\(group.text)\", the rule matches \"\(outside.text)\" of group \"\(self.group(of: outside.text)?.text ?? "")\"",
            hint: "subscribers switch within a group"
        )
    }

    /// A product of another group from which a switch leads into `group`: any that the condition names; where it names
    /// none, only when no declared product that it leaves could be of the group. Lint warns of the rest.
    private func outside(_ group: ExactText, _ origin: ProductOrigin) -> ExactText? {
        let isOutside = { (name: String) in self.group(of: name).map { $0 != group } ?? false }
        switch origin.products {
        case .some(let names): return names.sorted().first { isOutside($0.text) }
        case .any:
            let names = products.lazy.map(\.name)
            guard !names.contains(where: { !isOutside($0) && origin.mayBe($0) ?? true }) else {
                return nil
            }
            return names.first { isOutside($0) && origin.mayBe($0) ?? false }.map { ExactText($0) }
        }
    }
}
