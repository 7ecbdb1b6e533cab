package import DataFiles
package import JSON
internal import Vocabulary

/// The products that a source declares, with their subscription groups.
package struct ProductTable {
    /// The declared products, for the file.
    package let products: [RulesModel.Product]
    private let groups: [ByteComparedString: ByteComparedString?]

    /// Reads `products`. With nil, the table is empty.
    package init(_ value: SourceValue?) {
        let members = value?.members(limit: RulesSourceLimits.productCount) ?? []
        let products = members.map { name, value in
            if name.isEmpty || name.utf8.count > RulesSourceLimits.stringByteCount {
                value.reportKey(.badLength, "a product identifier is empty or too long")
            }
            guard value.isObject else { return RulesModel.Product(name: name) }
            value.checkKeys(.product)
            let group = value.member("group")?.string(limitBytes: RulesSourceLimits.stringByteCount)
            return RulesModel.Product(name: name, group: group)
        }
        self.init(products)
    }

    package init(_ products: [RulesModel.Product]) {
        self.products = products
        let pairs = products.map { (ByteComparedString($0.name), $0.group.map { ByteComparedString($0) }) }
        groups = Dictionary(pairs) { first, _ in first }
    }

    /// Returns true when the source declares the product.
    package func contains(_ product: String) -> Bool { groups[ByteComparedString(product)] != nil }

    /// Returns the group of a product, or nil when the source does not give it.
    package func group(of product: String) -> ByteComparedString? {
        groups[ByteComparedString(product)] ?? nil
    }

    /// Reads the product that a switch or an offer leads to. Reports a product that is missing from the declared products.
    package func target(_ value: SourceValue) -> String? {
        guard let name = value.storeIdentifier else { return nil }
        guard products.isEmpty || contains(name) else {
            value.report(
                .unknownProduct, "there is no product \"\(name)\"",
                hint: Hint.near(name, among: products.map(\.name)) ?? "it is not in \"products\"")
            return nil
        }
        return name
    }

    /// Reports a switch that certainly leads into another group. Apple refuses such a switch (Retention Messaging API,
    /// alternateProduct).
    package func checkSwitch(to target: SourceValue, from origin: ProductOrigin) {
        guard let product = target.value.string, let group = group(of: product),
            let outside = outside(group, origin)
        else { return }
        target.report(
            .wrongGroup,
            "\"\(product)\" is of group \"\(group.text)\", the rule matches \"\(outside.text)\" of group \"\(self.group(of: outside.text)?.text ?? "")\"",
            hint: "subscribers switch within a group")
    }

    /// Returns a product of another group from which a switch leads into `group`. If the condition names products, any
    /// of them counts. If it names no product, a product is returned only when no declared product that may match can
    /// be of the group. Lint warns about the other cases.
    private func outside(_ group: ByteComparedString, _ origin: ProductOrigin) -> ByteComparedString? {
        let isOutside = { (name: String) in self.group(of: name).map { $0 != group } ?? false }
        switch origin.products {
        case .some(let names): return names.sorted().first { isOutside($0.text) }
        case .any:
            let names = products.lazy.map(\.name)
            guard !names.contains(where: { !isOutside($0) && origin.mayBe($0) ?? true }) else {
                return nil
            }
            return names.first { isOutside($0) && origin.mayBe($0) ?? false }.map { ByteComparedString($0) }
        }
    }
}
