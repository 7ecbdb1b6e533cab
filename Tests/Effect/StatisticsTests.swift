@testable import Effect
import JSON
import Support
import Testing

/// The vectors are in Vectors/statistics.json, and Vectors/make.py wrote them with SciPy, NumPy and statsmodels.
@Suite("Statistics agree with SciPy and statsmodels")
struct StatisticsTests {
    private static func vectors(_ name: String) throws -> [JSONValue] {
        let bytes = try SourceFile.read(SourceFile.root + "/Tests/Effect/Vectors/statistics.json")
        let document = try JSONDocument(
            parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
        let found = document.root.member(named: name)?.elements ?? []
        #expect(!found.isEmpty)
        return found
    }

    /// Compares to 1e-9 of the value, and of 1 for small ones.
    private static func expect(
        _ value: Double, _ vector: JSONValue?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = vector.flatMap(number) ?? .nan
        #expect(
            abs(value - expected) <= 1e-9 * max(1, abs(expected)), "\(value) is not \(expected)",
            sourceLocation: sourceLocation)
    }

    private static func number(_ value: JSONValue) -> Double? { value.real ?? value.int64.map { Double($0) } }

    private static func numbers(_ value: JSONValue?) -> [Double] {
        (value?.elements ?? []).compactMap(number)
    }

    private static func moments(_ value: JSONValue?) throws -> Moments {
        if let yes = value?.member("yes")?.int64 {
            return Moments(yes: Int(yes), of: Int(try #require(value?.member("count")?.int64)))
        }
        return Moments(try counts(value))
    }

    private static func counts(_ value: JSONValue?) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for (name, count) in try #require(value).members {
            counts[try #require(Int64(name))] = Int(try #require(count.int64))
        }
        return counts
    }

    @Test("for shares, over one epoch and several")
    func shares() throws {
        for vector in try Self.vectors("shares") {
            let strata = try (vector.member("strata")?.elements ?? []).map {
                Stratum(
                    treated: try Self.moments($0.member("treated")),
                    control: try Self.moments($0.member("control")))
            }
            let difference = try #require(Difference(strata))
            let units = Int(try #require(vector.member("expectedUnits")?.int64))
            let sequence = ConfidenceSequence(expectedUnits: units)
            Self.expect(difference.estimate, vector.member("difference"))
            Self.expect(difference.standardError, vector.member("standardError"))
            for (alpha, half) in zip([0.05, 0.025, 0.001], vector.member("halfWidths")?.elements ?? []) {
                let interval = difference.alwaysValid(alpha, sequence)
                Self.expect(difference.estimate - interval.low, half)
                Self.expect(interval.high - difference.estimate, half)
            }
            let newcombe = difference.newcombe(0.05)
            Self.expect(newcombe.low, vector.member("newcombe")?.element(at: 0))
            Self.expect(newcombe.high, vector.member("newcombe")?.element(at: 1))
        }
    }

    @Test("for means")
    func means() throws {
        for vector in try Self.vectors("means") {
            let stratum = Stratum(
                treated: try Self.moments(vector.member("treated")),
                control: try Self.moments(vector.member("control")))
            let difference = try #require(Difference([stratum]))
            Self.expect(difference.estimate, vector.member("difference"))
            Self.expect(difference.standardError, vector.member("standardError"))
            let welch = difference.welch(0.05)
            Self.expect(welch.low, vector.member("welch")?.element(at: 0))
            Self.expect(welch.high, vector.member("welch")?.element(at: 1))
        }
    }

    @Test("for the middle of values")
    func middle() throws {
        for vector in try Self.vectors("middles") {
            let middle = Statistics.middle(try Self.counts(vector.member("values")))
            #expect(middle?.lowerBound == vector.member("low")?.int64)
            #expect(middle?.upperBound == vector.member("high")?.int64)
        }
    }

    @Test("for the sample ratio, plans and quantiles")
    func others() throws {
        for vector in try Self.vectors("sampleRatios") {
            let counts = Self.numbers(vector.member("counts")).map { Int($0) }
            let shares = Self.numbers(vector.member("shares"))
            Self.expect(Statistics.sampleRatio(counts, shares: shares), vector.member("evidence"))
        }
        for vector in try Self.vectors("plans") {
            func number(_ name: String) throws -> Double {
                try #require(vector.member(named: name).flatMap(Self.number))
            }
            var plan = ExperimentPlan()
            (plan.tapShare, plan.heldOut) = (try number("tapShare"), try number("heldOut"))
            (plan.baseline, plan.effect) = (try number("baseline"), try number("effect"))
            plan.expectedUnits = Int(try number("expectedUnits"))
            Self.expect(plan.unitsForOneLook, vector.member("unitsForOneLook"))
            Self.expect(plan.units, vector.member("units"))
        }
        for vector in try Self.vectors("normal") {
            let numbers = Self.numbers(vector)
            #expect(abs(Statistics.normalQuantile(numbers[0]) - numbers[1]) < 1e-9)
        }
    }
}
