internal import DataFiles
internal import System
internal import Vocabulary

/// Reads a table row by row, counts its lines and collects the findings.
struct FactsReader: ~Copyable {
    private(set) var input: FactsInput
    private let facts: [FactsSchema.Fact]
    private let badRows: FactsCompiler.BadRows
    private var findings: [Finding] = []
    private(set) var skipped = FactsCompiler.Skipped()
    private var line = 1

    init(_ input: consuming FactsInput, schema: FactsSchema, badRows: FactsCompiler.BadRows) {
        self.input = input
        facts = schema.facts
        self.badRows = badRows
    }

    /// The longest row plus its line end (CRLF), in bytes. A row source sees at most this many bytes, so the rows that
    /// it finds do not depend on the length of the blocks.
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
                    .badUTF8, "the table is UTF-16",
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
                throw .findings([Finding(.noHeader, "the table is empty", line: 1, column: 1)])
            }
            let place = place
            do throws(FactsHeaderFaults) {
                if place.start < place.end,
                    let taken = try source.takeHeader(input.bytes.span, place, facts)
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
        while findings.count < FactsCompilerLimits.findingCount {
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
                throw .findings(findings + [rowTooLong(place), FactsCompiler.moreFindings])
            case .good(let end, let lineCount):
                do throws(FactsRowAssembler.Fault) {
                    try rows.commit(line: line)
                } catch {
                    let fault = FactsRowFault(fault: error, position: place.start)
                    try report(fault, place, end: end, lineCount: lineCount)
                }
                input.take(upTo: end)
                line += lineCount
            case .bad(let fault, let end, let lineCount):
                try report(fault, place, end: end, lineCount: lineCount)
                input.take(upTo: end)
                line += lineCount
            case .unfinished:
                guard place.end - place.start < Self.visibleByteCount else {
                    throw .findings(findings + [rowTooLong(place), FactsCompiler.moreFindings])
                }
                try input.readMore()
                progress(input.takenByteCount)
            }
        }
        guard findings.isEmpty else {
            let isCut = findings.count >= FactsCompilerLimits.findingCount
            let rest = isCut ? [FactsCompiler.moreFindings] : []
            throw .findings(findings + rest)
        }
        if case .skip(let maxPercent, _) = badRows { try check(rowCount: rows.rowCount, maxPercent) }
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

    /// Refuses a table of which too many rows are bad: without them, the file would lack most subscribers.
    private func check(rowCount: Int, _ maxPercent: Double) throws(FactsCompilerError) {
        let all = rowCount + skipped.count
        guard Double(skipped.count) * 100 > maxPercent * Double(all) else { return }
        let isWhole = maxPercent == maxPercent.rounded()
        let finding = Finding(
            .tooManyBadRows,
            "\(skipped.count) of \(all) rows are bad, more than "
                + "\(isWhole ? "\(Int(maxPercent))" : "\(maxPercent)") %",
            hint: "the first of them follow; mend the table, or allow more with --max-bad"
        )
        throw .findings([finding] + skipped.first)
    }

    /// Returns true when a row that ends before `end` is longer than a row may be.
    private func isTooLong(_ place: FactsRowPlace, end: Int) -> Bool {
        let row = input.bytes[place.start..<end]
        return row.count - Self.lineEndCount(row) > FactsCompilerLimits.rowByteCount
    }

    /// Returns the length of the LF or CRLF at the end of a row, or 0 when the row has no line end.
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

    private mutating func report(_ fault: FactsRowFault, _ place: FactsRowPlace, end: Int, lineCount: Int)
        throws(FactsCompilerError)
    {
        let finding = finding(fault, place, lastLine: lineCount > 1 ? line + lineCount - 1 : nil)
        let line = input.bytes[place.start..<end]
        let row = Array(line.dropLast(Self.lineEndCount(line)))
        switch badRows {
        case .refuse: findings.append(finding)
        case .skip(_, let take):
            skipped.count += 1
            skipped.lineCount += lineCount
            if skipped.first.count < FactsCompilerLimits.shownRowCount { skipped.first.append(finding) }
            try SystemCallError.mapped(
                to: FactsCompilerError.output,
                try take(FactsCompiler.SkippedRow(finding: finding, bytes: row)))
        }
    }

    /// Returns a finding with the line and the column of the faulty byte. When a row of comma-separated values takes
    /// several lines, the message names the first and the last of them.
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
