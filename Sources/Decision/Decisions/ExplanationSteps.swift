internal import DataFiles
internal import Vocabulary

extension Explanation {
    /// Returns the line of a step that is no condition.
    func line(of step: DecisionStep, _ rule: Int) -> Line {
        switch step {
        case .killSwitch(let isOn): Line(0, "kill switch", isOn ? "on" : "off", [Detail("isOn", isOn)])
        case .app(let matches):
            Line(
                0, "app and environment",
                matches ? "\(request.appAppleId) \(request.environment.rawValue)" : "another file's",
                [Detail("passes", matches)])
        case .holdout(nil): Line(0, "holdout", "over", [Detail("isOver", true)])
        case .holdout(let draw?):
            Line(0, "holdout", text(of: draw), [Detail("isOver", false)] + details(of: draw))
        case .rule(let index, let isCandidate):
            Line(
                0, "rule",
                (file.ruleID(at: index) ?? "\(index)") + (isCandidate ? "" : " (not for this product)"),
                [Detail("rule", file.ruleID(at: index)), Detail("isForProduct", isCandidate)])
        case .enabled(let isEnabled):
            Line(1, "enabled", isEnabled ? "yes" : "no", [Detail("passes", isEnabled)])
        case .window(let isOpen): line(ofWindow: isOpen, rule)
        case .rollout(let draw): Line(1, "rollout", text(of: draw), details(of: draw))
        case .arm(let draw, let index): line(ofArm: index, draw, rule)
        case .caps(let caps): line(of: caps)
        case .approval(let passes, let masked, let isFinal):
            Line(
                1, "approval",
                passes
                    ? "yes"
                    : "no: \(file.string(masked) ?? "")" + (isFinal ? " (whenUnapproved is pass)" : ""),
                [Detail("passes", passes), Detail("locale", file.string(masked))])
        case .locale(let attempt): line(of: attempt)
        case .signing(let kind, let isPossible):
            Line(
                1, "signing", isPossible ? kind.name : "\(kind.name): impossible",
                [Detail("passes", isPossible), Detail("kind", kind.name)])
        case .defaultOutcome(let exists):
            Line(0, "default", exists ? "" : "there is none", [Detail("exists", exists)])
        case .node, .when, .holdoutOutcome: Line(1, "when", "")
        }
    }

    /// Returns the line of a rule's window, such as `open (2026-11-01T00:00:00Z to 2026-12-31T00:00:00Z)`.
    private func line(ofWindow isOpen: Bool, _ rule: Int) -> Line {
        let record = file.withBytes { file.tables.rules.record(at: rule, in: $0) } ?? RuleRecord()
        let from = record.windowFrom == .min ? nil : FactValue.date(record.windowFrom)
        let to = record.windowTo == .max ? nil : FactValue.date(record.windowTo)
        let range =
            switch (from?.text, to?.text) {
            case (nil, nil): ""
            case (let from?, nil): " (from \(from))"
            case (nil, let to?): " (until \(to))"
            case (let from?, let to?): " (\(from) to \(to))"
            }
        return Line(
            1, "window", (isOpen ? "open" : "closed") + range,
            [Detail("passes", isOpen), Detail("from", from), Detail("to", to)])
    }

    /// Returns the result of a draw, such as
    /// `in (bucket 512, below 1000; hash 0d1b71a3 of "annual-1" and "2000000001")`.
    private func text(of draw: SplitDraw) -> String {
        let (split, unit) = split(of: draw)
        guard let hash = draw.hash, let bucket = draw.bucket else {
            return "out (\(unit?.text(in: file) ?? "unit") is missing)"
        }
        let place = draw.isIn ? "in (bucket \(bucket), below" : "out (bucket \(bucket), not below"
        return "\(place) \(split?.basisPoints ?? 0); \(hashText(hash, split, unit)))"
    }

    private func details(of draw: SplitDraw) -> [Detail] {
        [Detail("passes", draw.isIn)] + hashDetails(draw)
            + [Detail("basisPoints", split(of: draw).split.map { Int($0.basisPoints) })]
    }

    /// Returns the line of the arm that was drawn, such as
    /// `offer (bucket 7120, 5000 to 9999; hash 0d1b71a3 of "annual-1-v" and "2000000001")`.
    private func line(ofArm index: Int?, _ draw: SplitDraw, _ rule: Int) -> Line {
        let name = index.flatMap { file.armName(at: $0, ofRule: rule) }
        var result = text(of: draw)
        if let index, let hash = draw.hash, let bucket = draw.bucket {
            let (split, unit) = split(of: draw)
            let (first, end) = range(ofArm: index, rule)
            result =
                "\(name ?? "\(index)") (bucket \(bucket), \(first) to \(end - 1); \(hashText(hash, split, unit)))"
        }
        return Line(
            1, "arm", result, [Detail("passes", index != nil), Detail("arm", name)] + hashDetails(draw))
    }

    private func range(ofArm index: Int, _ rule: Int) -> (first: Int, end: Int) {
        file.withBytes { bytes in
            let first = file.tables.ruleSteps.record(at: rule, in: bytes)?.firstArm.index ?? 0
            let before = index > 0 ? file.tables.arms.record(at: first + index - 1, in: bytes)?.end : 0
            let end = file.tables.arms.record(at: first + index, in: bytes)?.end
            return (Int(before ?? 0), Int(end ?? 0))
        }
    }

    private func split(of draw: SplitDraw) -> (split: SplitRecord?, unit: Fact?) {
        let split = file.withBytes { file.tables.splits.record(at: draw.split.index, in: $0) }
        return (split, split.flatMap { UInt16(exactly: $0.unit) }.flatMap(Fact.init(number:)))
    }

    private func hashText(_ hash: UInt32, _ split: SplitRecord?, _ unit: Fact?) -> String {
        let salt = split.flatMap { file.string($0.salt) } ?? ""
        let digits = HexadecimalDigits.text(of: hash, count: 8)
        return "hash \(digits) of \"\(salt)\" and \"\(unit.map(text(of:)) ?? "")\""
    }

    private func hashDetails(_ draw: SplitDraw) -> [Detail] {
        let (split, unit) = split(of: draw)
        return [
            Detail("salt", split.flatMap { file.string($0.salt) }),
            Detail("unit", unit.map { $0.text(in: file) }), Detail("value", unit.flatMap(value(of:))),
            Detail("hash", draw.hash.map { Int($0) }), Detail("bucket", draw.bucket),
        ]
    }

    /// Returns the line of the caps, such as `passes (offersAccepted is 0, lastOfferAt is missing)`.
    private func line(of caps: CapsCheck) -> Line {
        let (words, verdict) =
            switch caps.verdict {
            case .passes: ("passes", "passes")
            case .tooMany: ("too many", "tooMany")
            case .tooSoon: ("too soon", "tooSoon")
            case .unknown(let passes): (passes ? "unknown, allowed" : "unknown, refused", "unknown")
            }
        let record = file.withBytes { file.tables.caps.record(at: 0, in: $0) }
        func name(_ number: UInt16?, else other: String) -> String {
            number.flatMap(Fact.init(number:))?.text(in: file) ?? other
        }
        let accepted = caps.accepted.map { FactValue.integer($0) }
        let last = caps.last.map { FactValue.date($0) }
        return Line(
            1, "caps",
            words
                + " (\(name(record?.acceptedFact, else: "offersAccepted")) is \(accepted?.text ?? "missing"), "
                + "\(name(record?.lastFact, else: "lastOfferAt")) is \(last?.text ?? "missing"))",
            [
                Detail("passes", caps.verdict.passes), Detail("verdict", verdict),
                Detail("accepted", accepted), Detail("last", last),
            ])
    }

    /// Returns the line of a search in one locale, such as `de-DE (fallback): found`.
    private func line(of attempt: LocaleAttempt) -> Line {
        let name = file.string(attempt.locale) ?? request.userLocale
        let origin = attempt.origin == .subscriber ? "" : " (\(attempt.origin.rawValue))"
        let result = attempt.isFound ? "found" : attempt.isMasked ? "not approved" : "no message"
        return Line(
            1, "locale", "\(name)\(origin): \(result)",
            [
                Detail("passes", attempt.isFound), Detail("locale", name),
                Detail("origin", attempt.origin.rawValue), Detail("isApproved", !attempt.isMasked),
            ])
    }
}
