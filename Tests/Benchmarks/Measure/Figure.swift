internal import JSON

/// The measured values of one figure. Median and quartiles sum them up, so that a disturbed run does not count.
struct Sample {
    /// The values in ascending order.
    let values: [Double]

    init(_ values: [Double]) throws {
        guard !values.isEmpty, !values.contains(where: \.isNaN) else { throw Failure("no sample") }
        self.values = values.sorted()
    }

    var median: Double { quantile(0.5) }

    /// The value below which the share `part` of the sample lies, with linear interpolation between neighbours (Hyndman and
    /// Fan's type 7, the default of R and NumPy).
    func quantile(_ part: Double) -> Double {
        let position = part * Double(values.count - 1)
        let index = Int(position)
        guard index + 1 < values.count else { return values[values.count - 1] }
        return values[index] + (position - Double(index)) * (values[index + 1] - values[index])
    }
}

/// Measures several things in turn, round after round.
enum Rounds {
    /// Calls each of `measurements` once in each round. Each round begins with another measurement, so that no measurement
    /// always finds the machine in the state in which the same other measurement left it.
    ///
    /// - Returns: the values of each measurement, in the order of the rounds.
    static func measure(_ count: Int, _ measurements: [() throws -> Double]) throws -> [[Double]] {
        var values = [[Double]](repeating: [], count: measurements.count)
        for round in 0..<count {
            for place in measurements.indices {
                let index = (round + place) % measurements.count
                values[index].append(try measurements[index]())
            }
        }
        return values
    }
}

/// One row of the table: a measured value and the bar with which it is compared.
struct Figure {
    /// What is promised of a figure's median.
    enum Bar: Equatable {
        case atMost(Double)
        case atLeast(Double)
        case reported
    }

    let name: String
    let sample: Sample
    let unit: String
    let bar: Bar
    let remark: String

    init(_ name: String, _ values: [Double], unit: String, bar: Bar = .reported, remark: String = "") throws {
        self.name = name
        sample = try Sample(values)
        self.unit = unit
        self.bar = bar
        self.remark = remark
    }

    /// The quotients of values that were measured in pairs, so that other work of the machine affects both alike.
    init(
        _ name: String, _ subject: [Double], over reference: [Double], of unit: String, bar: Bar = .reported
    ) throws {
        let remark =
            Self.number(try Sample(subject).median) + " \(unit) over "
            + Self.number(try Sample(reference).median) + " \(unit)"
        try self.init(name, zip(subject, reference).map { $0 / $1 }, unit: "ratio", bar: bar, remark: remark)
    }

    var holds: Bool {
        switch bar {
        case .atMost(let number): sample.median <= number
        case .atLeast(let number): sample.median >= number
        case .reported: true
        }
    }

    /// `{name, value, unit, bar, holds}`; `bar` is null when nothing is promised.
    var json: JSONNode {
        let number: JSONNode =
            switch bar {
            case .atMost(let number), .atLeast(let number): .real(number)
            case .reported: .null
            }
        return .object([
            ("name", .string(name)), ("value", .real((sample.median * 1000).rounded() / 1000)),
            ("unit", .string(unit)), ("bar", number), ("holds", .boolean(holds)),
        ])
    }

    /// The figures as a table for a terminal.
    static func table(_ figures: [Figure]) -> String {
        var rows = [["figure", "median", "quartiles", "bar", "holds", "measured"]]
        rows += figures.map(\.cells)
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return padded.joined(separator: "  ") + "\n"
        }.joined()
    }

    private var cells: [String] {
        let (low, high) = (Self.number(sample.quantile(0.25)), Self.number(sample.quantile(0.75)))
        let promise =
            switch bar {
            case .atMost(let number): "at most \(Self.number(number))"
            case .atLeast(let number): "at least \(Self.number(number))"
            case .reported: "reported"
            }
        return [
            name, Self.number(sample.median) + (unit == "ratio" ? "" : " \(unit)"),
            sample.values.count > 1 ? "\(low)...\(high)" : "", promise,
            bar == .reported ? "" : holds ? "yes" : "NO", remark,
        ]
    }

    /// The smaller a number, the more decimal places it gets: 8431, 71.3, 1.042.
    static func number(_ value: Double) -> String {
        let scale: Double = value.magnitude >= 1000 ? 1 : value.magnitude >= 10 ? 10 : 1000
        return scale == 1 ? "\(Int(value.rounded()))" : "\((value * scale).rounded() / scale)"
    }
}
