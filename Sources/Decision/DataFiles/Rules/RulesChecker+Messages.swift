internal import System

extension RulesChecker {
    func checkMessages(_ bytes: RawSpan) throws(DataFileError) {
        var taken = 0
        for index in 0..<tables.messages.count {
            guard let record = tables.messages.record(at: index, in: bytes) else { return }
            let offset = tables.messages.offset(of: index)
            try requireString(record.name, .messages, offset)
            guard MessageKind(rawValue: UInt32(record.kind)) != nil else {
                throw error(.badValue, .messages, field(\MessageRecord.kind, at: offset))
            }
            guard record.flags & ~MessageFlags.known == 0 else {
                throw error(.unknownFeature, .messages, field(\MessageRecord.flags, at: offset))
            }
            // Messages take their identifiers in turn, so no identifier is shared and no identifier is left over.
            guard record.firstIdentifier.index == taken else {
                throw error(.badReference, .messages, field(\MessageRecord.firstIdentifier, at: offset))
            }
            guard record.identifierCount > 0,
                Int(record.identifierCount) <= tables.messageIdentifiers.count - taken
            else { throw error(.badReference, .messages, field(\MessageRecord.identifierCount, at: offset)) }
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
            guard record.flags & ~IdentifierFlags.known == 0 else {
                throw error(.unknownFeature, .messageIdentifiers, field(\IdentifierRecord.flags, at: offset))
            }
            before = record.locale.number
        }
    }

    func checkOutcomes(_ bytes: RawSpan) throws(DataFileError) {
        for index in 0..<tables.outcomes.count {
            guard let record = tables.outcomes.record(at: index, in: bytes) else { return }
            let offset = tables.outcomes.offset(of: index)
            guard let kind = OutcomeKind(rawValue: record.kind) else {
                throw error(.badValue, .outcomes, offset)
            }
            if let messageKind = kind.messageKind {
                guard let message = tables.messages.record(at: record.message.index, in: bytes),
                    UInt32(message.kind) == messageKind.rawValue
                else { throw error(.badReference, .outcomes, field(\OutcomeRecord.message, at: offset)) }
            } else {
                guard record.message.isNone else {
                    throw error(.badReference, .outcomes, field(\OutcomeRecord.message, at: offset))
                }
            }
            try checkNames(of: record, kind, offset, bytes)
        }
    }

    /// Checks the two references of an outcome other than that to its message. The kind decides which of them must be
    /// there.
    private func checkNames(of record: OutcomeRecord, _ kind: OutcomeKind, _ offset: Int, _ bytes: RawSpan)
        throws(DataFileError)
    {
        switch kind {
        case .nothing, .message:
            guard record.first.isNone else {
                throw error(.badValue, .outcomes, field(\OutcomeRecord.first, at: offset))
            }
        case .switch, .offer, .advancedCommerce:
            try requireString(record.first, .outcomes, field(\OutcomeRecord.first, at: offset))
        }
        switch kind {
        case .nothing, .message, .advancedCommerce:
            guard record.second.isNone else {
                throw error(.badValue, .outcomes, field(\OutcomeRecord.second, at: offset))
            }
        case .offer: try requireString(record.second, .outcomes, field(\OutcomeRecord.second, at: offset))
        case .switch:
            guard !record.second.isNone else { return }
            guard tables.billingPlanType(record.second, in: bytes) != nil else {
                throw error(.badReference, .outcomes, field(\OutcomeRecord.second, at: offset))
            }
        }
    }
}
