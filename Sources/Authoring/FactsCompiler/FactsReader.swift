internal import DataFiles
internal import System

/// Goes through a table row by row: counts its lines, collects what is wrong.
struct FactsReader: ~Copyable {
    private var input: FactsInput
    private let facts: [FactsSchema.Fact]
    private let badRows: FactsCompiler.BadRows
    private var findings: [FactsFinding] = []
    private(set) var skippedCount = 0
    private(set) var skippedLineCount = 0
    private var line = 1

    init(_ input: consuming FactsInput, schema: FactsSchema, badRows: FactsCompiler.BadRows) {
        self.input = input
        facts = schema.facts
        self.badRows = badRows
    }

    private var place: FactsRowPlace {
        FactsRowPlace(start: input.start, end: input.end, isLast: input.isLast)
    }

    /// Passes over the mark that some programs put before UTF-8.
    private mutating func skipByteOrderMark() throws(FactsCompilerError) {
        while input.end < 3, !input.isLast { _ = try input.readMore() }
        if input.end >= 3, input.bytes[0] == 0xEF, input.bytes[1] == 0xBB, input.bytes[2] == 0xBF {
            input.take(upTo: 3)
        }
    }

    mutating func readHeader(_ source: inout CSVRows) throws(FactsCompilerError) {
        try skipByteOrderMark()
        while true {
            if input.isLast, input.start == input.end {
                throw .findings([FactsFinding(.noHeader, "the table is empty", line: 1, column: 1)])
            }
            let place = place
            do throws(FactsHeaderFaults) {
                if place.start < place.end,
                    let taken = try source.takeHeader(input.bytes.span, place, facts)
                {
                    input.take(upTo: taken.end)
                    line += taken.lineCount
                    return
                }
            } catch {
                throw .findings(error.faults.map { finding($0, place) })
            }
            try readMore()
        }
    }

    mutating func readRows(
        _ source: inout some FactsRowSource,
        into rows: inout FactsRowAssembler,
        _ progress: (Int) -> Void
    ) throws(FactsCompilerError) {
        if line == 1 { try skipByteOrderMark() }
        while findings.count < FactsCompilerLimits.findingCount {
            if input.start == input.end {
                if input.isLast { break }
                try readMore()
                progress(input.takenByteCount)
                continue
            }
            let place = place
            switch source.takeRow(input.bytes.span, place, into: &rows) {
            case .blank(let end):
                input.take(upTo: end)
                line += 1
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
                if try !input.readMore() { try passOverLine() }
                progress(input.takenByteCount)
            }
        }
        guard findings.isEmpty else {
            let isCut = findings.count >= FactsCompilerLimits.findingCount
            let rest = isCut ? [FactsFinding(.moreFindings, "there may be more; reading ended here")] : []
            throw .findings(findings + rest)
        }
        guard rows.rowCount > 0 else {
            let words =
                switch skippedCount {
                case 0: "the table has no rows"
                case 1: "the table has no other row than the bad one"
                default: "all \(skippedCount) rows of the table are bad"
                }
            throw .findings([FactsFinding(.empty, words)])
        }
    }

    private mutating func readMore() throws(FactsCompilerError) {
        guard try input.readMore() else {
            findings.append(finding(Self.rowTooLong(at: input.start), place))
            throw .findings(findings)
        }
    }

    /// Goes on behind the first line of a row that is too long.
    private mutating func passOverLine() throws(FactsCompilerError) {
        let place = place
        let fault = Self.rowTooLong(at: place.start)
        guard let lineFeed = input.bytes[place.start..<place.end].firstIndex(of: UInt8(ascii: "\n")) else {
            findings.append(finding(fault, place))
            throw .findings(findings)
        }
        try report(fault, place, end: lineFeed + 1, lineCount: 1)
        input.take(upTo: lineFeed + 1)
        line += 1
    }

    private static func rowTooLong(at position: Int) -> FactsRowFault {
        let fault = FactsRowAssembler.Fault(
            .rowTooLong,
            "a row of more than \(FactsCompilerLimits.rowByteCount) bytes",
            hint: "perhaps a quotation mark is not closed"
        )
        return FactsRowFault(fault: fault, position: position)
    }

    private mutating func report(
        _ fault: FactsRowFault,
        _ place: FactsRowPlace,
        end: Int,
        lineCount: Int
    ) throws(FactsCompilerError) {
        let finding = finding(fault, place, lastLine: lineCount > 1 ? line + lineCount - 1 : nil)
        switch badRows {
        case .refuse: findings.append(finding)
        case .skip(let take):
            skippedCount += 1
            skippedLineCount += lineCount
            var bytes = Array(input.bytes[place.start..<end])
            while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
                bytes.removeLast()
            }
            do throws(SystemCallError) {
                try take(FactsCompiler.SkippedRow(finding: finding, bytes: bytes))
            } catch {
                throw .output(error)
            }
        }
    }

    /// With the line and the column of the faulty byte: a row of comma-separated values may have several lines, and
    /// then it is said which is its last.
    private func finding(
        _ fault: FactsRowFault,
        _ place: FactsRowPlace,
        lastLine: Int? = nil
    ) -> FactsFinding {
        let lines = lastLine.map { "; the row has lines \(self.line) to \($0)" } ?? ""
        var line = self.line
        var lineStart = place.start
        for index in place.start..<fault.position where input.bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        // As editors and the rules compiler count: in characters, which begin with any byte but 10xxxxxx.
        let column = input.bytes[lineStart..<fault.position].count { $0 & 0xC0 != 0x80 }
        return FactsFinding(
            fault.fault.reason,
            fault.fault.message + lines,
            hint: fault.fault.hint,
            line: line,
            column: column + 1
        )
    }
}
