package import JSON
package import System

/// Sums as lines of JSON: one for the app, one for each experiment, and behind it one for each of its cells. So a warehouse can
/// write them, row by row.
///
///     {"app":"com.example.app","environment":"Production","now":"2026-12-01T00:00:00Z","quality":{…}}
///     {"kind":"holdout","rule":null,"salt":"h1","epochs":[{"from":"2026-10-01T00:00:00Z","arms":[{"arm":"heldOut","share":1000},…],
///      "decisions":{"present":9000,"missing":0}}],"answers":{"treated":{"message":8000}},"checkedUnits":900,"differentUnits":0}
///     {"epoch":0,"arm":"heldOut","day":"2026-10-01","units":20,"values":[{"outcome":"kept24h","counts":{"0":8,"1":12}},…]}
package enum EffectSumsLines {
    package static func lines(of sums: EffectSums) -> [[UInt8]] {
        var nodes = [
            object([
                "app": .string(sums.app), "environment": .string(sums.environment), "now": time(sums.now),
                "quality": node(sums.quality),
            ])
        ]
        for experiment in sums.experiments {
            nodes.append(node(experiment))
            nodes += experiment.cells.map(node)
        }
        return nodes.map { $0.serialized() }
    }

    private static func object(_ members: KeyValuePairs<String, JSONNode>) -> JSONNode {
        .object(members.map { ($0.key, $0.value) })
    }

    private static func counts(_ counts: [String: Int]) -> JSONNode {
        .object(counts.sorted { $0.key < $1.key }.map { ($0.key, number($0.value)) })
    }

    private static func time(_ milliseconds: Int64) -> JSONNode {
        .string(CivilTime(milliseconds: milliseconds).exactDescription)
    }

    private static func number(_ count: Int) -> JSONNode { .integer(Int64(count)) }

    /// Also in the report.
    package static func node(_ quality: EffectQuality) -> JSONNode {
        let counts = EffectSumsReader.qualityCounts.map { ($0.name, number(quality[keyPath: $0.path])) }
        let times = EffectSumsReader.qualityTimes.map { name, path in
            (name, quality[keyPath: path].map(time) ?? .null)
        }
        return .object(counts + times)
    }

    private static func node(_ sums: ExperimentSums) -> JSONNode {
        let epochs = zip(sums.epochs, sums.decisions).map { epoch, decisions in
            let arms = epoch.arms.map { object(["arm": .string($0.name), "share": number($0.share)]) }
            return object([
                "from": time(epoch.from), "arms": .array(arms),
                "decisions": object([
                    "present": number(decisions.present), "missing": number(decisions.missing),
                ]),
            ])
        }
        let answers = sums.answers.sorted { $0.key < $1.key }.map { ($0.key, counts($0.value)) }
        return object([
            "kind": .string(sums.experiment.kind.rawValue),
            "rule": sums.experiment.rule.map { .string($0) } ?? .null,
            "salt": .string(sums.experiment.salt), "epochs": .array(epochs), "answers": .object(answers),
            "checkedUnits": number(sums.checkedUnits), "differentUnits": number(sums.differentUnits),
        ])
    }

    private static func node(_ cell: EffectCell) -> JSONNode {
        let values = cell.values.sorted { $0.key < $1.key }.map { key, values -> JSONNode in
            let counts = values.sorted { $0.key < $1.key }.map { ("\($0.key)", number($0.value)) }
            let currency = key.currency.map { [("currency", JSONNode.string($0))] } ?? []
            return .object(
                [("outcome", .string(key.outcome.rawValue))] + currency + [("counts", .object(counts))])
        }
        return object([
            "epoch": number(cell.epoch), "arm": .string(cell.arm), "day": .string(DayText.of(cell.day)),
            "units": number(cell.units), "values": .array(values),
        ])
    }
}

package enum DayText {
    private static let milliseconds: Int64 = 86_400_000

    package static func of(_ day: Int) -> String {
        String(CivilTime(milliseconds: Int64(day) * milliseconds).description.prefix(10))
    }

    static func day(_ text: String) -> Int? {
        guard text.utf8.count == 10, let time = CivilTime("\(text)T00:00:00Z") else { return nil }
        return Int(time.milliseconds / milliseconds)
    }
}

/// The code of a finding is `report.` and the raw value.
package enum ReportReason: String, FindingReason, CaseIterable {
    /// A value that sums cannot have, such as a negative number.
    case badValue = "bad-value"
    case duplicate
}

/// Reads what `EffectSumsLines` writes. Nothing is ignored, and no number can make the sums overflow.
package struct EffectSumsReader {
    private var sums: EffectSums?
    private var cells: Set<Place> = []
    private var unitCount = 0

    private struct Place: Hashable {
        let experiment: Int
        let epoch: Int
        let arm: String
        let day: Int
    }

    private static let greatestShare = 1_000_000
    /// In thousandths of a currency.
    private static let greatestValue: Int64 = 1_000_000_000_000_000
    private static let depth = 8

    static var qualityCounts: [(name: String, path: WritableKeyPath<EffectQuality, Int>)] {
        [
            ("decisions", \.decisions), ("missingDecisions", \.missingDecisions),
            ("knownUnits", \.knownUnits), ("unknownUnits", \.unknownUnits),
            ("notificationGaps", \.notificationGaps), ("otherKeyInstances", \.otherKeyInstances),
        ]
    }

    static var qualityTimes: [(name: String, path: WritableKeyPath<EffectQuality, Int64?>)] {
        [("decisionsUntil", \.decisionsUntil), ("notificationsUntil", \.notificationsUntil)]
    }

    package init() {}

    /// - Returns: the findings about the line; with any of them the sums are of no use.
    package mutating func add(_ line: [UInt8], number: Int, file: String) -> [Finding] {
        var found: [Finding]
        do throws(JSONError) {
            let document = try JSONDocument(
                parsing: line.span, limits: JSONLimits(byteCount: line.count, depth: Self.depth))
            let findings = Findings(source: line, subject: "report", limit: 1, reportsOverflow: false)
            let root = SourceValue(document.root, path: [], findings)
            if root.isObject { try? read(root) }
            found = findings.sorted
        } catch {
            found = [Finding(error)]
        }
        for index in found.indices { (found[index].file, found[index].line) = (file, number) }
        return found
    }

    /// Nil when there was no line.
    package func finished() -> EffectSums? {
        guard var sums else { return nil }
        for index in sums.experiments.indices {
            let epochs = sums.experiments[index].epochs
            func place(_ cell: EffectCell) -> Int {
                epochs[cell.epoch].arms.firstIndex { $0.name == cell.arm } ?? 0
            }
            sums.experiments[index].cells.sort {
                ($0.epoch, place($0), $0.day) < ($1.epoch, place($1), $1.day)
            }
        }
        return sums
    }

    private mutating func read(_ root: SourceValue) throws(Mistake) {
        guard sums != nil else { return sums = try Self.app(root) }
        if root.member("epoch") == nil {
            let read = try Self.experiment(root)
            guard sums?.experiments.contains(where: { $0.experiment == read.experiment }) == false else {
                throw root.mistake(.duplicate, "an experiment that stands twice")
            }
            sums?.experiments.append(read)
            return
        }
        // A copy of the experiment would have its cells copied when one is added.
        guard let last = sums?.experiments.indices.last, let epochs = sums?.experiments[last].epochs else {
            throw root.mistake(.badValue, "a cell before the first experiment")
        }
        let cell = try Self.cell(root, epochs)
        let place = Place(experiment: last, epoch: cell.epoch, arm: cell.arm, day: cell.day)
        guard cells.insert(place).inserted else { throw root.mistake(.duplicate, "a cell that stands twice") }
        unitCount += cell.units
        guard unitCount <= SourceValue.greatestCount else {
            throw root.mistake(.badValue, "more than \(SourceValue.greatestCount) units")
        }
        sums?.experiments[last].cells.append(cell)
    }

    private static func app(_ root: SourceValue) throws(Mistake) -> EffectSums {
        root.checkKeys(["app", "environment", "now", "quality"])
        var sums = EffectSums(
            app: try root.need("app").text, environment: try root.need("environment").text,
            now: try root.need("now").time)
        guard let quality = root.given("quality"), quality.isObject else { return sums }
        quality.checkKeys(Self.qualityCounts.map(\.name) + Self.qualityTimes.map(\.name))
        for (name, path) in Self.qualityCounts { sums.quality[keyPath: path] = try quality.count(name) }
        for (name, path) in Self.qualityTimes {
            if let member = quality.given(name) { sums.quality[keyPath: path] = try member.time }
        }
        return sums
    }

    private static func experiment(_ root: SourceValue) throws(Mistake) -> ExperimentSums {
        root.checkKeys(["kind", "rule", "salt", "epochs", "answers", "checkedUnits", "differentUnits"])
        let kind = try root.need("kind").word(of: Experiment.Kind.allCases)
        var sums = ExperimentSums(
            Experiment(kind, rule: try root.given("rule")?.text, salt: try root.need("salt").text))
        for value in try root.need("epochs").list {
            value.checkKeys(["from", "arms", "decisions"])
            sums.epochs.append(Epoch(arms: try arms(value), from: try value.need("from").time))
            let decisions = value.given("decisions")
            decisions?.checkKeys(["present", "missing"])
            sums.decisions.append(
                DecisionCounts(
                    present: try decisions?.count("present") ?? 0,
                    missing: try decisions?.count("missing") ?? 0))
        }
        for (arm, kinds) in root.given("answers")?.members ?? [] {
            for (kind, value) in kinds.members { sums.answers[arm, default: [:]][kind] = try value.count }
        }
        sums.checkedUnits = try root.count("checkedUnits")
        sums.differentUnits = try root.count("differentUnits")
        return sums
    }

    private static func arms(_ epoch: SourceValue) throws(Mistake) -> [Epoch.Arm] {
        var arms: [Epoch.Arm] = []
        for value in try epoch.need("arms").list {
            value.checkKeys(["arm", "share"])
            let arm = Epoch.Arm(try value.need("arm").text, try value.need("share").count)
            guard !arms.contains(where: { $0.name == arm.name }) else {
                throw value.mistake(.duplicate, "an arm that stands twice")
            }
            arms.append(arm)
        }
        guard (1...greatestShare).contains(arms.reduce(0) { $0 + min($1.share, greatestShare) }) else {
            throw epoch.mistake(.badValue, "shares that do not add up to 1 to \(greatestShare)")
        }
        return arms
    }

    private static func cell(_ root: SourceValue, _ epochs: [Epoch]) throws(Mistake) -> EffectCell {
        root.checkKeys(["epoch", "arm", "day", "units", "values"])
        let (epoch, arm, day) = (try root.count("epoch"), try root.need("arm").text, try root.need("day"))
        guard epoch < epochs.count, epochs[epoch].arms.contains(where: { $0.name == arm }) else {
            throw root.mistake(.badValue, "the experiment has no such epoch or arm")
        }
        guard let number = DayText.day(try day.text) else {
            throw day.mistake(.badValue, "no day as 2026-11-21")
        }
        var cell = EffectCell(epoch: epoch, arm: arm, day: number)
        cell.units = try root.need("units").count
        for value in try root.need("values").list {
            value.checkKeys(["outcome", "currency", "counts"])
            let outcome = try value.need("outcome").word(of: Outcome.allCases)
            let currency = try value.given("currency")?.text
            guard currency == nil || outcome == .revenue30d else {
                throw value.mistake(.badValue, "only revenue has a currency")
            }
            let counts = try counts(try value.need("counts"), of: outcome, units: cell.units)
            guard cell.values.updateValue(counts, forKey: OutcomeKey(outcome, currency: currency)) == nil
            else {
                throw value.mistake(.duplicate, "an outcome that stands twice")
            }
        }
        return cell
    }

    private static func counts(
        _ value: SourceValue, of outcome: Outcome, units: Int
    ) throws(Mistake) -> [Int64: Int] {
        guard value.isObject else { throw Mistake() }
        let possible = outcome.isShare ? 0...1 : -greatestValue...greatestValue
        var counts: [Int64: Int] = [:]
        var rest = units
        for (name, member) in value.members {
            guard let number = Int64(name), "\(number)" == name, possible.contains(number) else {
                throw member.mistake(.badValue, "not a value of \(outcome.rawValue)")
            }
            let count = try member.count
            guard count <= rest else { throw value.mistake(.badValue, "more units than the cell has") }
            rest -= count
            counts[number] = count
        }
        return counts
    }
}

/// It has been reported.
private struct Mistake: Error {}

extension SourceValue {
    /// So that no sum of them overflows.
    fileprivate static let greatestCount = 1_000_000_000_000

    fileprivate func mistake(_ reason: ReportReason, _ message: String) -> Mistake {
        findings.add(reason: reason, message, at: path)
        return Mistake()
    }

    fileprivate func need(_ name: String) throws(Mistake) -> SourceValue {
        guard isObject, let found = required(name) else { throw Mistake() }
        return found
    }

    /// Null is as good as no member.
    fileprivate func given(_ name: String) -> SourceValue? {
        member(name).flatMap { $0.value.kind == .null ? nil : $0 }
    }

    fileprivate func count(_ name: String) throws(Mistake) -> Int { try given(name)?.count ?? 0 }

    private static func found<Value>(_ value: Value?) throws(Mistake) -> Value {
        guard let value else { throw Mistake() }
        return value
    }

    fileprivate var text: String { get throws(Mistake) { try Self.found(string) } }

    fileprivate var list: [SourceValue] { get throws(Mistake) { try Self.found(elements) } }

    fileprivate var count: Int {
        get throws(Mistake) {
            let number = try Self.found(integer)
            guard (0...Int64(Self.greatestCount)).contains(number) else {
                throw mistake(.badValue, "not a number from 0 to \(Self.greatestCount)")
            }
            return Int(number)
        }
    }

    fileprivate var time: Int64 {
        get throws(Mistake) {
            guard let time = CivilTime(try text) else {
                throw mistake(.badValue, "no date as 2026-11-21T00:00:00Z")
            }
            return time.milliseconds
        }
    }

    fileprivate func word<Word: RawRepresentable<String>>(of words: [Word]) throws(Mistake) -> Word {
        try Self.found(
            choice(of: words, named: \.rawValue, ReportReason.badValue, { "\"\($0)\" does not exist" }))
    }
}
