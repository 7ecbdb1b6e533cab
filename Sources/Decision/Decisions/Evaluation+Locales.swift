internal import DataFiles

/// What came of looking for a message that the subscriber can read.
struct LocaleSearch {
    /// The identifier to show.
    var found: IdentifierRecord?
    /// The locale of the first one that may not be shown, or none.
    var firstMasked = EntryReference.none
    /// Where one looked; only for a tracer that listens.
    var attempts: [LocaleAttempt] = []
}

extension Evaluation {
    /// Looks for an identifier of a message: in the subscriber's own locale, then in those that stand in for it one
    /// after the other, then in the last resort. What Apple has not approved is as if it were not there, unless the message
    /// says that the rule passes then.
    mutating func search(_ message: MessageRecord, _ bytes: RawSpan) -> LocaleSearch {
        var search = LocaleSearch()
        var locale = string(.userLocale, bytes)
        if look(.subscriber, locale, message, &search, bytes) { return search }
        // The compiler refuses circles; a step for each entry is what the longest chain can need.
        for _ in 0..<tables.localeFallbacks.count {
            guard !locale.isNone, let next = fallback(of: locale, bytes) else { break }
            locale = next
            if look(.fallback, locale, message, &search, bytes) { return search }
        }
        guard !tables.settings.lastLocale.isNone else { return search }
        _ = look(.last, tables.settings.lastLocale, message, &search, bytes)
        return search
    }

    /// Looks in one locale; whether that was the last look.
    private mutating func look(
        _ origin: LocaleAttempt.Origin,
        _ locale: EntryReference,
        _ message: MessageRecord,
        _ search: inout LocaleSearch,
        _ bytes: RawSpan
    ) -> Bool {
        let entry = identifier(locale, message, bytes)
        let isMarked = entry.map { $0.flags & IdentifierFlags.masked != 0 } ?? false
        let isMasked = isMarked && !takesAllForApproved
        if isMasked, search.firstMasked.isNone { search.firstMasked = locale }
        if !isMasked { search.found = entry }
        if Tracer.isListening {
            let attempt = LocaleAttempt(
                origin: origin,
                locale: locale,
                isFound: search.found != nil,
                isMasked: isMasked
            )
            search.attempts.append(attempt)
        }
        return search.found != nil || isMasked && message.flags & MessageFlags.passesUnapproved != 0
    }

    private mutating func identifier(
        _ locale: EntryReference,
        _ message: MessageRecord,
        _ bytes: RawSpan
    ) -> IdentifierRecord? {
        guard !locale.isNone else { return nil }
        var low = message.firstIdentifier.index
        var high = low + Int(message.identifierCount)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = tables.messageIdentifiers.record(at: middle, in: bytes) else { return nil }
            if entry.locale == locale { return entry }
            if entry.locale.number < locale.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private mutating func fallback(of locale: EntryReference, _ bytes: RawSpan) -> EntryReference? {
        var low = 0
        var high = tables.localeFallbacks.count
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = tables.localeFallbacks.record(at: middle, in: bytes) else { return nil }
            if entry.locale == locale { return entry.fallback }
            if entry.locale.number < locale.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
