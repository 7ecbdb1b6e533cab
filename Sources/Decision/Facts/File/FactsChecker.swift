internal import System

/// Checks a facts file once, when it is loaded: every number in the file must have the meaning that the lookups rely
/// on.
struct FactsChecker {
    let tables: FactsTables

    /// Checks the columns and returns their layouts. A row has one bit for each column that says whether there is a
    /// value, then the values, one column after the other. The check is cheap, so a worker does it too.
    func checkColumns(_ bytes: RawSpan) throws(DataFileError) -> [FactColumnLayout] {
        var layouts: [FactColumnLayout] = []
        var names: Set<UInt32> = []
        var taken = 0
        var bits = tables.columns.count
        for number in 0..<tables.columns.count {
            let offset = tables.columns.offset(of: number)
            guard let record = tables.columns.record(at: number, in: bytes) else {
                throw error(.truncated, .columns, offset)
            }
            guard record.name.index < tables.strings.count, names.insert(record.name.number).inserted else {
                throw error(.badReference, .columns, offset)
            }
            guard let kind = ValueKind(rawValue: record.kind) else {
                throw error(.badValue, .columns, field(\FactColumnRecord.kind, at: offset))
            }
            guard record.bitCount <= 64 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.bitCount, at: offset))
            }
            guard record.reserved == 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.reserved, at: offset))
            }
            guard Int(record.firstBit) == bits else {
                throw error(.badReference, .columns, field(\FactColumnRecord.firstBit, at: offset))
            }
            bits += Int(record.bitCount)
            try checkBase(of: record, kind, offset)
            guard record.unit > 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.unit, at: offset))
            }
            if record.listedCount > 0 {
                guard kind == .string, record.base == 0, record.unit == 1,
                    Int(record.listedCount) <= tables.columnLists.count - taken
                else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.listedCount, at: offset))
                }
                guard record.firstListed.index == taken else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.firstListed, at: offset))
                }
                taken += Int(record.listedCount)
            } else {
                guard record.firstListed.isNone else {
                    throw error(.badReference, .columns, field(\FactColumnRecord.firstListed, at: offset))
                }
            }
            guard record.reservedEnd == 0 else {
                throw error(.badValue, .columns, field(\FactColumnRecord.reservedEnd, at: offset))
            }
            layouts.append(FactColumnLayout(record, kind: kind, number: number))
        }
        guard taken == tables.columnLists.count else {
            throw error(.badReference, .columnLists, tables.columnLists.offset(of: taken))
        }
        guard tables.rowByteCount == (bits + 7) / 8 else {
            throw error(
                .badValue, .factsSettings, field(\FactsSettingsRecord.rowByteCount, at: tables.settingsOffset)
            )
        }
        return layouts
    }

    private func checkBase(of record: FactColumnRecord, _ kind: ValueKind, _ offset: Int)
        throws(DataFileError)
    {
        let isGood =
            switch kind {
            case .string: record.base >= 0 && record.base < Int64(tables.strings.count)
            case .date: DataFileLimits.dateRange.contains(record.base)
            case .integer: true
            case .boolean: record.base == 0 || record.base == 1
            }
        guard isGood else { throw error(.badValue, .columns, field(\FactColumnRecord.base, at: offset)) }
    }

    func check(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        try checkSettings()
        try tables.strings.check(bytes, longest: DataFileLimits.factStringByteCount)
        try checkLists(bytes, layouts)
        try checkKeys(bytes)
        try checkRows(bytes, layouts)
    }

    private func checkSettings() throws(DataFileError) {
        let settings = tables.settings
        let offset = tables.settingsOffset
        guard settings.flags == 0 else { throw error(.unknownFeature, .factsSettings, offset) }
        guard settings.requiredFeatures == 0 else {
            throw error(
                .unknownFeature, .factsSettings, field(\FactsSettingsRecord.requiredFeatures, at: offset))
        }
        guard settings.reserved == 0 else {
            throw error(.badValue, .factsSettings, field(\FactsSettingsRecord.reserved, at: offset))
        }
    }

    private func checkLists(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        for layout in layouts where layout.listedCount > 0 {
            var before: UInt32?
            for index in layout.firstListed..<layout.firstListed + layout.listedCount {
                let offset = tables.columnLists.offset(of: index)
                guard let number = tables.columnLists.record(at: index, in: bytes)?.reference.number,
                    Int(number) < tables.strings.count
                else { throw error(.badReference, .columnLists, offset) }
                guard before.map({ $0 < number }) ?? true else {
                    throw error(.unordered, .columnLists, offset)
                }
                before = number
            }
        }
    }

    /// Checks that each bucket begins where the one before ends, and that it has exactly the keys that belong there,
    /// ascending.
    private func checkKeys(_ bytes: RawSpan) throws(DataFileError) {
        var end = 0
        for bucket in 0..<tables.bucketCount {
            guard let rows = tables.rows(ofBucket: bucket, in: bytes), rows.lowerBound == end else {
                throw error(.badReference, .directory, tables.directoryOffset + bucket * 4)
            }
            var before: UInt64 = 0
            for row in rows {
                guard let key = tables.key(ofRow: row, in: bytes), key > before,
                    FactsKey.bucket(of: key, among: tables.bucketCount) == bucket
                else { throw error(.unordered, .keys, tables.keysOffset + row * 8) }
                before = key
            }
            end = rows.upperBound
        }
        guard end == tables.rowCount else {
            let last = tables.directoryOffset + tables.bucketCount * 4
            throw error(.badReference, .directory, last)
        }
    }

    /// Checks the rows. Only a column whose width has room for numbers without a meaning is read row by row.
    private func checkRows(_ bytes: RawSpan, _ layouts: [FactColumnLayout]) throws(DataFileError) {
        let end = tables.rowsOffset + tables.rowCount * tables.rowByteCount
        guard bytes.uint64(at: end) == 0 else { throw error(.badValue, .rows, end) }
        for layout in layouts {
            let greatest = largestStored(layout)
            let widest = layout.bitCount == 0 ? 0 : UInt64.max >> UInt64(64 - layout.bitCount)
            guard widest > greatest else { continue }
            for row in 0..<tables.rowCount {
                let offset = tables.rowsOffset + row * tables.rowByteCount
                if let stored = layout.stored(inRowAt: offset, bytes), stored > greatest {
                    throw error(.badValue, .rows, offset + layout.firstBit / 8)
                }
            }
        }
    }

    private func largestStored(_ layout: FactColumnLayout) -> UInt64 {
        let last: Int64 =
            switch layout.kind {
            case .string: Int64((layout.listedCount > 0 ? layout.listedCount : tables.strings.count) - 1)
            case .date: DataFileLimits.dateRange.upperBound
            case .integer: .max
            case .boolean: 1
            }
        return UInt64(bitPattern: last &- layout.base) / layout.unit
    }

    private func error(_ reason: DataFileError.Reason, _ section: FactsSection, _ offset: Int)
        -> DataFileError
    {
        DataFileError(reason, section: section.name, offset: offset)
    }
}
