public import JSON

/// One row of the table: what was measured, and whether it is within its bar.
public struct Figure: Sendable {
    /// What is promised of a figure.
    public enum Bar: Sendable, Hashable {
        /// The value must not be greater.
        case atMost(Double)
        /// The value must not be less.
        case atLeast(Double)
        /// The value is reported, nothing is promised.
        case reported

        /// The number, nil when there is none.
        public var number: Double? {
            switch self {
            case .atMost(let number), .atLeast(let number): number
            case .reported: nil
            }
        }

        /// Whether `value` is within the bar.
        public func holds(for value: Double) -> Bool {
            switch self {
            case .atMost(let number): value <= number
            case .atLeast(let number): value >= number
            case .reported: true
            }
        }
    }

    /// What was measured, in the same words in each run.
    public let name: String
    /// The median of what was measured.
    public let value: Double
    /// The unit of `value`; `ratio` for a quotient.
    public let unit: String
    /// What is promised.
    public let bar: Bar
    /// The quartiles around the median, nil when it was measured once.
    public let quartiles: ClosedRange<Double>?
    /// The measured values behind a ratio, for people.
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

    /// Whether the value is within its bar; true when nothing is promised.
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
