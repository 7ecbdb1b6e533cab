public import JSON
internal import System

/// The products that a source declares, with their subscription groups.
public struct ProductTable {
    public let products: [RulesModel.Product]
    private let groups: [ByteComparedString: ByteComparedString?]

    public init(_ value: SourceValue?) {
        let members = value?.members(limit: RulesSourceLimits.productCount) ?? []
        let products = members.map { name, value in
            if name.isEmpty || name.utf8.count > RulesSourceLimits.stringByteCount {
                value.reportKey(.badValue, "a product identifier is empty or too long")
            }
            guard value.isObject else { return RulesModel.Product(name: name) }
            value.checkKeys(.product)
            let group = value.member("group")?.string(limitBytes: RulesSourceLimits.stringByteCount)
            return RulesModel.Product(name: name, group: group)
        }
        self.init(products)
    }

    public init(_ products: [RulesModel.Product]) {
        self.products = products
        let pairs = products.map { (ByteComparedString($0.name), $0.group.map { ByteComparedString($0) }) }
        groups = Dictionary(pairs) { first, _ in first }
    }

    public func contains(_ product: String) -> Bool { groups[ByteComparedString(product)] != nil }

    public func group(of product: String) -> ByteComparedString? {
        groups[ByteComparedString(product)] ?? nil
    }

    /// Reads the product that a switch or an offer leads to. Reports a product that is missing from the declared products.
    public func target(_ value: SourceValue) -> String? {
        guard let name = value.storeIdentifier else { return nil }
        guard products.isEmpty || contains(name) else {
            value.report(
                .unknownName, "there is no product \"\(name)\"",
                hint: Hint.near(name, among: products.map(\.name)) ?? "it is not in \"products\"")
            return nil
        }
        return name
    }

    /// Reports a switch that certainly leads into another group. Apple refuses such a switch (Retention Messaging API,
    /// alternateProduct).
    public func checkSwitch(to target: SourceValue, from origin: ProductOrigin) {
        guard let product = target.value.string, let group = group(of: product),
            let outside = outside(group, origin)
        else { return }
        target.report(
            .wrongKind,
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

/// The products that the subscribers of an outcome may be on.
public struct ProductOrigin {
    public static var any: ProductOrigin {
        ProductOrigin(nil, products: .any, truths: ProductEvaluations([]))
    }

    public let products: ProductSet
    private let condition: Condition?
    private let valueCount: Int
    private let truths: ProductEvaluations

    /// Creates the origin for a condition. `truths` tells for each declared product whether the condition may be true.
    public init(_ condition: Condition?, products: ProductSet, truths: ProductEvaluations) {
        self.condition = condition
        self.products = products
        self.truths = truths
        valueCount = condition?.valueCount ?? 0
    }

    /// Returns whether subscribers on a declared product may match the condition, or nil when the budget of steps is used up.
    public func mayBe(_ product: String) -> Bool? {
        guard let condition else { return true }
        return truths.mayBe(product, condition, valueCount: valueCount)
    }
}

/// Evaluates conditions for the declared products. A product is evaluated when it is first asked for, and all
/// evaluations together have a budget of steps.
public final class ProductEvaluations {
    private let segments: [RulesModel.Segment]
    /// The number of values in all segments: the cost of the first question about a product.
    private let segmentValueCount: Int
    private var truths: [ByteComparedString: ProductEvaluation] = [:]
    private var steps = RulesSourceLimits.productTruthStepCount

    public init(_ segments: [RulesModel.Segment]) {
        self.segments = segments
        segmentValueCount = segments.reduce(1) { $0 + $1.condition.valueCount }
    }

    /// Returns false when the condition is false for all subscribers of a product, else true. Returns nil when too few
    /// steps are left.
    public func mayBe(_ product: String, _ condition: Condition, valueCount: Int) -> Bool? {
        let name = ByteComparedString(product)
        let isNew = truths[name] == nil
        let cost = valueCount + (isNew ? segmentValueCount : 0)
        guard cost <= steps else { return nil }
        steps -= cost
        let truth = truths[name] ?? ProductEvaluation(product, segments)
        truths[name] = truth
        return truth.value(of: condition) != false
    }
}
