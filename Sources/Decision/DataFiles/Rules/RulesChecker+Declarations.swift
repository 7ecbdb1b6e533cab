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
                throw error(.badValue, .factDeclarations, field(\FactDeclarationRecord.kind, at: offset))
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
            try requireStringOrNone(record.group, .products, field(\ProductRecord.group, at: offset))
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
                throw error(.badReference, .segments, field(\SegmentRecord.condition, at: offset))
            }
        }
    }
}
