internal import System

/// Checks a rules file once, when it is loaded: every number in the file must have the meaning that the lookups rely
/// on.
struct RulesChecker {
    let tables: RulesTables

    func check(_ bytes: RawSpan) throws(DataFileError) {
        try tables.strings.check(bytes)
        try checkSettings()
        try checkMetadata(bytes)
        try checkFallbacks(bytes)
        try checkFacts(bytes)
        try checkProducts(bytes)
        try checkMessages(bytes)
        try checkOutcomes(bytes)
        try checkSegments(bytes)
        var taken = TakenEntries()
        try checkHoldout(bytes, &taken)
        try checkCaps(bytes)
        try checkRules(bytes, &taken)
        try checkLeftovers(taken)
        try ConditionChecker(tables: tables).check(bytes)
        try checkLimits(bytes)
        try checkTests(bytes)
        try checkIndex(bytes)
    }

    private func checkSettings() throws(DataFileError) {
        let settings = tables.settings
        let offset = tables.settingsOffset
        guard settings.flags & ~SettingsFlags.known == 0 else {
            throw error(.unknownFeature, .settings, offset)
        }
        guard settings.requiredFeatures == 0 else {
            throw error(.unknownFeature, .settings, field(\SettingsRecord.requiredFeatures, at: offset))
        }
        try requireString(settings.bundleId, .settings, field(\SettingsRecord.bundleId, at: offset))
        try requireStringOrNone(settings.lastLocale, .settings, field(\SettingsRecord.lastLocale, at: offset))
        if !settings.defaultOutcome.isNone {
            guard settings.defaultOutcome.index < tables.outcomes.count else {
                throw error(.badReference, .settings, field(\SettingsRecord.defaultOutcome, at: offset))
            }
        } else if tables.rules.count == 0 {
            throw error(.noRules, .settings, field(\SettingsRecord.defaultOutcome, at: offset))
        }
        guard settings.sourceFormat == 1 else {
            throw error(.badValue, .settings, field(\SettingsRecord.sourceFormat, at: offset))
        }
        guard settings.reserved == 0 else {
            throw error(.badValue, .settings, field(\SettingsRecord.reserved, at: offset))
        }
    }

    private func checkMetadata(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.metadata.count {
            guard let record = tables.metadata.record(at: index, in: bytes) else { return }
            let offset = tables.metadata.offset(of: index)
            try requireString(record.key, .metadata, offset)
            try requireString(record.value, .metadata, field(\MetadatumRecord.value, at: offset))
        }
    }

    private func checkFallbacks(_ bytes: RawSpan) throws(DataFileError) {
        var next: [UInt32: UInt32] = [:]
        var before: UInt32?
        for index in 0..<tables.localeFallbacks.count {
            guard let record = tables.localeFallbacks.record(at: index, in: bytes) else { return }
            let offset = tables.localeFallbacks.offset(of: index)
            try requireString(record.locale, .localeFallbacks, offset)
            try requireString(record.fallback, .localeFallbacks, field(\FallbackRecord.fallback, at: offset))
            guard before.map({ $0 < record.locale.number }) ?? true else {
                throw error(.unordered, .localeFallbacks, offset)
            }
            before = record.locale.number
            next[record.locale.number] = record.fallback.number
        }
        for index in 0..<tables.localeFallbacks.count {
            guard let start = tables.localeFallbacks.record(at: index, in: bytes) else { return }
            var current = start.fallback.number
            var stepCount = 1
            while let following = next[current] {
                stepCount += 1
                guard stepCount <= DataFileLimits.fallbackStepCount else {
                    throw error(.localeCycle, .localeFallbacks, tables.localeFallbacks.offset(of: index))
                }
                current = following
            }
        }
    }

    func requireString(_ reference: EntryReference, _ section: RulesSection, _ offset: @autoclosure () -> Int)
        throws(DataFileError)
    {
        guard reference.index < tables.strings.count else { throw error(.badReference, section, offset()) }
    }

    func requireStringOrNone(
        _ reference: EntryReference, _ section: RulesSection, _ offset: @autoclosure () -> Int
    ) throws(DataFileError) {
        if !reference.isNone { try requireString(reference, section, offset()) }
    }

    func error(_ reason: DataFileError.Reason, _ section: RulesSection, _ offset: Int) -> DataFileError {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
