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
    private var unitCount: Int64 = 0

    private struct Place: Hashable {
        let experiment: Int
        let epoch: Int
        let arm: String
        let day: Int
    }

    private static let greatestCount: Int64 = 1_000_000_000_000
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
        func placed(_ finding: Finding) -> Finding {
            var finding = finding.inFile(file)
            finding.line = number
            return finding
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: line.span, limits: JSONLimits(byteCount: line.count, depth: Self.depth))
        } catch {
            return [placed(Finding(error))]
        }
        let findings = Findings(source: line, subject: "report", limit: 1, reportsOverflow: false)
        let root = SourceValue(document.root, path: [], findings)
        guard root.isObject else { return findings.sorted.map(placed) }
        if sums == nil {
            readApp(root)
        } else if root.member("epoch") != nil {
            readCell(root)
        } else {
            readExperiment(root)
        }
        return findings.sorted.map(placed)
    }

    /// Nil when there was no line.
    package func finished() -> EffectSums? {
        guard var sums else { return nil }
        for index in sums.experiments.indices {
            let experiment = sums.experiments[index]
            func place(_ cell: EffectCell) -> Int {
                experiment.epochs[cell.epoch].arms.firstIndex { $0.name == cell.arm } ?? 0
            }
            sums.experiments[index].cells.sort {
                ($0.epoch, place($0), $0.day) < ($1.epoch, place($1), $1.day)
            }
        }
        return sums
    }

    private static func report(_ value: SourceValue, _ reason: ReportReason, _ message: String) {
        value.findings.add(reason: reason, message, at: value.path)
    }

    private static func count(_ value: SourceValue?, upTo limit: Int64 = greatestCount) -> Int? {
        guard let value, let number = value.integer else { return nil }
        guard (0...limit).contains(number) else {
            report(value, .badValue, "not a number from 0 to \(limit)")
            return nil
        }
        return Int(number)
    }

    private static func time(_ value: SourceValue?) -> Int64? {
        guard let value, let text = value.string else { return nil }
        let time = CivilTime(text)?.milliseconds
        if time == nil { report(value, .badValue, "no date as 2026-11-21T00:00:00Z") }
        return time
    }

    private mutating func readApp(_ root: SourceValue) {
        root.checkKeys(["app", "environment", "now", "quality"])
        guard let app = root.required("app")?.string,
            let environment = root.required("environment")?.string,
            let now = Self.time(root.required("now"))
        else { return }
        var sums = EffectSums(app: app, environment: environment, now: now)
        if let quality = root.member("quality"), quality.isObject {
            quality.checkKeys(Self.qualityCounts.map(\.name) + Self.qualityTimes.map(\.name))
            for (name, path) in Self.qualityCounts {
                sums.quality[keyPath: path] = Self.count(quality.member(name)) ?? 0
            }
            for (name, path) in Self.qualityTimes {
                let member = quality.member(name).flatMap { $0.value.kind == .null ? nil : $0 }
                sums.quality[keyPath: path] = Self.time(member)
            }
        }
        self.sums = sums
    }

    private mutating func readExperiment(_ root: SourceValue) {
        root.checkKeys([
            "kind", "rule", "salt", "epochs", "answers", "checkedUnits", "differentUnits",
        ])
        let rule = root.member("rule").flatMap { $0.value.kind == .null ? nil : $0 }
        guard
            let kind = root.required("kind")?.choice(
                of: Experiment.Kind.allCases, named: \.rawValue, ReportReason.badValue,
                { "no experiment is of the kind \"\($0)\"" }),
            let salt = root.required("salt")?.string, let epochs = root.required("epochs")?.elements
        else { return }
        let experiment = Experiment(kind, rule: rule?.string, salt: salt)
        guard sums?.experiments.contains(where: { $0.experiment == experiment }) == false else {
            return Self.report(root, .duplicate, "an experiment that stands twice")
        }
        var read = ExperimentSums(experiment)
        for value in epochs {
            guard let epoch = Self.epoch(value) else { return }
            read.epochs.append(epoch.epoch)
            read.decisions.append(epoch.decisions)
        }
        if let answers = root.member("answers"), answers.isObject {
            for (arm, kinds) in answers.members where kinds.isObject {
                for (kind, value) in kinds.members {
                    read.answers[arm, default: [:]][kind] = Self.count(value)
                }
            }
        }
        read.checkedUnits = Self.count(root.member("checkedUnits")) ?? 0
        read.differentUnits = Self.count(root.member("differentUnits")) ?? 0
        sums?.experiments.append(read)
    }

    private static func epoch(_ value: SourceValue) -> (
        epoch: Epoch, decisions: (present: Int, missing: Int)
    )? {
        guard value.isObject else { return nil }
        value.checkKeys(["from", "arms", "decisions"])
        guard let from = time(value.required("from")), let elements = value.required("arms")?.elements else {
            return nil
        }
        var arms: [(name: String, share: Int)] = []
        for element in elements where element.isObject {
            element.checkKeys(["arm", "share"])
            guard let name = element.required("arm")?.string,
                let share = count(element.required("share"), upTo: 1_000_000)
            else { return nil }
            guard !arms.contains(where: { $0.name == name }) else {
                report(element, .duplicate, "an arm that stands twice")
                return nil
            }
            arms.append((name, share))
        }
        guard arms.contains(where: { $0.share > 0 }) else {
            report(value, .badValue, "shares that add up to nothing")
            return nil
        }
        let decisions = value.member("decisions")
        decisions?.checkKeys(["present", "missing"])
        let present = count(decisions?.member("present")) ?? 0
        let missing = count(decisions?.member("missing")) ?? 0
        return (Epoch(arms: arms, from: from), (present, missing))
    }

    private mutating func readCell(_ root: SourceValue) {
        root.checkKeys(["epoch", "arm", "day", "units", "values"])
        guard let index = sums.map({ $0.experiments.count - 1 }), let experiment = sums?.experiments.last
        else {
            return Self.report(root, .badValue, "a cell before the first experiment")
        }
        guard let epoch = Self.count(root.member("epoch")), let arm = root.required("arm")?.string,
            let dayValue = root.required("day"), let dayText = dayValue.string,
            let units = Self.count(root.required("units")), let values = root.required("values")?.elements
        else { return }
        guard epoch < experiment.epochs.count,
            experiment.epochs[epoch].arms.contains(where: { $0.name == arm })
        else { return Self.report(root, .badValue, "the experiment has no such epoch or arm") }
        guard let day = DayText.day(dayText) else {
            return Self.report(dayValue, .badValue, "no day as 2026-11-21")
        }
        guard cells.insert(Place(experiment: index, epoch: epoch, arm: arm, day: day)).inserted else {
            return Self.report(root, .duplicate, "a cell that stands twice")
        }
        unitCount += Int64(units)
        guard unitCount <= Self.greatestCount else {
            return Self.report(root, .badValue, "more than \(Self.greatestCount) units")
        }
        var cell = EffectCell(epoch: epoch, arm: arm, day: day)
        cell.units = units
        for value in values {
            guard let (key, counts) = Self.values(value, units: units) else { return }
            guard cell.values.updateValue(counts, forKey: key) == nil else {
                return Self.report(value, .duplicate, "an outcome that stands twice")
            }
        }
        sums?.experiments[index].cells.append(cell)
    }

    private static func values(_ value: SourceValue, units: Int) -> (OutcomeKey, [Int64: Int])? {
        guard value.isObject else { return nil }
        value.checkKeys(["outcome", "currency", "counts"])
        guard
            let outcome = value.required("outcome")?.choice(
                of: Outcome.allCases, named: \.rawValue, ReportReason.badValue,
                { "there is no outcome \"\($0)\"" }),
            let counts = value.required("counts"), counts.isObject
        else { return nil }
        let currency = value.member("currency")?.string
        guard currency == nil || outcome == .revenue30d else {
            report(value, .badValue, "only revenue has a currency")
            return nil
        }
        var result: [Int64: Int] = [:]
        var rest = units
        for (name, member) in counts.members {
            guard let number = Int64(name), "\(number)" == name,
                outcome.isShare ? (0...1).contains(number) : number.magnitude <= greatestValue.magnitude
            else {
                report(member, .badValue, "not a value of \(outcome.rawValue)")
                return nil
            }
            guard let count = count(member) else { return nil }
            guard count <= rest else {
                report(counts, .badValue, "more units than the cell has")
                return nil
            }
            rest -= count
            result[number] = count
        }
        return (OutcomeKey(outcome, currency: currency), result)
    }
}
