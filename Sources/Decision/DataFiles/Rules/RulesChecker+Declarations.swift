internal import System

extension RulesChecker {
    func checkFacts(_ bytes: RawSpan) throws(DataFileError) {
        var names: Set<UInt32> = []
        for index in 0..<tables.factDeclarations.count {
            guard let record = tables.factDeclarations.record(at: index, in: bytes) else { return }
            let offset = tables.factDeclarations.offset(of: index)
            try requireString(record.name, .factDeclarations, offset)
            let name = tables.strings.string(record.name, in: bytes)
            guard names.insert(record.name.number).inserted,
                !Fact.builtIns.contains(where: { $0.builtInName == name })
            else { throw error(.badValue, .factDeclarations, offset) }
            guard UInt8(exactly: record.kind).flatMap(ValueKind.init(rawValue:)) != nil else {
                throw error(.badValue, .factDeclarations, offset + 4)
            }
        }
    }

    func checkProducts(_ bytes: RawSpan) throws(DataFileError) {
        var names: Set<UInt32> = []
        for index in 0..<tables.products.count {
            guard let record = tables.products.record(at: index, in: bytes) else { return }
            let offset = tables.products.offset(of: index)
            try requireString(record.productId, .products, offset)
            guard names.insert(record.productId.number).inserted else {
                throw error(.badValue, .products, offset)
            }
            try requireStringOrNone(record.group, .products, offset + 4)
        }
    }

    func checkSegments(_ bytes: RawSpan) throws(DataFileError) {
        var names: Set<UInt32> = []
        for index in 0..<tables.segments.count {
            guard let record = tables.segments.record(at: index, in: bytes) else { return }
            let offset = tables.segments.offset(of: index)
            try requireString(record.name, .segments, offset)
            guard names.insert(record.name.number).inserted else { throw error(.badValue, .segments, offset) }
            guard record.condition.index < tables.conditions.count else {
                throw error(.badReference, .segments, offset + 4)
            }
        }
    }

    /// The bit is set when it must be and only then, so that an older reader decides as this one or refuses.
    func checkFeatures(_ bytes: RawSpan) throws(DataFileError) {
        let hasBit = tables.settings.requiredFeatures & RequiredFeatures.language != 0
        guard hasBit == needsLanguage(bytes) else {
            throw error(.badValue, .settings, tables.settingsOffset + 4)
        }
    }

    private func needsLanguage(_ bytes: RawSpan) -> Bool {
        if tables.factDeclarations.count + tables.segments.count + tables.splits.count + tables.caps.count > 0
        {
            return true
        }
        let isMasked = (0..<tables.messageIdentifiers.count).contains { index in
            tables.messageIdentifiers.record(at: index, in: bytes).map { $0.flags != 0 } ?? false
        }
        let isNewOutcome = (0..<tables.outcomes.count).contains { index in
            tables.outcomes.record(at: index, in: bytes)
                .map { $0.kind > OutcomeKind.message.rawValue } ?? false
        }
        let isNewNode = (0..<tables.conditions.count).contains { index in
            guard let node = tables.conditions.record(at: index, in: bytes),
                let operation = ConditionOperation(rawValue: node.operation)
            else { return false }
            return !operation.isInFirstFormat || node.fact > Fact.now.number
        }
        return isMasked || isNewOutcome || isNewNode
    }
}
