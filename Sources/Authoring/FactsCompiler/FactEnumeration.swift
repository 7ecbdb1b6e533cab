/// The values of an enumeration, to be looked up by their bytes.
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
            let order = Self.compare(values[middle], text)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private static func compare(_ left: [UInt8], _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}
