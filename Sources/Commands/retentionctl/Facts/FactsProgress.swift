internal import CommandLineTool
internal import System

/// Shows on a terminal how much of a table is done.
final class FactsProgress {
    private let totalByteCount: Int?
    private var shownAt: UInt64 = 0

    init(totalByteCount: Int?) {
        self.totalByteCount = totalByteCount
    }

    func read(_ byteCount: Int) {
        show {
            let amount = "read \(byteCount >> 20) MiB"
            guard let total = totalByteCount, total > 0 else { return amount }
            return "\(amount)  \(Self.bar(byteCount, of: total))"
        }
    }

    func written(_ rowCount: Int, of total: Int) {
        show { "written \(rowCount) rows  \(Self.bar(rowCount, of: max(total, 1)))" }
    }

    func derived(_ count: Int) {
        show { "derived \(count) subscribers" }
    }

    /// Removes the progress line.
    func end() {
        Console.endProgress()
    }

    /// Updates the line at most ten times a second, which is enough for a person.
    private func show(_ text: () -> String) {
        let now = Clock.monotonicNanoseconds()
        guard Console.isInteractive, now - shownAt > 100_000_000 else { return }
        shownAt = now
        Console.progress(text())
    }

    private static func bar(_ part: Int, of total: Int) -> String {
        let share = min(Double(part) / Double(total), 1)
        let width = 30
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(Int(share * 100)) %"
    }
}
