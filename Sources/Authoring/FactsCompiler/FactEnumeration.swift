internal import System

/// The values of an enumeration, sorted by their bytes for binary search.
struct FactEnumeration {
    private let values: [[UInt8]]

    init(_ values: [String]) {
        self.values = values.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    func contains(_ text: Span<UInt8>) -> Bool {
        var low = 0
        var high = values.count
        while low < high {
            let middle = low + (high - low) / 2
            let value = values[middle]
            let order = value.span.withRawBytes {
                $0.compare(offset: 0, byteCount: $0.byteCount, with: text) ?? 0
            }
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
