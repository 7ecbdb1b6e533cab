internal import Facts

struct RequestKind: Hashable {
    let product: String
    let locale: String
}

/// Which product and locale each subscriber has.
struct SimulatedRequests: Sendable {
    private let products: Shares?
    private let locales: Shares?
    /// The locales in the log of those who have a product.
    private let localesOfProducts: [String: Shares]
    private let column: Int?

    init(
        products: [ShareArgument], locales: [ShareArgument], logged: [RequestKind: Int], _ facts: FactsFile
    ) {
        func shares(_ given: [ShareArgument], _ name: KeyPath<RequestKind, String>) -> Shares? {
            if !given.isEmpty { return Shares(given.map { ($0.name, $0.share) }) }
            return Shares(logged.map { ($0.key[keyPath: name], $0.value) })
        }
        self.products = shares(products, \.product)
        self.locales = shares(locales, \.locale)
        let ofProducts = Dictionary(grouping: locales.isEmpty ? Array(logged) : [], by: \.key.product)
        localesOfProducts = ofProducts.compactMapValues { Shares($0.map { ($0.key.locale, $0.value) }) }
        column = products.isEmpty ? facts.column("currentProductId") : nil
    }

    var hasProducts: Bool { column != nil || products != nil }
    var hasLocales: Bool { locales != nil }
    var hasProductsOfFacts: Bool { column != nil }

    /// The product of one whose facts do not say it is drawn, or empty when nothing is known of it: no rule for a product matches.
    func product(of key: UInt64, fact: String?) -> String {
        fact ?? products?.name(FactsKey.mixed(key &+ 0x9E37_79B9_7F4A_7C15)) ?? ""
    }

    func locale(of key: UInt64, product: String) -> String {
        let shares = localesOfProducts[product] ?? locales
        return shares?.name(FactsKey.mixed(key &+ 0x3C6E_F372_FE94_F82A)) ?? ""
    }

    func productFacts(in file: FactsFile) -> FactStrings { FactStrings(file, column) }
}

/// Names with the numbers of a random draw that each takes.
private struct Shares: Sendable {
    private var names: [String] = []
    private var ends: [UInt64] = []

    /// The same shares in any order make the same draws. Nil without a name.
    init?(_ counts: [(name: String, count: Int)]) {
        let sums = Dictionary(counts.map { ($0.name, $0.count) }) { $0 + $1 }
        guard !sums.isEmpty else { return nil }
        var end: UInt64 = 0
        for (name, count) in sums.sorted(by: { $0.key < $1.key }) {
            end += UInt64(count)
            names.append(name)
            ends.append(end)
        }
    }

    func name(_ random: UInt64) -> String {
        let place = random.multipliedFullWidth(by: ends[ends.count - 1]).high
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if place < ends[middle] { high = middle } else { low = middle + 1 }
        }
        return names[low]
    }
}

/// The strings of a column, each made once.
struct FactStrings {
    private let file: FactsFile
    private let column: Int?
    private var known: [Int: String] = [:]

    init(_ file: FactsFile, _ column: Int?) { (self.file, self.column) = (file, column) }

    mutating func value(of row: FactsRow) -> String? {
        guard let column, let number = file.stringNumber(column: column, row: row) else { return nil }
        if let text = known[number] { return text }
        let text = file.string(numbered: number)
        if known.count < Breakdown.limit { known[number] = text }
        return text
    }
}

extension FactsFile {
    func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name && $0.kind == .string } }
}
