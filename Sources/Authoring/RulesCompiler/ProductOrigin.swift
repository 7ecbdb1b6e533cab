internal import DataFiles

/// On which products subscribers may be who are served something.
struct ProductOrigin {
    /// Everyone.
    static let any = ProductOrigin(nil, products: .any, truths: [:])

    /// Those that the condition names.
    let products: ProductSet
    private let condition: Condition?
    private let truths: [ExactText: ProductTruth]

    /// Those for which a condition can be other than false, which `truths` say of the declared products.
    init(_ condition: Condition?, products: ProductSet, truths: [ExactText: ProductTruth]) {
        self.condition = condition
        self.products = products
        self.truths = truths
    }

    /// Whether subscribers may be on a product that is declared.
    func mayBe(_ product: String) -> Bool {
        guard let condition else { return true }
        return truths[ExactText(product)]?.value(of: condition) != false
    }
}
