internal import DataFiles
internal import Vocabulary

/// An outcome that can be served.
struct Served {
    let outcome: Decision.Outcome
    let message: Int?
    let locale: EntryReference

    static let nothing = Served(outcome: .nothing, message: nil, locale: .none)
}

/// What an outcome came to: served, or failed, and then perhaps what would have been served if only the subscriber
/// were not capped.
enum Preparation {
    case served(Served)
    case failed(DecisionReason, forgone: Served?)
}

extension Evaluation {
    /// Takes the steps of an outcome: caps, approval, locale, signing.
    mutating func prepare(_ reference: EntryReference, _ bytes: RawSpan) -> Preparation {
        guard let outcome = tables.outcomes.record(at: reference.index, in: bytes),
            let kind = OutcomeKind(rawValue: outcome.kind)
        else { return .failed(.error, forgone: nil) }
        if kind == .nothing { return .served(.nothing) }
        if kind == .offer, let look = lookAtCaps(bytes) {
            tracer.record(.caps(look))
            if !look.verdict.passes {
                let rest = present(outcome, kind, reference, isTraced: false, bytes)
                guard case .served(let forgone) = rest else { return .failed(.capped, forgone: nil) }
                return .failed(.capped, forgone: forgone)
            }
        }
        return present(outcome, kind, reference, isTraced: true, bytes)
    }

    /// The steps behind the caps.
    private mutating func present(
        _ outcome: OutcomeRecord,
        _ kind: OutcomeKind,
        _ reference: EntryReference,
        isTraced: Bool,
        _ bytes: RawSpan
    ) -> Preparation {
        guard let message = tables.messages.record(at: outcome.message.index, in: bytes) else {
            return .failed(.error, forgone: nil)
        }
        let search = search(message, bytes)
        let isApproved = search.found != nil || search.firstMasked.isNone
        if isTraced {
            tracer.record(.approval(passes: isApproved, masked: search.firstMasked))
            if isApproved { for attempt in search.attempts { tracer.record(.locale(attempt)) } }
        }
        guard let entry = search.found else {
            return .failed(isApproved ? .noLocale : .unapproved, forgone: nil)
        }
        let needed: SigningCapabilities =
            switch kind {
            case .nothing, .message, .switch: []
            case .offer: .offers
            case .advancedCommerce: .advancedCommerce
            }
        if !needed.isEmpty {
            let isPossible = request.signing.isSuperset(of: needed)
            if isTraced { tracer.record(.signing(kind, isPossible: isPossible)) }
            guard isPossible else { return .failed(.signFailed, forgone: nil) }
        }
        return .served(
            Served(
                outcome: .serve(
                    kind,
                    identifier: UUID(high: entry.high, low: entry.low),
                    outcomeIndex: reference.index
                ),
                message: outcome.message.index,
                locale: entry.locale
            )
        )
    }

    /// Nil when the file has no caps.
    private mutating func lookAtCaps(_ bytes: RawSpan) -> CapsLook? {
        guard let caps = tables.caps.record(at: 0, in: bytes) else { return nil }
        let accepted = facts.value(of: caps.acceptedFact, ValueKind.integer.rawValue, file, bytes)
        let last = facts.value(of: caps.lastFact, ValueKind.date.rawValue, file, bytes)
        var isKnown = true
        var refusal: CapsLook.Verdict?
        if caps.maxAccepted >= 0 {
            if let accepted {
                if accepted >= caps.maxAccepted { refusal = .tooMany }
            } else {
                isKnown = false
            }
        }
        if caps.minDaysSinceLast >= 0 {
            if let last {
                let least = caps.minDaysSinceLast &* Self.dayMilliseconds
                if refusal == nil, Self.elapsed(since: last, until: request.nowMilliseconds) < least {
                    refusal = .tooSoon
                }
            } else if accepted != 0 {
                // One who never accepted an offer has no date of the last one.
                isKnown = false
            }
        }
        let allowsUnknown = caps.flags & CapsFlags.allowsUnknown != 0
        let verdict = refusal ?? (isKnown ? .passes : .unknown(passes: allowsUnknown))
        return CapsLook(accepted: accepted, last: last, verdict: verdict)
    }

    static var dayMilliseconds: Int64 { 86_400_000 }

    /// The time between two dates, as far as a number can say it.
    static func elapsed(since date: Int64, until now: Int64) -> Int64 {
        let (difference, overflows) = now.subtractingReportingOverflow(date)
        guard overflows else { return difference }
        return date < 0 ? .max : .min
    }
}
