internal import DataFiles

extension Evaluation {
    /// The identifier of a message for the subscriber: their own locale, then those that stand in for it one after
    /// the other, then the last resort. Nil when the message has none of them.
    mutating func localized(_ message: MessageRecord, _ bytes: RawSpan) -> IdentifierRecord? {
        var locale = strings.reference(of: .userLocale, tables.strings, bytes)
        if let found = attempt(.subscriber, locale, message, bytes) { return found }
        // The compiler refuses circles; a step for each entry is what the longest chain can need.
        for _ in 0..<tables.localeFallbacks.count {
            guard !locale.isNone, let next = fallback(of: locale, bytes) else { break }
            locale = next
            if let found = attempt(.fallback, locale, message, bytes) { return found }
        }
        guard !tables.settings.lastLocale.isNone else { return nil }
        return attempt(.last, tables.settings.lastLocale, message, bytes)
    }

    private mutating func attempt(
        _ origin: LocaleAttempt.Origin,
        _ locale: EntryReference,
        _ message: MessageRecord,
        _ bytes: RawSpan
    ) -> IdentifierRecord? {
        let found = identifier(locale, message, bytes)
        tracer.record(.locale(LocaleAttempt(origin: origin, locale: locale, isFound: found != nil)))
        return found
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
