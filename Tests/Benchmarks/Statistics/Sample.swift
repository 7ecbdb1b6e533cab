/// The measured values of one figure. Median and quartiles sum them up, so that a disturbed run does not count.
public struct Sample: Sendable, Hashable {
    /// The values in ascending order.
    public let values: [Double]

    /// Takes at least one value. Returns nil when there is no value, and when a value is NaN.
    public init?(_ values: [Double]) {
        guard !values.isEmpty, !values.contains(where: \.isNaN) else { return nil }
        self.values = values.sorted()
    }

    /// The middle value; the mean of the middle two values when their number is even.
    public var median: Double { quantile(0.5) }

    /// The first quartile.
    public var lowerQuartile: Double { quantile(0.25) }

    /// The third quartile.
    public var upperQuartile: Double { quantile(0.75) }

    /// Returns the value below which the share `part` (0...1) of the sample lies, with linear interpolation between
    /// neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
    public func quantile(_ part: Double) -> Double {
        let position = min(max(part, 0), 1) * Double(values.count - 1)
        let index = Int(position)
        guard index + 1 < values.count else { return values[values.count - 1] }
        let fraction = position - Double(index)
        return values[index] + fraction * (values[index + 1] - values[index])
    }
}
