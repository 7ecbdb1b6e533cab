internal import Rules
package import System

struct FactsReader: ~Copyable {
    private(set) var input: FactsInput
    private let badRows: FactsCompiler.BadRows
    private var faults = FactsFaults()
    private(set) var skipped = FactsCompiler.Skipped()
    private var line = 1

    init(_ input: consuming FactsInput, badRows: FactsCompiler.BadRows) {
        self.input = input
        self.badRows = badRows
    }

    /// A row source sees at most this many bytes, so the rows that it finds do not depend on the length of the blocks.
    private static let visibleByteCount = FactsCompilerLimits.rowByteCount + 2

    private var place: FactsRowPlace {
        let end = min(input.end, input.start + Self.visibleByteCount)
        return FactsRowPlace(start: input.start, end: end, isLast: input.isLast && end == input.end)
    }

    /// Skips the byte order mark that some programs write before UTF-8, and refuses a table in UTF-16.
    private mutating func skipByteOrderMark() throws(FactsCompilerError) {
        while input.end < 3, !input.isLast { try input.readMore() }
        if input.end >= 2 {
            // Without a byte order mark, one byte of the first character is 0.
            let (first, second) = (input.bytes[0], input.bytes[1])
            let hasMark = (first, second) == (0xFF, 0xFE) || (first, second) == (0xFE, 0xFF)
            guard !hasMark, (first == 0) == (second == 0) else {
                let finding = Finding(
                    .badValue, "the table is UTF-16",
                    hint: "export it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8", line: 1, column: 1)
                throw .findings([finding])
            }
        }
        if input.end >= 3, input.bytes[0] == 0xEF, input.bytes[1] == 0xBB, input.bytes[2] == 0xBF {
            input.take(upTo: 3)
        }
    }

    mutating func readHeader(_ source: inout CSVRows) throws(FactsCompilerError) {
        try skipByteOrderMark()
        while true {
            if input.isLast, input.start == input.end {
                throw .findings([Finding(.badHeader, "the table is empty", line: 1, column: 1)])
            }
            let place = place
            do throws(FactsHeaderFaults) {
                if place.start < place.end,
                    let taken = try source.takeHeader(input.bytes.span, place)
                {
                    guard !isTooLong(place, end: taken.end) else { break }
                    input.take(upTo: taken.end)
                    line += taken.lineCount
                    return
                }
            } catch {
                throw .findings(error.faults.map { finding($0, place) })
            }
            guard place.end - place.start < Self.visibleByteCount else { break }
            try input.readMore()
        }
        throw .findings([rowTooLong(place)])
    }

    mutating func readRows(
        _ source: inout some FactsRowSource, into rows: inout FactsRowAssembler, _ progress: (Int) -> Void
    ) throws(FactsCompilerError) {
        if line == 1 { try skipByteOrderMark() }
        while true {
            if input.start == input.end {
                if input.isLast { break }
                try input.readMore()
                progress(input.takenByteCount)
                continue
            }
            let place = place
            switch source.takeRow(input.bytes.span, place, into: &rows) {
            case .blank(let end):
                input.take(upTo: end)
                line += 1
            case .good(let end, _) where isTooLong(place, end: end),
                .bad(_, let end, _) where isTooLong(place, end: end):
                throw ended(by: place)
            case .good(let end, let lineCount):
                do throws(FactsRowAssembler.Fault) {
                    try rows.commit(line: line)
                } catch {
                    let fault = FactsRowFault(fault: error, position: place.start)
                    try report([fault], place, end: end, lineCount: lineCount)
                }
                input.take(upTo: end)
                line += lineCount
            case .bad(let faults, let end, let lineCount):
                try report(faults, place, end: end, lineCount: lineCount)
                input.take(upTo: end)
                line += lineCount
            case .unfinished:
                guard place.end - place.start < Self.visibleByteCount else { throw ended(by: place) }
                try input.readMore()
                progress(input.takenByteCount)
            }
        }
        skipped.kinds = faults.findings
        switch badRows {
        case .refuse: if !faults.findings.isEmpty { throw .findings(faults.findings) }
        case .skip(let maxPercent, _): try check(rowCount: rows.rowCount, maxPercent)
        }
        guard rows.rowCount > 0 else {
            let words =
                switch skipped.count {
                case 0: "the table has no rows"
                case 1: "the table has no other row than the bad one"
                default: "all \(skipped.count) rows of the table are bad"
                }
            throw .findings([Finding(.empty, words)])
        }
    }

    private func ended(by place: FactsRowPlace) -> FactsCompilerError {
        let known = if case .refuse = badRows { faults.findings } else { [Finding]() }
        return .findings(known + [rowTooLong(place), FactsCompiler.moreFindings])
    }

    /// Refuses a table of which too many rows are bad: without them, the file would lack most subscribers.
    private func check(rowCount: Int, _ maxPercent: Double) throws(FactsCompilerError) {
        let all = rowCount + skipped.count
        guard Double(skipped.count) * 100 > maxPercent * Double(all) else { return }
        let isWhole = maxPercent == maxPercent.rounded()
        let finding = Finding(
            .tooManyBadRows,
            "\(skipped.count) of \(all) rows are bad, more than "
                + "\(isWhole ? "\(Int(maxPercent))" : "\(maxPercent)") %",
            hint: "their kinds follow; mend the table, or allow more with --max-bad")
        throw .findings([finding] + skipped.kinds)
    }

    private func isTooLong(_ place: FactsRowPlace, end: Int) -> Bool {
        let row = input.bytes[place.start..<end]
        return row.count - Self.lineEndCount(row) > FactsCompilerLimits.rowByteCount
    }

    private static func lineEndCount(_ row: ArraySlice<UInt8>) -> Int {
        guard row.last == UInt8(ascii: "\n") else { return 0 }
        return row.dropLast().last == UInt8(ascii: "\r") ? 2 : 1
    }

    /// A row that is too long ends the reading: nobody can tell where the next row begins when a quotation mark is not closed.
    private func rowTooLong(_ place: FactsRowPlace) -> Finding {
        let fault = FactsRowAssembler.Fault(
            .rowTooLong, "a row of more than \(FactsCompilerLimits.rowByteCount) bytes",
            hint: "perhaps a quotation mark is not closed")
        return finding(FactsRowFault(fault: fault, position: place.start), place)
    }

    private mutating func report(_ found: [FactsRowFault], _ place: FactsRowPlace, end: Int, lineCount: Int)
        throws(FactsCompilerError)
    {
        let lastLine = lineCount > 1 ? line + lineCount - 1 : nil
        let findings = found.map { finding($0, place, lastLine: lastLine) }
        for (finding, fault) in zip(findings, found) { faults.add(finding, fault.fault) }
        guard case .skip(_, let take) = badRows, let first = findings.first else { return }
        let line = input.bytes[place.start..<end]
        let row = Array(line.dropLast(Self.lineEndCount(line)))
        skipped.count += 1
        skipped.lineCount += lineCount
        try SystemCallError.mapped(
            to: FactsCompilerError.output,
            try take(FactsCompiler.SkippedRow(finding: first, bytes: row)))
    }

    /// When a row of comma-separated values takes several lines, the message names the first and the last of them.
    private func finding(_ fault: FactsRowFault, _ place: FactsRowPlace, lastLine: Int? = nil) -> Finding {
        let lines = lastLine.map { "; the row has lines \(self.line) to \($0)" } ?? ""
        var line = self.line
        var lineStart = place.start
        for index in place.start..<fault.position where input.bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        // Columns count characters, as editors and the rules compiler do. A character begins with any byte but 10xxxxxx.
        let column = input.bytes[lineStart..<fault.position].count { $0 & 0xC0 != 0x80 }
        return Finding(
            fault.fault.reason, fault.fault.message + lines, hint: fault.fault.hint, line: line,
            column: column + 1)
    }
}

/// The faults of a table summed up by kind, because a column of another form has as many faults as rows.
private struct FactsFaults {
    private struct Kind: Hashable {
        let reason: FactsReason
        let column: Int?
    }

    private var places: [Kind: Int] = [:]
    private var kinds: [(first: Finding, count: Int)] = []

    mutating func add(_ finding: Finding, _ fault: FactsRowAssembler.Fault) {
        let kind = Kind(reason: fault.reason, column: fault.column)
        if let place = places[kind] {
            kinds[place].count += 1
        } else {
            places[kind] = kinds.count
            kinds.append((finding, 1))
        }
    }

    var findings: [Finding] {
        kinds.map { kind in
            var finding = kind.first
            if kind.count > 1 { finding.message += "; \(kind.count) rows in all" }
            return finding
        }
    }
}

protocol FactsRowSource {
    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
}

struct FactsRowPlace {
    let start: Int
    let end: Int
    let isLast: Bool
}

enum FactsRowOutcome {
    case good(end: Int, lineCount: Int)
    case blank(end: Int)
    /// The row is bad, but its end is known, so the next row can be read.
    case bad([FactsRowFault], end: Int, lineCount: Int)
    case unfinished
}

struct FactsHeaderFaults: Error {
    let faults: [FactsRowFault]
}

struct FactsRowFault {
    let fault: FactsRowAssembler.Fault
    let position: Int
}

/// The bytes of a table, read block by block. Memory never holds more than one block and one row.
package struct FactsInput: ~Copyable {
    private let descriptor: FileDescriptor?
    private let blockByteCount: Int
    private let source: [UInt8]
    private var sourcePosition = 0

    /// The buffer. The bytes from ``start`` to ``end`` are read but not taken yet.
    private(set) var bytes: [UInt8]
    private(set) var start = 0
    private(set) var end = 0
    private(set) var isLast = false
    private(set) var takenByteCount = 0

    package init(reading descriptor: consuming FileDescriptor) {
        self.descriptor = consume descriptor
        source = []
        blockByteCount = FactsCompilerLimits.blockByteCount
        bytes = [UInt8](repeating: 0, count: FactsCompilerLimits.blockByteCount)
    }

    /// Reads the table from memory. Tests choose short blocks, so that a block may end at any place in a row.
    package init(bytes source: [UInt8], blockByteCount: Int = FactsCompilerLimits.blockByteCount) {
        descriptor = nil
        self.source = source
        self.blockByteCount = max(blockByteCount, 1)
        bytes = [UInt8](repeating: 0, count: max(blockByteCount, 1))
    }

    mutating func take(upTo position: Int) {
        takenByteCount += position - start
        start = position
    }

    mutating func readMore() throws(FactsCompilerError) {
        if start > 0 {
            for index in start..<end { bytes[index - start] = bytes[index] }
            (start, end) = (0, end - start)
        }
        if end == bytes.count { bytes += [UInt8](repeating: 0, count: blockByteCount) }
        let count = try SystemCallError.mapped(to: FactsCompilerError.input, try read())
        end += count
        if count == 0 { isLast = true }
    }

    private mutating func read() throws(SystemCallError) -> Int {
        guard descriptor != nil else {
            let count = min(bytes.count - end, blockByteCount, source.count - sourcePosition)
            for index in 0..<count { bytes[end + index] = source[sourcePosition + index] }
            sourcePosition += count
            return count
        }
        return try descriptor?.read(into: &bytes, from: end) ?? 0
    }
}
