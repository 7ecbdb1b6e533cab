public import JSON

/// One row of the table: a measured value and the bar with which it is compared.
public struct Figure: Sendable {
    /// The bar of a figure: what is promised of its value.
    public enum Bar: Sendable, Hashable {
        /// The value must not be greater.
        case atMost(Double)
        /// The value must not be less.
        case atLeast(Double)
        /// The value is only reported; nothing is promised.
        case reported

        /// The number of the bar; nil when nothing is promised.
        public var number: Double? {
            switch self {
            case .atMost(let number), .atLeast(let number): number
            case .reported: nil
            }
        }

        /// Returns true when `value` is within the bar.
        public func holds(for value: Double) -> Bool {
            switch self {
            case .atMost(let number): value <= number
            case .atLeast(let number): value >= number
            case .reported: true
            }
        }
    }

    /// The name of the figure, which is the same in each run.
    public let name: String
    /// The median of the measured values, the only measured value, or the worst one where the bar holds for all.
    public let value: Double
    /// The unit of `value`; `ratio` for a quotient.
    public let unit: String
    /// What is promised of the value.
    public let bar: Bar
    /// The quartiles around the median; nil when there is only one measured value.
    public let quartiles: ClosedRange<Double>?
    /// Details for the reader of the table, such as the measured values behind a ratio.
    public let remark: String

    /// Makes a figure of a single value.
    public init(_ name: String, value: Double, unit: String, bar: Bar, remark: String = "") {
        self.name = name
        self.value = value
        self.unit = unit
        self.bar = bar
        quartiles = nil
        self.remark = remark
    }

    /// Makes a figure of a sample's median.
    public init(_ name: String, _ sample: Sample, unit: String, bar: Bar, remark: String = "") {
        self.name = name
        value = sample.median
        self.unit = unit
        self.bar = bar
        quartiles = sample.lowerQuartile...sample.upperQuartile
        self.remark = remark
    }

    /// Makes a figure of the greatest value of a sample, for what may never be above the bar: a median would hide a bad
    /// run. The remark also has the median.
    public init(_ name: String, worstOf sample: Sample, unit: String, bar: Bar, remark: String = "") {
        self.name = name
        value = sample.quantile(1)
        self.unit = unit
        self.bar = bar
        quartiles = sample.lowerQuartile...sample.upperQuartile
        let note = "the worst of \(sample.values.count), median \(FigureTable.number(sample.median))"
        self.remark = remark.isEmpty ? note : note + "; " + remark
    }

    /// True when the value is within its bar, or when nothing is promised.
    public var holds: Bool { bar.holds(for: value) }

    /// `{name, value, unit, bar, holds}`; `bar` is null when nothing is promised.
    public var json: JSONNode {
        .object([
            ("name", .string(name)),
            ("value", .real((value * 1000).rounded() / 1000)),
            ("unit", .string(unit)),
            ("bar", bar.number.map(JSONNode.real) ?? .null),
            ("holds", .boolean(holds)),
        ])
    }
}
