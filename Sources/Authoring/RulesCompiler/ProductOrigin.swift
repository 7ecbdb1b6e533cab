internal import DataFiles

/// On which products subscribers may be who are served something.
struct ProductOrigin {
    /// Everyone.
    static var any: ProductOrigin { ProductOrigin(nil, products: .any, truths: ProductTruths([])) }

    /// Those that the condition names.
    let products: ProductSet
    private let condition: Condition?
    private let valueCount: Int
    private let truths: ProductTruths

    /// Those for which a condition can be other than false, which `truths` say of the declared products.
    init(_ condition: Condition?, products: ProductSet, truths: ProductTruths) {
        self.condition = condition
        self.products = products
        self.truths = truths
        valueCount = condition?.valueCount ?? 0
    }

    /// Whether subscribers may be on a product that is declared; nil when too much was asked to tell.
    func mayBe(_ product: String) -> Bool? {
        guard let condition else { return true }
        return truths.mayBe(product, condition, valueCount: valueCount)
    }
}
