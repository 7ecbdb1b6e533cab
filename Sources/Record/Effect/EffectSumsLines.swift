package import JSON
package import System

/// Sums as lines of JSON: one for the app, one for each experiment, and behind it one for each of its cells. So a warehouse can
/// write them, row by row.
///
///     {"app":"com.example.app","environment":"Production","now":"2026-12-01T00:00:00Z","quality":{…}}
///     {"kind":"holdout","rule":null,"salt":"h1","epochs":[{"from":"2026-10-01T00:00:00Z","arms":[{"arm":"heldOut","share":1000},…],
///      "decisions":{"present":9000,"missing":0}}],"answers":{"treated":{"message":8000}},"checkedUnits":900,"differentUnits":0,
///      "otherKeyInstances":0,"notificationGaps":0}
///     {"epoch":0,"arm":"heldOut","day":"2026-10-01","units":20,"values":[{"outcome":"kept24h","counts":{"0":8,"1":12}},…]}
package enum EffectSumsLines {
    package static func lines(of sums: EffectSums) -> [[UInt8]] {
        let app: JSONNode = [
            "app": .string(sums.app), "environment": .string(sums.environment), "now": .time(sums.now),
            "quality": node(sums.quality),
        ]
        let experiments = sums.experiments.flatMap { [node($0)] + $0.cells.map(node) }
        return ([app] + experiments).map { $0.serialized() }
    }

    private static func counts(_ counts: [String: Int]) -> JSONNode {
        .object(counts.sorted { $0.key < $1.key }.map { ($0.key, JSONNode($0.value)) })
    }

    /// Also in the report.
    package static func node(_ quality: EffectQuality) -> JSONNode {
        let counts = EffectQuality.counts.map { ($0.name, JSONNode(quality[keyPath: $0.path])) }
        let times = EffectQuality.times.map { ($0.name, JSONNode.time(quality[keyPath: $0.path])) }
        return .object(counts + times)
    }

    private static func node(_ sums: ExperimentSums) -> JSONNode {
        let epochs = sums.epochs.map { epoch -> JSONNode in
            let arms = epoch.arms.map { ["arm": .string($0.name), "share": JSONNode($0.share)] as JSONNode }
            return [
                "from": .time(epoch.from), "arms": .array(arms),
                "decisions": ["present": JSONNode(epoch.present), "missing": JSONNode(epoch.missing)],
            ]
        }
        let answers = sums.answers.sorted { $0.key < $1.key }.map { ($0.key, counts($0.value)) }
        return [
            "kind": .string(sums.experiment.kind.rawValue), "rule": JSONNode(sums.experiment.rule),
            "salt": .string(sums.experiment.salt), "epochs": .array(epochs), "answers": .object(answers),
            "checkedUnits": JSONNode(sums.checkedUnits), "differentUnits": JSONNode(sums.differentUnits),
            "otherKeyInstances": JSONNode(sums.otherKeyInstances),
            "notificationGaps": JSONNode(sums.notificationGaps),
        ]
    }

    private static func node(_ cell: EffectCell) -> JSONNode {
        let values = cell.values.sorted { $0.key < $1.key }.map { key, values -> JSONNode in
            let counts = values.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONNode($0.value)) }
            let currency = key.currency.map { [("currency", JSONNode($0))] } ?? []
            return .object(
                [("outcome", .string(key.outcome.rawValue))] + currency + [("counts", .object(counts))])
        }
        return [
            "epoch": JSONNode(cell.epoch), "arm": .string(cell.arm), "day": .string(DayText.of(cell.day)),
            "units": JSONNode(cell.units), "values": .array(values),
        ]
    }
}

extension EffectQuality {
    fileprivate static var counts: [(name: String, path: WritableKeyPath<EffectQuality, Int>)] {
        [
            ("decisions", \.decisions), ("missingDecisions", \.missingDecisions),
            ("knownUnits", \.knownUnits), ("unknownUnits", \.unknownUnits),
            ("notificationGaps", \.notificationGaps), ("otherKeyInstances", \.otherKeyInstances),
        ]
    }

    fileprivate static var times: [(name: String, path: WritableKeyPath<EffectQuality, Int64?>)] {
        [("decisionsUntil", \.decisionsUntil), ("notificationsUntil", \.notificationsUntil)]
    }
}

package enum DayText {
    package static func of(_ day: Int) -> String {
        String(CivilTime(milliseconds: Int64(day) * 86_400_000).description.prefix(10))
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
    /// Those of the last experiment.
    private var cells: Set<String> = []
    private var unitCount = 0

    private static let greatestShare = 1_000_000
    /// In thousandths of a currency.
    private static let greatestValue: Int64 = 1_000_000_000_000_000
    private static let depth = 8

    package init() {}

    /// - Returns: the findings about the line; with any of them the sums are of no use.
    package mutating func add(_ line: [UInt8], number: Int, file: String) -> [Finding] {
        var found: [Finding]
        do throws(JSONError) {
            let document = try JSONDocument(
                parsing: line.span, limits: JSONLimits(byteCount: line.count, depth: Self.depth))
            let findings = Findings(source: line, subject: "report", limit: 1, reportsOverflow: false)
            let root = SourceValue(document.root, path: [], findings)
            if root.isObject { read(root) }
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
        for index in sums.experiments.indices { sums.experiments[index].sortCells() }
        return sums
    }

    private mutating func read(_ root: SourceValue) {
        guard let count = sums?.experiments.count else { return sums = Self.app(root) }
        if root.member("epoch") == nil {
            let read = Self.experiment(root, sums?.quality ?? EffectQuality())
            if sums?.experiments.contains(where: { $0.experiment == read.experiment }) == true {
                root.report(.duplicate, "an experiment that stands twice")
            }
            cells = []
            sums?.experiments.append(read)
        } else if count == 0 {
            root.report(.badValue, "a cell before the first experiment")
        } else if let epochs = sums?.experiments[count - 1].epochs, let cell = Self.cell(root, epochs) {
            if !cells.insert("\(cell.epoch) \(cell.day) \(cell.arm)").inserted {
                root.report(.duplicate, "a cell that stands twice")
            }
            unitCount += cell.units
            if unitCount > SourceValue.greatestCount {
                root.report(.badValue, "more than \(SourceValue.greatestCount) units")
            }
            sums?.experiments[count - 1].cells.append(cell)
        }
    }

    private static func app(_ root: SourceValue) -> EffectSums {
        root.checkKeys(["app", "environment", "now", "quality"])
        var sums = EffectSums(
            app: root.text("app"), environment: root.text("environment"), now: root.time("now"))
        guard let quality = root.given("quality"), quality.isObject else { return sums }
        quality.checkKeys(EffectQuality.counts.map(\.name) + EffectQuality.times.map(\.name))
        for (name, path) in EffectQuality.counts { sums.quality[keyPath: path] = quality.count(name) }
        for (name, path) in EffectQuality.times where quality.given(name) != nil {
            sums.quality[keyPath: path] = quality.time(name)
        }
        return sums
    }

    private static func experiment(_ root: SourceValue, _ quality: EffectQuality) -> ExperimentSums {
        root.checkKeys([
            "kind", "rule", "salt", "epochs", "answers", "checkedUnits", "differentUnits",
            "otherKeyInstances", "notificationGaps",
        ])
        let kind = root.word("kind", of: Experiment.Kind.allCases) ?? .holdout
        var sums = ExperimentSums(
            Experiment(kind, rule: root.given("rule")?.string, salt: root.text("salt")))
        for value in root.list("epochs") {
            value.checkKeys(["from", "arms", "decisions"])
            let decisions = value.given("decisions")
            decisions?.checkKeys(["present", "missing"])
            sums.epochs.append(
                Epoch(
                    arms: arms(value), from: value.time("from"),
                    present: decisions?.count("present") ?? 0, missing: decisions?.count("missing") ?? 0))
        }
        for (arm, kinds) in root.given("answers")?.members ?? [] {
            for (kind, value) in kinds.members { sums.answers[arm, default: [:]][kind] = value.count }
        }
        sums.checkedUnits = root.count("checkedUnits")
        sums.differentUnits = root.count("differentUnits")
        // Who does not say of which experiment they are means all.
        sums.otherKeyInstances = root.given("otherKeyInstances")?.count ?? quality.otherKeyInstances
        sums.notificationGaps = root.given("notificationGaps")?.count ?? quality.notificationGaps
        return sums
    }

    private static func arms(_ epoch: SourceValue) -> [Epoch.Arm] {
        let arms = epoch.list("arms").map { value in
            value.checkKeys(["arm", "share"])
            return Epoch.Arm(value.text("arm"), value.count("share"))
        }
        if Set(arms.map(\.name)).count < arms.count { epoch.report(.duplicate, "an arm that stands twice") }
        if !(1...greatestShare).contains(arms.reduce(0) { $0 + min($1.share, greatestShare + 1) }) {
            epoch.report(.badValue, "shares that do not add up to 1 to \(greatestShare)")
        }
        return arms
    }

    private static func cell(_ root: SourceValue, _ epochs: [Epoch]) -> EffectCell? {
        root.checkKeys(["epoch", "arm", "day", "units", "values"])
        let (epoch, arm, day) = (root.count("epoch"), root.text("arm"), root.text("day"))
        guard epoch < epochs.count, epochs[epoch].arms.contains(where: { $0.name == arm }) else {
            root.report(.badValue, "the experiment has no such epoch or arm")
            return nil
        }
        guard day.utf8.count == 10, let time = CivilTime("\(day)T00:00:00Z") else {
            root.member("day")?.report(.badValue, "no day as 2026-11-21")
            return nil
        }
        var cell = EffectCell(epoch: epoch, arm: arm, day: Int(time.milliseconds / 86_400_000))
        cell.units = root.count("units")
        for value in root.list("values") {
            value.checkKeys(["outcome", "currency", "counts"])
            guard let outcome = value.word("outcome", of: Outcome.allCases) else { continue }
            let currency = value.given("currency")?.string
            if currency != nil, outcome.isShare { value.report(.badValue, "only revenue has a currency") }
            let counts = counts(value, of: outcome, units: cell.units)
            if cell.values.updateValue(counts, forKey: OutcomeKey(outcome, currency: currency)) != nil {
                value.report(.duplicate, "an outcome that stands twice")
            }
        }
        return cell
    }

    private static func counts(_ value: SourceValue, of outcome: Outcome, units: Int) -> [Int64: Int] {
        guard let members = value.required("counts"), members.isObject else { return [:] }
        let possible = outcome.isShare ? 0...1 : -greatestValue...greatestValue
        var counts: [Int64: Int] = [:]
        for (name, member) in members.members {
            guard let number = Int64(name), "\(number)" == name, possible.contains(number) else {
                member.report(.badValue, "not a value of \(outcome.rawValue)")
                continue
            }
            counts[number] = member.count
        }
        // A line has too few values for this sum to overflow.
        if counts.values.reduce(0, +) > units { members.report(.badValue, "more units than the cell has") }
        return counts
    }
}

/// A value that is missing or of the wrong form has been reported when these return something in its place.
extension SourceValue {
    /// So that no sum of them overflows.
    fileprivate static let greatestCount = 1_000_000_000_000

    fileprivate func report(_ reason: ReportReason, _ message: String) {
        findings.add(reason: reason, message, at: path)
    }

    /// Null is as good as no member.
    fileprivate func given(_ name: String) -> SourceValue? {
        member(name).flatMap { $0.value.kind == .null ? nil : $0 }
    }

    fileprivate func text(_ name: String) -> String { required(name)?.string ?? "" }

    fileprivate func list(_ name: String) -> [SourceValue] {
        let list = required(name)?.elements ?? []
        return list.filter(\.isObject)
    }

    /// Missing numbers are 0.
    fileprivate func count(_ name: String) -> Int { given(name)?.count ?? 0 }

    fileprivate var count: Int {
        guard let number = integer else { return 0 }
        guard (0...Int64(Self.greatestCount)).contains(number) else {
            report(.badValue, "not a number from 0 to \(Self.greatestCount)")
            return 0
        }
        return Int(number)
    }

    fileprivate func time(_ name: String) -> Int64 {
        guard let value = required(name), let text = value.string else { return 0 }
        if let time = CivilTime(text) { return time.milliseconds }
        value.report(.badValue, "no date as 2026-11-21T00:00:00Z")
        return 0
    }

    fileprivate func word<Word: RawRepresentable<String>>(_ name: String, of words: [Word]) -> Word? {
        required(name)?.choice(
            of: words, named: \.rawValue, ReportReason.badValue, { "\"\($0)\" does not exist" })
    }
}
