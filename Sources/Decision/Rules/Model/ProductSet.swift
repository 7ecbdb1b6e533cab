public import Facts
internal import System

/// The set of products for which a condition may be true or unknown, that is, not false. The index of rules by product, the compiler
/// and lint ask for it.
public enum ProductSet: Equatable {
    case any
    /// At most these products; never more than ``DataFileLimits/indexedProductCount``.
    case some(Set<ByteComparedString>)

    public init(_ condition: Condition?, _ segments: SegmentProducts) {
        switch condition {
        case .all(let children): self = Self.all(children, segments)
        case .any(let children): self = Self.any(children, segments)
        case .segment(let place): self = segments[place]
        // Other predicates name no products. ``all(_:_:)`` subtracts those that they exclude.
        case .predicate(let predicate)
        where predicate.fact == .productId && predicate.operation.namesValues:
            self = Self.listed(predicate, segments)
        case .not, .predicate, nil: self = .any
        }
    }

    private static func listed(_ predicate: Predicate, _ segments: SegmentProducts) -> ProductSet {
        guard segments.takeSteps(listLength(predicate)) else { return .any }
        var products: Set<ByteComparedString> = []
        for case .string(let product) in predicate.operands {
            products.insert(ByteComparedString(product))
            guard products.count <= DataFileLimits.indexedProductCount else { return .any }
        }
        return .some(products)
    }

    private static func listLength(_ predicate: Predicate) -> Int {
        predicate.operation.operand == .list ? predicate.operands.count : 0
    }

    /// Returns the products that all children have in common, without those that other children exclude by `ne`,
    /// `notIn` or `prefix`.
    private static func all(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ByteComparedString>?
        for child in children {
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(min(products.count, found?.count ?? .max))
            else { continue }
            found = found.map { $0.intersection(products) } ?? products
        }
        guard var products = found else { return .any }
        for child in children where !products.isEmpty {
            switch child {
            case .segment: continue
            case .predicate(let predicate) where predicate.fact != .productId: continue
            case .predicate(let predicate):
                // Its products are among those found above.
                if predicate.operation.namesValues { continue }
                guard predicate.operation.excludesValues else {
                    products = Self.filtered(products, by: child, segments)
                    continue
                }
                guard segments.takeSteps(Self.listLength(predicate)) else { continue }
                for case .string(let product) in predicate.operands {
                    products.remove(ByteComparedString(product))
                }
            case .not, .any, .all: products = Self.filtered(products, by: child, segments)
            }
        }
        return .some(products)
    }

    /// Returns the products for which a condition is not false, or all of them once the steps are used up.
    private static func filtered(
        _ products: Set<ByteComparedString>, by condition: Condition, _ segments: SegmentProducts
    ) -> Set<ByteComparedString> {
        guard segments.takeSteps(products.count * condition.valueCount) else { return products }
        return products.filter { ProductEvaluation($0.text).value(of: condition) != false }
    }

    /// Returns the products of all children together. A segment that occurs twice is read once.
    private static func any(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ByteComparedString> = []
        var seen: Set<Int> = []
        for child in children {
            if case .segment(let place) = child, !seen.insert(place).inserted { continue }
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(products.count)
            else { return .any }
            found.formUnion(products)
            guard found.count <= DataFileLimits.indexedProductCount else { return .any }
        }
        return .some(found)
    }

    public func contains(_ product: String) -> Bool {
        switch self {
        case .any: true
        case .some(let products): products.contains(ByteComparedString(product))
        }
    }

    public func contains(_ other: ProductSet) -> Bool {
        switch (self, other) {
        case (.any, _): true
        case (.some, .any): false
        case (.some(let left), .some(let right)): left.isSuperset(of: right)
        }
    }
}

extension Condition {
    public var valueCount: Int {
        switch self {
        case .all(let children), .any(let children): children.reduce(1) { $0 + $1.valueCount }
        case .not(let child): child.valueCount
        case .predicate(let predicate): max(1, predicate.operands.count)
        case .segment: 1
        }
    }
}

/// The products of each segment of a model, and the budget of steps for finding such sets. When the budget is used up,
/// every further set is `any`; the findings that use it are then less exact, but never wrong.
public final class SegmentProducts {
    private var sets: [ProductSet] = []
    private var steps: Int

    public init(_ segments: [RulesModel.Segment], steps: Int = DataFileLimits.productStepCount) {
        self.steps = steps
        for segment in segments { sets.append(ProductSet(segment.condition, self)) }
    }

    /// The products of a segment; `any` while they are not known.
    public subscript(place: Int) -> ProductSet { sets.indices.contains(place) ? sets[place] : .any }

    /// Takes steps from the budget, one for each product that is compared. Returns false, and takes nothing, when too
    /// few are left.
    public func takeSteps(_ count: Int) -> Bool {
        guard count <= steps else { return false }
        steps -= count
        return true
    }
}

/// Evaluates conditions for the subscribers of one product, as far as the product alone decides them.
public struct ProductEvaluation {
    private let product: FactValue
    private var segments: [Bool?] = []

    /// Evaluates the model's segments for a product. Each segment refers only to earlier ones. The value of a segment
    /// that is not in `segments` is unknown.
    public init(_ product: String, _ segments: [RulesModel.Segment] = []) {
        self.product = .string(product)
        for segment in segments { self.segments.append(value(of: segment.condition)) }
    }

    /// Returns true or false when the product alone decides the condition, and nil when other facts matter.
    public func value(of condition: Condition) -> Bool? {
        switch condition {
        case .all(let children): return combine(children, decidedBy: false)
        case .any(let children): return combine(children, decidedBy: true)
        case .not(let child): return value(of: child).map { !$0 }
        case .segment(let place): return segments.indices.contains(place) ? segments[place] : nil
        case .predicate(let predicate):
            return predicate.fact == .productId ? predicate.isTrue(of: product) : nil
        }
    }

    private func combine(_ children: [Condition], decidedBy decisive: Bool) -> Bool? {
        var result: Bool? = !decisive
        for child in children {
            let value = value(of: child)
            if value == decisive { return decisive }
            if value == nil { result = nil }
        }
        return result
    }
}

/// A text of rules that is compared byte by byte, as the service compares it. Swift's `String` treats two
/// encodings of the same accented letter as equal.
public struct ByteComparedString: Hashable, Comparable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    public init(stringLiteral text: String) {
        self.text = text
    }

    public static func == (left: ByteComparedString, right: ByteComparedString) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    public static func < (left: ByteComparedString, right: ByteComparedString) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}
