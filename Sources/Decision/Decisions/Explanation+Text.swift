internal import DataFiles
internal import Vocabulary

extension Explanation {
    /// Returns the window of a rule, such as ` (2026-11-01T00:00:00Z to 2026-12-31T00:00:00Z)`; an empty string for a
    /// rule that is always on.
    func window(ofRule index: Int) -> String {
        guard let rule = file.withBytes({ file.tables.rules.record(at: index, in: $0) }) else { return "" }
        let from = rule.windowFrom == .min ? nil : FactValue.date(rule.windowFrom).text
        let to = rule.windowTo == .max ? nil : FactValue.date(rule.windowTo).text
        switch (from, to) {
        case (nil, nil): return ""
        case (let from?, nil): return " (from \(from))"
        case (nil, let to?): return " (until \(to))"
        case (let from?, let to?): return " (\(from) to \(to))"
        }
    }

    /// Returns the result of a draw, such as
    /// `in (bucket 512, below 1000; hash 0d1b71a3 of "annual-1" and "2000000001")`.
    func text(of draw: SplitDraw) -> String {
        let split = split(draw.split)
        let unit = split.flatMap { UInt16(exactly: $0.unit) }.flatMap(Fact.init(number:))
        guard let hash = draw.hash, let bucket = draw.bucket else {
            return "out (\(unit?.text(in: file) ?? "unit") is missing)"
        }
        let points = split?.basisPoints ?? 0
        let place = draw.isIn ? "in (bucket \(bucket), below" : "out (bucket \(bucket), not below"
        return "\(place) \(points); \(hashText(hash, split, unit)))"
    }

    /// Returns the arm that was drawn, such as
    /// `offer (bucket 7120, 5000 to 9999; hash 0d1b71a3 of "annual-1-v" and "2000000001")`.
    func text(ofArm index: Int?, _ draw: SplitDraw, _ rule: Int) -> String {
        guard let index, let hash = draw.hash, let bucket = draw.bucket else { return text(of: draw) }
        let split = split(draw.split)
        let unit = split.flatMap { UInt16(exactly: $0.unit) }.flatMap(Fact.init(number:))
        let name = file.armName(at: index, ofRule: rule) ?? "\(index)"
        let (first, end) = range(ofArm: index, rule)
        return "\(name) (bucket \(bucket), \(first) to \(end - 1); \(hashText(hash, split, unit)))"
    }

    private func hashText(_ hash: UInt32, _ split: SplitRecord?, _ unit: Fact?) -> String {
        let salt = split.flatMap { file.string($0.salt) } ?? ""
        return "hash \(digits(of: hash)) of \"\(salt)\" and \"\(unit.map { reader.text(of: $0) } ?? "")\""
    }

    /// Returns a hash as eight hexadecimal digits.
    func digits(of hash: UInt32) -> String {
        HexadecimalDigits.text(of: hash, count: 8)
    }

    func split(_ reference: EntryReference) -> SplitRecord? {
        file.withBytes { file.tables.splits.record(at: reference.index, in: $0) }
    }

    private func range(ofArm index: Int, _ rule: Int) -> (first: Int, end: Int) {
        file.withBytes { bytes in
            let first = file.tables.ruleSteps.record(at: rule, in: bytes)?.firstArm.index ?? 0
            let before = index > 0 ? file.tables.arms.record(at: first + index - 1, in: bytes)?.end : 0
            let end = file.tables.arms.record(at: first + index, in: bytes)?.end
            return (Int(before ?? 0), Int(end ?? 0))
        }
    }

    /// Returns the result of the caps, such as `passes (offersAccepted is 0, lastOfferAt is missing)`.
    func text(of caps: CapsCheck) -> String {
        let verdict =
            switch caps.verdict {
            case .passes: "passes"
            case .tooMany: "too many"
            case .tooSoon: "too soon"
            case .unknown(let passes): passes ? "unknown, allowed" : "unknown, refused"
            }
        let record = file.withBytes { file.tables.caps.record(at: 0, in: $0) }
        func name(_ number: UInt16?, else other: String) -> String {
            number.flatMap(Fact.init(number:))?.text(in: file) ?? other
        }
        let accepted = caps.accepted.map { FactValue.integer($0).text } ?? "missing"
        let last = caps.last.map { FactValue.date($0).text } ?? "missing"
        return verdict + " (\(name(record?.acceptedFact, else: "offersAccepted")) is \(accepted), "
            + "\(name(record?.lastFact, else: "lastOfferAt")) is \(last))"
    }

    /// Returns the result of a search in one locale, such as `de-DE (fallback): found`.
    func text(of attempt: LocaleAttempt) -> String {
        let name = file.string(attempt.locale) ?? request.userLocale
        let origin =
            switch attempt.origin {
            case .subscriber: ""
            case .fallback: " (fallback)"
            case .last: " (last)"
            }
        let result = attempt.isFound ? "found" : attempt.isMasked ? "not approved" : "no message"
        return "\(name)\(origin): \(result)"
    }
}
