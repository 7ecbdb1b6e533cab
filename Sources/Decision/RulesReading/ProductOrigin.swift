package import DataFiles

/// The products that the subscribers of an outcome may be on.
package struct ProductOrigin {
    /// The origin of an outcome without a condition: any product.
    package static var any: ProductOrigin {
        ProductOrigin(nil, products: .any, truths: ProductEvaluations([]))
    }

    /// The products that the condition names.
    package let products: ProductSet
    private let condition: Condition?
    private let valueCount: Int
    private let truths: ProductEvaluations

    /// Creates the origin for a condition. `truths` tells for each declared product whether the condition may be true.
    package init(_ condition: Condition?, products: ProductSet, truths: ProductEvaluations) {
        self.condition = condition
        self.products = products
        self.truths = truths
        valueCount = condition?.valueCount ?? 0
    }

    /// Returns whether subscribers on a declared product may match the condition, or nil when the budget of steps is used up.
    package func mayBe(_ product: String) -> Bool? {
        guard let condition else { return true }
        return truths.mayBe(product, condition, valueCount: valueCount)
    }
}
