/// Measured values of one figure, summed up so that a disturbed run does not count: median and quartiles.
public struct Sample: Sendable, Hashable {
    /// The values in ascending order.
    public let values: [Double]

    /// Takes at least one value; nil for none and for a value that is not a number.
    public init?(_ values: [Double]) {
        guard !values.isEmpty, !values.contains(where: \.isNaN) else { return nil }
        self.values = values.sorted()
    }

    /// The value that half of the others do not exceed; the mean of the middle two of an even number.
    public var median: Double { quantile(0.5) }

    /// The first quartile.
    public var lowerQuartile: Double { quantile(0.25) }

    /// The third quartile.
    public var upperQuartile: Double { quantile(0.75) }

    /// The value below which `part` (0...1) of the sample lies, linear between neighbours (Hyndman and Fan's type 7,
    /// the default of R and NumPy).
    public func quantile(_ part: Double) -> Double {
        let position = min(max(part, 0), 1) * Double(values.count - 1)
        let index = Int(position)
        guard index + 1 < values.count else { return values[values.count - 1] }
        let fraction = position - Double(index)
        return values[index] + fraction * (values[index + 1] - values[index])
    }
}
