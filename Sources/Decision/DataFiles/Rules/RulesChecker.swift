internal import System

/// Checks once, when a file is loaded, that every number in it means what the lookups take it for.
struct RulesChecker {
    let tables: RulesTables

    func check(_ bytes: RawSpan) throws(DataFileError) {
        try tables.strings.check(bytes)
        try checkSettings()
        try checkMetadata(bytes)
        try checkFallbacks(bytes)
        try checkMessages(bytes)
        try checkOutcomes(bytes)
        try checkRules(bytes)
        try checkLists(bytes)
        try ConditionChecker(tables: tables).check(bytes)
    }

    private func checkSettings() throws(DataFileError) {
        let settings = tables.settings
        let offset = tables.settingsOffset
        guard settings.flags & ~SettingsFlags.known == 0 else {
            throw error(.unknownFeature, .settings, offset)
        }
        guard settings.requiredFeatures == 0 else { throw error(.unknownFeature, .settings, offset + 4) }
        try requireString(settings.bundleId, .settings, offset + 8)
        if !settings.lastLocale.isNone { try requireString(settings.lastLocale, .settings, offset + 12) }
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

    private func checkMessages(_ bytes: RawSpan) throws(DataFileError) {
        var taken = 0
        for index in 0..<tables.messages.count {
            guard let record = tables.messages.record(at: index, in: bytes) else { return }
            let offset = tables.messages.offset(of: index)
            try requireString(record.name, .messages, offset)
            guard MessageKind(rawValue: record.kind) != nil else {
                throw error(.badValue, .messages, offset + 4)
            }
            // Messages take their identifiers in turn, so none is shared and none is left over.
            guard record.firstIdentifier.index == taken else {
                throw error(.badReference, .messages, offset + 8)
            }
            guard record.identifierCount > 0,
                Int(record.identifierCount) <= tables.messageIdentifiers.count - taken
            else { throw error(.badReference, .messages, offset + 12) }
            let end = taken + Int(record.identifierCount)
            try checkIdentifiers(taken..<end, bytes)
            taken = end
        }
        guard taken == tables.messageIdentifiers.count else {
            throw error(.badReference, .messageIdentifiers, tables.messageIdentifiers.offset(of: taken))
        }
    }

    private func checkIdentifiers(_ range: Range<Int>, _ bytes: RawSpan) throws(DataFileError) {
        var before: UInt32?
        for index in range {
            guard let record = tables.messageIdentifiers.record(at: index, in: bytes) else { return }
            let offset = tables.messageIdentifiers.offset(of: index)
            try requireString(record.locale, .messageIdentifiers, offset)
            guard before.map({ $0 < record.locale.number }) ?? true else {
                throw error(.unordered, .messageIdentifiers, offset)
            }
            guard record.state == 0 else { throw error(.badValue, .messageIdentifiers, offset + 4) }
            before = record.locale.number
        }
    }

    private func checkOutcomes(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.outcomes.count {
            guard let record = tables.outcomes.record(at: index, in: bytes) else { return }
            let offset = tables.outcomes.offset(of: index)
            switch OutcomeKind(rawValue: record.kind) {
            case .nothing:
                guard record.message.isNone else { throw error(.badReference, .outcomes, offset + 4) }
            case .message:
                guard record.message.index < tables.messages.count else {
                    throw error(.badReference, .outcomes, offset + 4)
                }
            case nil: throw error(.badValue, .outcomes, offset)
            }
            guard record.reserved == .max else { throw error(.badValue, .outcomes, offset + 8) }
        }
    }

    private func checkRules(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.rules.count {
            guard let record = tables.rules.record(at: index, in: bytes) else { return }
            let offset = tables.rules.offset(of: index)
            try requireString(record.identifier, .rules, offset)
            guard record.flags & ~RuleFlags.known == 0 else {
                throw error(.unknownFeature, .rules, offset + 4)
            }
            guard record.condition.isNone || record.condition.index < tables.conditions.count else {
                throw error(.badReference, .rules, offset + 8)
            }
            guard record.outcome.index < tables.outcomes.count else {
                throw error(.badReference, .rules, offset + 12)
            }
            guard record.windowFrom < record.windowTo,
                record.windowFrom == .min || DataFileLimits.dateRange.contains(record.windowFrom)
            else { throw error(.badValue, .rules, offset + 16) }
            guard record.windowTo == .max || DataFileLimits.dateRange.contains(record.windowTo) else {
                throw error(.badValue, .rules, offset + 24)
            }
            guard record.reserved == 0 else { throw error(.badValue, .rules, offset + 32) }
        }
    }

    private func checkLists(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.stringLists.count {
            guard let record = tables.stringLists.record(at: index, in: bytes) else { return }
            try requireString(record.reference, .stringLists, tables.stringLists.offset(of: index))
        }
        for index in 0..<tables.dateLists.count {
            guard let record = tables.dateLists.record(at: index, in: bytes) else { return }
            guard DataFileLimits.dateRange.contains(record.milliseconds) else {
                throw error(.badValue, .dateLists, tables.dateLists.offset(of: index))
            }
        }
    }

    private func requireString(
        _ reference: EntryReference,
        _ section: RulesSection,
        _ offset: Int
    ) throws(DataFileError) {
        guard reference.index < tables.strings.count else { throw error(.badReference, section, offset) }
    }

    private func error(_ reason: DataFileError.Reason, _ section: RulesSection, _ offset: Int)
        -> DataFileError
    {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
