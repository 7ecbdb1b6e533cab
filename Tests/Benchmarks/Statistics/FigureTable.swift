/// Figures as a table for a terminal.
public struct FigureTable {
    private let figures: [Figure]

    /// Makes a table of these figures, one row each, in their order.
    public init(_ figures: [Figure]) {
        self.figures = figures
    }

    /// The table, with a line of headings and a line end after each row.
    public var text: String {
        var rows = [["figure", "median", "quartiles", "bar", "holds", "measured"]]
        rows += figures.map(cells)
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private func cells(of figure: Figure) -> [String] {
        let unit = figure.unit == "ratio" ? "" : " \(figure.unit)"
        let bar =
            switch figure.bar {
            case .atMost(let number): "at most \(Self.number(number))"
            case .atLeast(let number): "at least \(Self.number(number))"
            case .reported: "reported"
            }
        let quartiles = figure.quartiles.map {
            "\(Self.number($0.lowerBound))...\(Self.number($0.upperBound))"
        }
        let holds = figure.bar == .reported ? "" : figure.holds ? "yes" : "NO"
        return [figure.name, Self.number(figure.value) + unit, quartiles ?? "", bar, holds, figure.remark]
    }

    /// Formats a number. The smaller the number, the more decimal places it gets: 8431, 71.3, 1.042.
    public static func number(_ value: Double) -> String {
        let size = value.magnitude
        guard size < 1e15 else { return "\(value)" }
        let places = size >= 1000 ? 0 : size >= 10 ? 1 : 3
        let scale = places == 0 ? 1 : places == 1 ? 10 : 1000
        let scaled = Int((size * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
    }
}
