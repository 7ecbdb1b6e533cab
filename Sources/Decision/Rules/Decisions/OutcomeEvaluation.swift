internal import Facts
internal import System

struct Served {
    let outcome: Decision.Outcome
    let message: Int?
    let locale: EntryReference

    static let nothing = Served(outcome: .nothing, message: nil, locale: .none)
}

/// `withoutCaps` is what a capped offer would have served without the caps; nil for other failures.
enum Preparation {
    case served(Served)
    case failed(DecisionReason, withoutCaps: Served?)
}

private struct LocaleSearch {
    var found: IdentifierRecord?
    var firstMasked = EntryReference.none
    /// The locales that the search tried. Filled only for a tracer that records.
    var attempts: [LocaleAttempt] = []
}

extension Evaluation {
    mutating func prepare(_ reference: EntryReference, _ bytes: RawSpan) -> Preparation {
        guard let outcome = tables.outcomes.record(at: reference.index, in: bytes),
            let kind = OutcomeKind(rawValue: outcome.kind)
        else { return .failed(.error, withoutCaps: nil) }
        if kind == .nothing { return .served(.nothing) }
        if kind == .offer, let caps = checkCaps(bytes) {
            tracer.record(.caps(caps))
            if !caps.verdict.passes {
                let rest = present(outcome, kind, isShadow: true, bytes)
                guard case .served(let withoutCaps) = rest else { return .failed(.capped, withoutCaps: nil) }
                return .failed(.capped, withoutCaps: withoutCaps)
            }
        }
        return present(outcome, kind, isShadow: false, bytes)
    }

    /// For the shadow of a cap it traces nothing and does not check signing: the shadow says what the cap kept from the
    /// subscriber, even in a service that cannot sign yet.
    private mutating func present(
        _ outcome: OutcomeRecord, _ kind: OutcomeKind, isShadow: Bool, _ bytes: RawSpan
    ) -> Preparation {
        guard let message = tables.messages.record(at: outcome.message.index, in: bytes),
            let content = content(of: outcome, kind, bytes)
        else { return .failed(.error, withoutCaps: nil) }
        let search = search(message, bytes)
        let isApproved = search.found != nil || search.firstMasked.isNone
        if !isShadow {
            let isFinal = message.failsWhenUnapproved != 0
            tracer.record(.approval(passes: isApproved, masked: search.firstMasked, isFinal: isFinal))
            if isApproved { for attempt in search.attempts { tracer.record(.locale(attempt)) } }
        }
        guard let entry = search.found else {
            return .failed(isApproved ? .noLocale : .unapproved, withoutCaps: nil)
        }
        let needed = kind.neededSigning
        if !needed.isEmpty, !isShadow {
            let isPossible = request.signing.isSuperset(of: needed)
            tracer.record(.signing(kind, isPossible: isPossible))
            guard isPossible else { return .failed(.signFailed, withoutCaps: nil) }
        }
        return .served(
            Served(
                outcome: .serve(content, messageIdentifier: UUID(high: entry.high, low: entry.low)),
                message: outcome.message.index, locale: entry.locale))
    }

    /// Searches for an identifier of a message: in the subscriber's own locale, then along its chain of fallbacks, then
    /// in the file's `last` locale. An identifier that Apple has not approved counts as missing, unless the message
    /// says that the rule then fails (`"whenUnapproved": "pass"`).
    private mutating func search(_ message: MessageRecord, _ bytes: RawSpan) -> LocaleSearch {
        var search = LocaleSearch()
        var locale = string(.userLocale, bytes)
        if tryLocale(.subscriber, locale, message, &search, bytes) { return search }
        // The compiler refuses fallbacks in a circle, so the chain ends.
        let fallbacks = tables.localeFallbacks
        while let step = fallbacks.find(locale, in: 0..<fallbacks.count, bytes, key: { $0.locale }) {
            locale = step.fallback
            if tryLocale(.fallback, locale, message, &search, bytes) { return search }
        }
        guard !tables.settings.lastLocale.isNone else { return search }
        _ = tryLocale(.last, tables.settings.lastLocale, message, &search, bytes)
        return search
    }

    private mutating func tryLocale(
        _ origin: LocaleAttempt.Origin, _ locale: EntryReference, _ message: MessageRecord,
        _ search: inout LocaleSearch, _ bytes: RawSpan
    ) -> Bool {
        let own = message.firstIdentifier.index..<message.firstIdentifier.index + Int(message.identifierCount)
        let entry = tables.messageIdentifiers.find(locale, in: own, bytes) { $0.locale }
        let isMasked = (entry?.isMasked ?? 0) != 0 && !treatsAllAsApproved
        if isMasked, search.firstMasked.isNone { search.firstMasked = locale }
        if !isMasked { search.found = entry }
        if Tracer.isRecording {
            let attempt = LocaleAttempt(
                origin: origin, locale: locale, isFound: search.found != nil, isMasked: isMasked)
            search.attempts.append(attempt)
        }
        return search.found != nil || isMasked && message.failsWhenUnapproved != 0
    }

    private func content(of outcome: OutcomeRecord, _ kind: OutcomeKind, _ bytes: RawSpan) -> Decision
        .Content?
    {
        func text(_ reference: EntryReference) -> FileString? {
            tables.strings.place(of: reference, in: bytes)
        }
        switch kind {
        case .nothing: return nil
        case .message: return .message
        case .switch:
            let plan = tables.billingPlanType(outcome.second, in: bytes)
            return text(outcome.first).map { .switch(productId: $0, billingPlanType: plan) }
        case .offer:
            guard let productId = text(outcome.first), let offer = text(outcome.second) else { return nil }
            return .offer(productId: productId, offerIdentifier: offer)
        case .advancedCommerce: return text(outcome.first).map { .advancedCommerce(request: $0) }
        }
    }

    /// Checks the caps of the file; returns nil when the file has none.
    ///
    /// The rules may declare the count (`offersAccepted`), the date of the last offer (`lastOfferAt`), or both. A cap
    /// needs its own fact, and a declared fact is checked whichever cap the file has:
    ///
    /// | declared | count | date | offer |
    /// | --- | --- | --- | --- |
    /// | both | missing | any | unknown |
    /// | both | 0 | missing | passes |
    /// | both | not 0 | missing | unknown |
    /// | both | any | there | as the caps say |
    /// | the count | missing | | unknown |
    /// | the count | any | | as `maxAccepted` says |
    /// | the date | | missing | unknown: the subscriber never had an offer, or the facts do not say |
    /// | the date | | there | as `minDaysSinceLast` says |
    ///
    /// For a subscriber without a record, both facts are missing. Too many and too soon refuse the offer, whatever else
    /// is unknown.
    private mutating func checkCaps(_ bytes: RawSpan) -> CapsCheck? {
        guard let caps = tables.caps.record(at: 0, in: bytes) else { return nil }
        let accepted = facts.value(of: caps.acceptedFact, ValueKind.integer.rawValue, file, bytes)
        let last = facts.value(of: caps.lastFact, ValueKind.date.rawValue, file, bytes)
        let least = caps.minDaysSinceLast &* Self.dayMilliseconds
        let verdict: CapsCheck.Verdict
        if caps.maxAccepted >= 0, let accepted, accepted >= caps.maxAccepted {
            verdict = .tooMany
        } else if caps.minDaysSinceLast >= 0, let last,
            elapsed(since: last) < least
        {
            verdict = .tooSoon
        } else if caps.isKnown(accepted: accepted, last: last) {
            verdict = .passes
        } else {
            verdict = .unknown(passes: caps.allowsUnknown != 0)
        }
        return CapsCheck(accepted: accepted, last: last, verdict: verdict)
    }

    static var dayMilliseconds: Int64 { 86_400_000 }

    func elapsed(since date: Int64) -> Int64 {
        let (difference, overflows) = request.nowMilliseconds.subtractingReportingOverflow(date)
        guard overflows else { return difference }
        return date < 0 ? .max : .min
    }
}

extension CapsRecord {
    /// A fact that the rules do not declare has the number 0.
    fileprivate func isKnown(accepted: Int64?, last: Int64?) -> Bool {
        // Caps without a limit need no fact.
        guard maxAccepted >= 0 || minDaysSinceLast >= 0 else { return true }
        let (hasCount, hasDate) = (acceptedFact != 0, lastFact != 0)
        if accepted == nil, hasCount || maxAccepted >= 0 { return false }
        // A subscriber who never accepted an offer has no date of a last offer.
        return last != nil || accepted == 0 || !(hasDate || minDaysSinceLast >= 0)
    }
}
