internal import System

/// Checks once, when a file is loaded, that every number in it means what the lookups take it for.
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
        try checkTests(bytes)
        try checkFeatures(bytes)
        try checkIndex(bytes)
        try checkCost(bytes)
    }

    private func checkCost(_ bytes: RawSpan) throws(DataFileError) {
        let cost = DecisionCost(tables, bytes)
        if let rule = cost.ruleIndex {
            throw error(.tooMuchWork, .rules, tables.rules.offset(of: rule))
        }
        if let test = cost.testIndex {
            throw error(.tooMuchWork, .tests, tables.tests.offset(of: test))
        }
    }

    private func checkSettings() throws(DataFileError) {
        let settings = tables.settings
        let offset = tables.settingsOffset
        guard settings.flags & ~SettingsFlags.known == 0 else {
            throw error(.unknownFeature, .settings, offset)
        }
        guard settings.requiredFeatures & ~RequiredFeatures.known(inMinor: tables.minor) == 0 else {
            throw error(.unknownFeature, .settings, offset + 4)
        }
        try requireString(settings.bundleId, .settings, offset + 8)
        try requireStringOrNone(settings.lastLocale, .settings, offset + 12)
        if !settings.defaultOutcome.isNone {
            guard settings.defaultOutcome.index < tables.outcomes.count else {
                throw error(.badReference, .settings, offset + 16)
            }
        } else if tables.rules.count == 0 {
            throw error(.noRules, .settings, offset + 16)
        }
        guard settings.sourceFormat == 1 else { throw error(.badValue, .settings, offset + 20) }
        guard settings.reserved == 0 else { throw error(.badValue, .settings, offset + 24) }
    }

    private func checkMetadata(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.metadata.count {
            guard let record = tables.metadata.record(at: index, in: bytes) else { return }
            let offset = tables.metadata.offset(of: index)
            try requireString(record.key, .metadata, offset)
            try requireString(record.value, .metadata, offset + 4)
        }
    }

    private func checkFallbacks(_ bytes: RawSpan) throws(DataFileError) {
        var next: [UInt32: UInt32] = [:]
        var before: UInt32?
        for index in 0..<tables.localeFallbacks.count {
            guard let record = tables.localeFallbacks.record(at: index, in: bytes) else { return }
            let offset = tables.localeFallbacks.offset(of: index)
            try requireString(record.locale, .localeFallbacks, offset)
            try requireString(record.fallback, .localeFallbacks, offset + 4)
            guard before.map({ $0 < record.locale.number }) ?? true else {
                throw error(.unordered, .localeFallbacks, offset)
            }
            before = record.locale.number
            next[record.locale.number] = record.fallback.number
        }
        // A walk of more steps than there are entries has been somewhere twice. Finished walks are remembered, so
        // that a long chain costs its length once.
        var finished: Set<UInt32> = []
        for index in 0..<tables.localeFallbacks.count {
            guard let start = tables.localeFallbacks.record(at: index, in: bytes)?.locale.number else {
                return
            }
            var walked: Set<UInt32> = []
            var current = start
            while let following = next[current], !finished.contains(current) {
                guard walked.insert(current).inserted else {
                    throw error(.localeCycle, .localeFallbacks, tables.localeFallbacks.offset(of: index))
                }
                current = following
            }
            finished.formUnion(walked)
        }
    }

    func requireString(
        _ reference: EntryReference,
        _ section: RulesSection,
        _ offset: Int
    ) throws(DataFileError) {
        guard reference.index < tables.strings.count else { throw error(.badReference, section, offset) }
    }

    func requireStringOrNone(
        _ reference: EntryReference,
        _ section: RulesSection,
        _ offset: Int
    ) throws(DataFileError) {
        if !reference.isNone { try requireString(reference, section, offset) }
    }

    func error(_ reason: DataFileError.Reason, _ section: RulesSection, _ offset: Int) -> DataFileError {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
