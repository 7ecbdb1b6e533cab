internal import DataFiles

/// The result of the search for a message in a locale of the subscriber.
struct LocaleSearch {
    /// The identifier to show; nil when the search found none.
    var found: IdentifierRecord?
    /// The locale of the first identifier that may not be shown because Apple has not approved it, or `none`.
    var firstMasked = EntryReference.none
    /// The locales that the search tried. Filled only for a tracer that records.
    var attempts: [LocaleAttempt] = []
}

extension Evaluation {
    /// Searches for an identifier of a message: in the subscriber's own locale, then along its chain of fallbacks, then
    /// in the file's `last` locale. An identifier that Apple has not approved counts as missing, unless the message
    /// says that the rule then fails (`"whenUnapproved": "pass"`).
    mutating func search(_ message: MessageRecord, _ bytes: RawSpan) -> LocaleSearch {
        var search = LocaleSearch()
        var locale = string(.userLocale, bytes)
        if tryLocale(.subscriber, locale, message, &search, bytes) { return search }
        // The compiler refuses circular fallbacks, so the longest chain has one step for each entry.
        for _ in 0..<tables.localeFallbacks.count {
            guard !locale.isNone, let next = fallback(of: locale, bytes) else { break }
            locale = next
            if tryLocale(.fallback, locale, message, &search, bytes) { return search }
        }
        guard !tables.settings.lastLocale.isNone else { return search }
        _ = tryLocale(.last, tables.settings.lastLocale, message, &search, bytes)
        return search
    }

    /// Searches in one locale. Returns true when the search is over: an identifier was found, or an unapproved one ends
    /// it.
    private mutating func tryLocale(
        _ origin: LocaleAttempt.Origin, _ locale: EntryReference, _ message: MessageRecord,
        _ search: inout LocaleSearch, _ bytes: RawSpan
    ) -> Bool {
        let entry = identifier(locale, message, bytes)
        let isMarked = entry.map { $0.flags & IdentifierFlags.masked != 0 } ?? false
        let isMasked = isMarked && !treatsAllAsApproved
        if isMasked, search.firstMasked.isNone { search.firstMasked = locale }
        if !isMasked { search.found = entry }
        if Tracer.isRecording {
            let attempt = LocaleAttempt(
                origin: origin, locale: locale, isFound: search.found != nil, isMasked: isMasked)
            search.attempts.append(attempt)
        }
        return search.found != nil || isMasked && message.flags & MessageFlags.failsWhenUnapproved != 0
    }

    private mutating func identifier(_ locale: EntryReference, _ message: MessageRecord, _ bytes: RawSpan)
        -> IdentifierRecord?
    {
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
