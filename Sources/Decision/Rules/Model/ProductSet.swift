internal import Facts
internal import System

/// The products for which a condition is not false. The index of rules, the compiler and lint ask for it.
public enum ProductSet: Equatable {
    case any
    /// At most these products; never more than ``DataFileLimits/indexedProductCount``.
    case some(Set<ByteComparedString>)

    public init(_ condition: Condition?, _ segments: [ProductSet]) {
        switch condition {
        case .all(let children): self = Self.all(children, segments)
        case .any(let children): self = Self.any(children, segments)
        // A segment with an error is not in the model.
        case .segment(let place): self = segments.indices.contains(place) ? segments[place] : .any
        // Other predicates name no products. ``all(_:_:)`` subtracts those that they exclude.
        case .predicate(let predicate)
        where predicate.fact == .productId && predicate.operation.namesValues:
            self = Self.listed(predicate)
        case .not, .predicate, nil: self = .any
        }
    }

    private static func listed(_ predicate: Predicate) -> ProductSet {
        var products: Set<ByteComparedString> = []
        for case .string(let product) in predicate.operands {
            products.insert(ByteComparedString(product))
            guard products.count <= DataFileLimits.indexedProductCount else { return .any }
        }
        return .some(products)
    }

    private static func all(_ children: [Condition], _ segments: [ProductSet]) -> ProductSet {
        var found: Set<ByteComparedString>?
        for child in children {
            guard case .some(let products) = ProductSet(child, segments) else { continue }
            found = found.map { $0.intersection(products) } ?? products
        }
        guard var products = found else { return .any }
        for child in children where !products.isEmpty {
            switch child {
            case .segment: continue
            case .predicate(let predicate) where predicate.fact != .productId: continue
            // Its products are among those found above.
            case .predicate(let predicate) where predicate.operation.namesValues: continue
            case .predicate(let predicate) where predicate.operation.excludesValues:
                for case .string(let product) in predicate.operands {
                    products.remove(ByteComparedString(product))
                }
            case .predicate, .not, .any, .all:
                products = products.filter { ProductEvaluation($0.text).value(of: child) != false }
            }
        }
        return .some(products)
    }

    private static func any(_ children: [Condition], _ segments: [ProductSet]) -> ProductSet {
        var found: Set<ByteComparedString> = []
        var seen: Set<Int> = []
        for child in children {
            if case .segment(let place) = child, !seen.insert(place).inserted { continue }
            guard case .some(let products) = ProductSet(child, segments) else { return .any }
            found.formUnion(products)
            guard found.count <= DataFileLimits.indexedProductCount else { return .any }
        }
        return .some(found)
    }
}

extension RulesModel {
    public var segmentProducts: [ProductSet] {
        segments.reduce(into: []) { sets, segment in sets.append(ProductSet(segment.condition, sets)) }
    }
}

/// The subscribers for whom an outcome is: those who match a condition.
public struct ProductOrigin {
    public static var any: ProductOrigin { ProductOrigin(nil, [], []) }

    public let products: ProductSet
    private let condition: Condition?
    private let segments: [RulesModel.Segment]

    public init(
        _ condition: Condition?, _ segments: [RulesModel.Segment], _ segmentProducts: [ProductSet]
    ) {
        self.condition = condition
        self.segments = segments
        products = ProductSet(condition, segmentProducts)
    }

    public func mayBe(_ product: String) -> Bool {
        condition.map { ProductEvaluation(product, segments).value(of: $0) != false } ?? true
    }
}

/// Evaluates conditions for the subscribers of one product, as far as the product alone decides them.
public struct ProductEvaluation {
    private let product: FactValue
    private var segments: [Bool?] = []

    /// The value of a segment that is not in `segments` is unknown.
    public init(_ product: String, _ segments: [RulesModel.Segment] = []) {
        self.product = .string(product)
        for segment in segments { self.segments.append(value(of: segment.condition)) }
    }

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

/// Compared byte by byte, as the service does: Swift treats two encodings of an accented letter as equal.
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
