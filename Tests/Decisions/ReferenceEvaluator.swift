import JSON
import Rules
import System

/// A second, naive implementation of the rules language. It reads the JSON source into a tree of the same shape,
/// compares names and strings, sorts nothing and does not use the rules file. Agreement with it is the main test of
/// the evaluator.
struct ReferenceEvaluator {
    let source: ReferenceSource

    /// The decision about a request.
    struct Answer: Hashable {
        /// The kind of what is served: `message`, `switch`, `offer` or `advancedCommerce`; nil for nothing.
        var kind: String?
        var identifier: String?
        var rule: String?
        var arm: String?
        var reason = ""
        var isHeldOut = false
        /// Rule, arm, message and reason of the decision that would have been served.
        var shadow: [String?]?
        /// Rule, arm and failed step of each draw that came before the decision and was not served, at most eight. For
        /// a subscriber who is held out, these are the draws of the shadow.
        var assigned: [[String?]] = []
        /// The numbers of failed rules. Rules that failed by condition, window or `enabled` are not counted.
        var failures = Failures()
    }

    /// The number of rules that failed at each step.
    struct Failures: Hashable {
        var notInRollout = 0
        var noArm = 0
        var capped = 0
        var unapproved = 0
        var noLocale = 0
        var signFailed = 0
    }

    func answer(_ subject: ReferenceSubject) -> Answer {
        if source.killSwitch { return Answer(reason: "KILL_SWITCH") }
        guard subject.request.appAppleId == source.app,
            subject.request.environment.rawValue == source.environment
        else { return Answer(reason: "ERROR") }
        var walk = Walk(evaluator: self, subject: subject)
        let answer = walk.rules()
        guard let holdout = source.holdout, isHeldOut(holdout, subject) else { return answer }
        var heldOut = Answer(reason: "HOLDOUT", isHeldOut: true, failures: answer.failures)
        heldOut.assigned = answer.assigned
        let message = source.messages.first { $0.identifiers.values.contains(answer.identifier ?? "") }?.name
        heldOut.shadow = [answer.rule, answer.arm, message, answer.reason]
        if case .message(let kind, let name) = holdout.serve, kind == "message",
            let identifier = find(name, subject).found
        {
            (heldOut.kind, heldOut.identifier) = (kind, identifier)
        }
        return heldOut
    }

    private func isHeldOut(_ holdout: ReferenceSource.Holdout, _ subject: ReferenceSubject) -> Bool {
        if let until = holdout.until, subject.request.nowMilliseconds >= until { return false }
        return bucket(holdout.split, subject).map { $0 < holdout.split.basisPoints } ?? false
    }

    func bucket(_ split: ReferenceSource.Split, _ subject: ReferenceSubject) -> Int? {
        guard case .string(let unit)? = subject.fact(split.unit ?? "originalTransactionId") else {
            return nil
        }
        return Bucketing.bucket(salt: split.salt, unit: unit)
    }

    /// Returns the identifier to show for a message. `isMasked` is true when the search met an identifier that may not
    /// be shown.
    func find(_ name: String, _ subject: ReferenceSubject) -> (found: String?, isMasked: Bool) {
        let message = source.messages.first { $0.name == name }
        let identifiers = message?.identifiers ?? [:]
        var locale: String? = subject.request.userLocale
        var isMasked = false
        func identifierToShow(_ locale: String?) -> String? {
            guard let locale, let identifier = identifiers[locale] else { return nil }
            if source.unapproved.contains(identifier) {
                isMasked = true
                return nil
            }
            return identifier
        }
        while locale != nil {
            if let found = identifierToShow(locale) { return (found, isMasked) }
            if isMasked, message?.passes == true { return (nil, true) }
            locale = locale.flatMap { source.fallback[$0] }
        }
        let found = identifierToShow(source.last)
        return (found, isMasked)
    }

    /// One evaluation of the rules for one request.
    struct Walk {
        let evaluator: ReferenceEvaluator
        let subject: ReferenceSubject
        private var answer = Answer()
        private var firstFailure: String?

        init(evaluator: ReferenceEvaluator, subject: ReferenceSubject) {
            self.evaluator = evaluator
            self.subject = subject
        }

        mutating func fail(_ reason: String, _ counter: WritableKeyPath<Failures, Int>) {
            answer.failures[keyPath: counter] += 1
            if firstFailure == nil { firstFailure = reason }
        }

        mutating func rules() -> Answer {
            let now = subject.request.nowMilliseconds
            for rule in evaluator.source.rules {
                guard rule.isEnabled, rule.from.map({ now >= $0 }) ?? true, rule.to.map({ now < $0 }) ?? true
                else { continue }
                guard rule.when.map({ truth($0) == true }) ?? true else { continue }
                if let rollout = rule.rollout {
                    let bucket = evaluator.bucket(rollout, subject)
                    guard let bucket, bucket < rollout.basisPoints else {
                        answer.failures.notInRollout += 1
                        if bucket != nil { assign([rule.id, nil, "rollout"]) }
                        continue
                    }
                }
                var serve = rule.serve
                var arm: String?
                if let variants = rule.variants {
                    guard let bucket = evaluator.bucket(variants, subject) else {
                        answer.failures.noArm += 1
                        if rule.rollout != nil { assign([rule.id, nil, "arm"]) }
                        continue
                    }
                    var end = 0
                    for candidate in rule.arms where arm == nil {
                        end += candidate.weight
                        if bucket < end { (arm, serve) = (candidate.name, candidate.serve) }
                    }
                }
                let reason = rule.rollout == nil && rule.variants == nil ? "TARGETING_MATCH" : "SPLIT"
                let before = answer.failures
                if let served = self.serve(serve, reason, rule: rule.id, arm: arm) { return served }
                if reason == "SPLIT" { assign([rule.id, arm, failedStep(since: before)]) }
            }
            if let serve = evaluator.source.defaultServe,
                let served = self.serve(serve, "DEFAULT", rule: nil, arm: nil)
            {
                return served
            }
            answer.reason = firstFailure ?? "NONE"
            return answer
        }

        private mutating func assign(_ draw: [String?]) {
            if answer.assigned.count < 8 { answer.assigned.append(draw) }
        }

        /// Returns the step whose count of failures has grown.
        private func failedStep(since before: Failures) -> String {
            let now = answer.failures
            if now.capped > before.capped { return "caps" }
            if now.unapproved > before.unapproved { return "approval" }
            return now.noLocale > before.noLocale ? "locale" : "signing"
        }

        private mutating func serve(
            _ serve: ReferenceSource.Serve, _ reason: String, rule: String?, arm: String?
        ) -> Answer? {
            var result = answer
            (result.reason, result.rule, result.arm) = (reason, rule, arm)
            guard case .message(let kind, let name) = serve else { return result }
            let (found, isMasked) = evaluator.find(name, subject)
            let signing = subject.request.signing
            let canSign =
                kind == "offer"
                ? signing.contains(.offers)
                : kind == "advancedCommerce" ? signing.contains(.advancedCommerce) : true
            if kind == "offer", !mayHaveOffer {
                fail("CAPPED", \.capped)
                if found != nil, answer.shadow == nil { answer.shadow = [rule, arm, name, reason] }
                return nil
            }
            guard let found else {
                if isMasked { fail("UNAPPROVED", \.unapproved) } else { fail("NO_LOCALE", \.noLocale) }
                return nil
            }
            guard canSign else {
                fail("SIGN_FAILED", \.signFailed)
                return nil
            }
            (result.kind, result.identifier) = (kind, found)
            return result
        }

        private var mayHaveOffer: Bool {
            guard let caps = evaluator.source.caps else { return true }
            let accepted = subject.number(caps.acceptedFact)
            let last = subject.number(caps.lastFact)
            if let most = caps.maxAccepted, let accepted, accepted >= most { return false }
            if let days = caps.minDays, let last,
                subject.request.nowMilliseconds - last < days * 86_400_000
            {
                return false
            }
            let needsCount = evaluator.source.facts.contains(caps.acceptedFact)
            let needsDate = evaluator.source.facts.contains(caps.lastFact) && accepted != 0
            let isUnknown = needsCount && accepted == nil || needsDate && last == nil
            return !isUnknown || caps.allowsUnknown
        }

        private func truth(_ condition: ReferenceSource.Condition) -> Bool? {
            switch condition {
            case .not(let child): return truth(child).map { !$0 }
            case .segment(let name): return evaluator.source.segments[name].flatMap(truth)
            case .all(let children):
                let truths = children.map(truth)
                if truths.contains(where: { $0 == false }) { return false }
                return truths.contains(where: { $0 == nil }) ? nil : true
            case .any(let children):
                let truths = children.map(truth)
                if truths.contains(where: { $0 == true }) { return true }
                return truths.contains(where: { $0 == nil }) ? nil : false
            case .predicate(let fact, let operation, let operands):
                if operation == "exists" {
                    return (subject.fact(fact) != nil) == (operands[0] == .boolean(true))
                }
                return subject.fact(fact).map { holds($0, operation, operands) }
            }
        }

        private func holds(_ fact: ReferenceValue, _ operation: String, _ operands: [ReferenceValue]) -> Bool
        {
            let days = { (operands[0].number ?? 0) * 86_400_000 }
            let passed = { subject.request.nowMilliseconds - (fact.number ?? 0) }
            switch operation {
            case "eq": return fact == operands[0]
            case "ne": return fact != operands[0]
            case "in": return operands.contains(fact)
            case "notIn": return !operands.contains(fact)
            case "prefix": return fact.text.utf8.starts(with: operands[0].text.utf8)
            case "gt": return (fact.number ?? 0) > (operands[0].number ?? 0)
            case "gte": return (fact.number ?? 0) >= (operands[0].number ?? 0)
            case "lt": return (fact.number ?? 0) < (operands[0].number ?? 0)
            case "lte": return (fact.number ?? 0) <= (operands[0].number ?? 0)
            case "between":
                return (operands[0].number ?? 0) <= (fact.number ?? 0)
                    && (fact.number ?? 0) <= (operands[1].number ?? 0)
            case "olderThanDays": return passed() > days()
            case "youngerThanDays": return passed() < days()
            default: preconditionFailure("the naive evaluator does not know \(operation)")
            }
        }
    }
}
