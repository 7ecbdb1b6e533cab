import DataFiles
import Decisions
import Support
import Telemetry
import Testing

@testable import Endpoints

@Suite("The names of the metrics")
struct MetricNameTests {
    @Test("give each reason a number that shared memory has a place for")
    func reasons() {
        let numbers = DecisionReason.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.allSatisfy { (0..<DecisionRow.reasonCount).contains($0) })
        #expect(DecisionReason.byNumber.enumerated().allSatisfy { $0.offset == $0.element.number })
    }

    @Test("are all in the manual")
    func manual() throws {
        try ManualPage.check(Self.manualTable, in: "retention-operations.7.md", part: "metrics")
    }

    private static var manualTable: String {
        ManualPage.list(
            PoolMetric.allCases.map(\.family).map { family in
                let labels = family.labels.isEmpty ? "" : " {\(family.labels.joined(separator: ", "))}"
                return ("`\(family.name)`\(labels)", "\(family.help) (\(family.kind.rawValue))")
            }
        )
    }
}
