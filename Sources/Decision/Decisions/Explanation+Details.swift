public import DataFiles

extension Explanation {
    /// One named value of a step, for programs.
    public struct Detail: Sendable, Hashable {
        /// The value of a detail: one fact value, or a list of texts.
        public enum Value: Sendable, Hashable {
            /// One value; nil when it is missing.
            case one(FactValue?)
            /// A list of texts, possibly empty.
            case texts([String])
        }

        /// The name of the value, such as `bucket`.
        public let name: String
        /// The value itself.
        public let value: Value

        init(_ name: String, _ value: FactValue?) {
            self.name = name
            self.value = .one(value)
        }

        init(_ name: String, texts: [String]) {
            self.name = name
            value = .texts(texts)
        }

        init(_ name: String, _ text: String?) { self.init(name, text.map { .string($0) }) }
        init(_ name: String, _ number: Int?) { self.init(name, number.map { .integer(Int64($0)) }) }
        init(_ name: String, _ isTrue: Bool) { self.init(name, .boolean(isTrue)) }
    }

    /// Returns the values of a step that is not a node of a condition.
    func details(of step: DecisionStep, _ rule: Int) -> [Detail] {
        switch step {
        case .killSwitch(let isOn): [Detail("isOn", isOn)]
        case .app(let matches): [Detail("passes", matches)]
        case .holdout(let draw):
            draw.map { [Detail("isOver", false)] + details(of: $0) } ?? [Detail("isOver", true)]
        case .rule(let index, let isCandidate):
            [Detail("rule", file.ruleID(at: index)), Detail("isForProduct", isCandidate)]
        case .enabled(let passes): [Detail("passes", passes)]
        case .window(let isOpen): [Detail("passes", isOpen)] + windowDetails(ofRule: rule)
        case .rollout(let draw): details(of: draw)
        case .arm(let draw, let index): armDetails(draw, index, rule)
        case .caps(let caps): details(of: caps)
        case .approval(let passes, let masked, _):
            [Detail("passes", passes), Detail("locale", file.string(masked))]
        case .locale(let attempt):
            [
                Detail("passes", attempt.isFound),
                Detail("locale", file.string(attempt.locale) ?? request.userLocale),
                Detail("origin", attempt.origin.rawValue), Detail("isApproved", !attempt.isMasked),
            ]
        case .signing(let kind, let isPossible):
            [Detail("passes", isPossible), Detail("kind", kind.name)]
        case .defaultOutcome(let exists): [Detail("exists", exists)]
        case .node, .when, .holdoutOutcome: []
        }
    }

    /// Returns the values of a node of a condition; an empty list for a damaged node.
    func details(of node: Condition?, _ truth: Truth) -> [Detail] {
        guard let node else { return [] }
        var details = [Detail("operation", node.operation.word), Detail("truth", truth.rawValue)]
        if case .segment(let index) = node { details.append(Detail("segment", file.segmentName(at: index))) }
        if let fact = node.fact {
            details += [Detail("fact", fact.text(in: file)), Detail("value", reader.value(of: fact))]
        }
        return details
    }

    private func windowDetails(ofRule rule: Int) -> [Detail] {
        guard let record = file.withBytes({ file.tables.rules.record(at: rule, in: $0) }) else { return [] }
        return [
            Detail("from", record.windowFrom == .min ? nil : FactValue.date(record.windowFrom)),
            Detail("to", record.windowTo == .max ? nil : FactValue.date(record.windowTo)),
        ]
    }

    private func details(of draw: SplitDraw) -> [Detail] {
        [Detail("passes", draw.isIn)] + hashDetails(draw)
            + [Detail("basisPoints", split(draw.split).map { Int($0.basisPoints) })]
    }

    private func armDetails(_ draw: SplitDraw, _ index: Int?, _ rule: Int) -> [Detail] {
        let name = index.flatMap { file.armName(at: $0, ofRule: rule) }
        return [Detail("passes", index != nil), Detail("arm", name)] + hashDetails(draw)
    }

    private func hashDetails(_ draw: SplitDraw) -> [Detail] {
        let split = split(draw.split)
        let unit = split.flatMap { UInt16(exactly: $0.unit) }.flatMap(Fact.init(number:))
        return [
            Detail("salt", split.flatMap { file.string($0.salt) }),
            Detail("unit", unit.map { $0.text(in: file) }), Detail("value", unit.flatMap(reader.value(of:))),
            Detail("hash", draw.hash.map { Int($0) }), Detail("bucket", draw.bucket),
        ]
    }

    private func details(of caps: CapsCheck) -> [Detail] {
        let verdict =
            switch caps.verdict {
            case .passes: "passes"
            case .tooMany: "tooMany"
            case .tooSoon: "tooSoon"
            case .unknown: "unknown"
            }
        return [
            Detail("passes", caps.verdict.passes), Detail("verdict", verdict),
            Detail("accepted", caps.accepted.map { .integer($0) }),
            Detail("last", caps.last.map { .date($0) }),
        ]
    }
}
