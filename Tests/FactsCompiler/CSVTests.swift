import DataFiles
import FactsCompiler
import Support
import System
import Testing

/// A table of comma-separated values, and the expected values of its row with key 7.
struct GoodCSV: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    let values: [String]

    init(_ name: String, _ source: String, _ values: [String]) {
        testDescription = name
        self.source = source
        self.values = values
    }

    private static let header = Compiled.csvHeader

    static let all: [GoodCSV] = [
        GoodCSV(
            "every type", header + "7,-3,true,2026-11-21T00:00:00Z,hello,gold\n",
            ["-3", "true", "@1795219200000", "\"hello\"", "\"gold\""]),
        GoodCSV("everything missing", header + "7,,,,,\n", ["-", "-", "-", "-", "-"]),
        GoodCSV(
            "missing values in quotation marks", header + "7,\"\",\"\",\"\",\"\",\"\"\n",
            ["-", "-", "-", "-", "-"]),
        GoodCSV("no line feed at the end", header + "7,1,,,,", ["1", "-", "-", "-", "-"]),
        GoodCSV(
            "lines that end with CRLF", "originalTransactionId,n,b,d,s,e\r\n7,1,false,,x,\r\n",
            ["1", "false", "-", "\"x\"", "-"]),
        GoodCSV("a byte order mark", "\u{FEFF}" + header + "7,1,,,,\n", ["1", "-", "-", "-", "-"]),
        GoodCSV(
            "everything quoted", header + "\"7\",\"-3\",\"true\",\"2026-11-21T00:00:00Z\",\"a\",\"gold\"\n",
            ["-3", "true", "@1795219200000", "\"a\"", "\"gold\""]),
        GoodCSV(
            "commas and quotation marks in a text", header + "7,1,,,\"a,\"\"b\"\"\",\n",
            ["1", "-", "-", "\"a,\"b\"\"", "-"]),
        GoodCSV(
            "a text of one quotation mark", header + "7,1,,,\"\"\"\",\n", ["1", "-", "-", "\"\"\"", "-"]),
        GoodCSV("lines in a text", header + "7,1,,,\"a\nb\r\nc\",\n", ["1", "-", "-", "\"a\nb\r\nc\"", "-"]),
        GoodCSV(
            "spaces, which are part of a text", header + "7,1,,, a ,silver plate\n",
            ["1", "-", "-", "\" a \"", "\"silver plate\""]),
        GoodCSV(
            "letters beyond ASCII", header + "7,1,,,Zür\u{1F600},\n",
            ["1", "-", "-", "\"Zür\u{1F600}\"", "-"]),
        GoodCSV(
            "columns in another order, and unknown columns",
            "e,x,s,d,b,originalTransactionId,n,\"y\"\ngold,1,,,,7,2,\n", ["2", "-", "-", "-", "\"gold\""]),
        GoodCSV("empty lines", header + "\n7,1,,,,\n\r\n\n8,2,,,,\n\n", ["1", "-", "-", "-", "-"]),
        GoodCSV(
            "a header with quotation marks",
            "\"originalTransactionId\",\"n\",\"b\",\"d\",\"s\",\"e\"\n7,1,,,,\n", ["1", "-", "-", "-", "-"]),
        GoodCSV(
            "the least number", header + "7,-9223372036854775808,,,,\n",
            ["-9223372036854775808", "-", "-", "-", "-"]),
        GoodCSV(
            "the greatest number", header + "7,9223372036854775807,,,,\n",
            ["9223372036854775807", "-", "-", "-", "-"]),
        GoodCSV(
            "a fraction of a second", header + "7,0,,1970-01-01T00:00:00.1239Z,,\n",
            ["0", "-", "@123", "-", "-"]),
    ]
}

/// A table, and the findings with which it is refused, each with line, column and code.
struct BadTable: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: [UInt8]
    let findings: [String]

    init(_ name: String, _ source: String, _ findings: String...) {
        testDescription = name
        self.source = Array(source.utf8)
        self.findings = findings
    }

    init(_ name: String, bytes: [UInt8], _ findings: String...) {
        testDescription = name
        source = bytes
        self.findings = findings
    }

    private static let header = Compiled.csvHeader

    /// Returns a table whose third row, on line 4, is `row`. The rows around it are good.
    private static func field(_ name: String, _ row: String, _ finding: String) -> BadTable {
        BadTable(name, header + "1,1,,,,\n2,2,,,,\n" + row + "\n9,3,,,,\n", finding)
    }

    static let csv: [BadTable] = structure + keys + values

    private static let structure = [
        BadTable("an empty table", "", "1:1 facts.no-header"),
        BadTable("a byte order mark alone", "\u{FEFF}", "1:1 facts.no-header"),
        BadTable("a header alone", header, "- facts.empty"),
        BadTable("a column missing", "originalTransactionId,n,b,d,s\n1,,,,\n", "1:1 facts.missing-column"),
        BadTable("no key column", "id,n,b,d,s,e\n1,,,,,\n", "1:1 facts.missing-column"),
        BadTable(
            "a column twice", "originalTransactionId,n,b,d,s,e,n\n1,,,,,,\n", "1:33 facts.repeated-column"),
        BadTable("a header with a stray quotation mark", "a\"b,n\n", "1:2 facts.bad-quote"),
        BadTable(
            "a header of several lines with a column twice",
            "\u{FEFF}originalTransactionId,\"x\ny\",n,b,d,s,e,s\n1,,,,,,,\n", "2:14 facts.repeated-column"),
        BadTable("a header with an unclosed quotation mark", "\"a,n\n", "1:1 facts.unterminated-quote"),
        field("a field too few", "3,,,,", "4:1 facts.wrong-field-count"),
        field("a field too many", "3,,,,,,", "4:1 facts.wrong-field-count"),
        field("a quotation mark in a field", "3,,,,a\"b,", "4:7 facts.bad-quote"),
        field("a letter after a closing quotation mark", "3,,,,\"a\"b,", "4:9 facts.bad-quote"),
        field("a space after a closing quotation mark", "3,,,,\"a\" ,", "4:9 facts.bad-quote"),
        field("a carriage return in a field", "3,,,,a\rb,", "4:7 facts.stray-return"),
        BadTable(
            "a quotation mark never closed", header + "1,,,,\"a,\n2,,,,,\n", "2:6 facts.unterminated-quote"),
        BadTable(
            "an error after a text of several lines", header + "1,,,,\"a\nb\",\n2,x,,,,\n",
            "4:3 facts.bad-integer"),
        BadTable(
            "an error after a line feed in the same row", header + "1,,,,\"a\nb\",lead\n",
            "3:4 facts.unknown-value"),
        field("an error after letters beyond ASCII", "3,,,,é\u{1F600},bronze", "4:9 facts.unknown-value"),
        BadTable(
            "several rows", header + "x,,,,,\n2,,,,,\n3,y,,,,\n4,,maybe,,,\n", "2:1 facts.bad-key",
            "4:3 facts.bad-integer", "5:4 facts.bad-boolean"),
        BadTable(
            "repeated keys", header + "5,,,,,\n6,,,,,\n5,,,,,\n6,,,,,\n", "4:1 facts.repeated-key",
            "5:1 facts.repeated-key"),
    ]

    private static let keys = [
        ("no key", ""), ("a key with a sign", "+3"), ("a negative key", "-3"), ("a leading zero", "03"),
        ("key 0", "0"), ("a key beyond 64 bits", "18446744073709551616"), ("a fraction", "3.0"),
        ("a space", " 3"), ("letters", "abc"),
    ].map { name, key in
        field(name, "\(key),,,,,", key.isEmpty ? "4:1 facts.missing-key" : "4:1 facts.bad-key")
    }

    private static let values = [
        field("a number with a plus", "3,+1,,,,", "4:3 facts.bad-integer"),
        field("a number with a zero in front", "3,01,,,,", "4:3 facts.bad-integer"),
        field("minus zero", "3,-0,,,,", "4:3 facts.bad-integer"),
        field("a minus alone", "3,-,,,,", "4:3 facts.bad-integer"),
        field("a fraction", "3,1.5,,,,", "4:3 facts.bad-integer"),
        field("an exponent", "3,1e3,,,,", "4:3 facts.bad-integer"),
        field("a space", "3, 1,,,,", "4:3 facts.bad-integer"),
        field("a number too great", "3,9223372036854775808,,,,", "4:3 facts.bad-integer"),
        field("a number too small", "3,-9223372036854775809,,,,", "4:3 facts.bad-integer"),
        field("a number of many digits", "3,100000000000000000000000,,,,", "4:3 facts.bad-integer"),
        field("a boolean in capital letters", "3,,TRUE,,,", "4:4 facts.bad-boolean"),
        field("a boolean as a number", "3,,1,,,", "4:4 facts.bad-boolean"),
        field("a date without time", "3,,,2026-11-21,,", "4:5 facts.bad-date"),
        field("a date in another time zone", "3,,,2026-11-21T00:00:00+02:00,,", "4:5 facts.bad-date"),
        field("a date that does not exist", "3,,,2026-02-29T00:00:00Z,,", "4:5 facts.bad-date"),
        field("a date as a number", "3,,,1795219200000,,", "4:5 facts.bad-date"),
        field("a value that the enumeration lacks", "3,,,,,bronze", "4:7 facts.unknown-value"),
        field("a value in another case", "3,,,,,Gold", "4:7 facts.unknown-value"),
        field("a long text", "3,,,,\(String(repeating: "a", count: 1025)),", "4:6 facts.too-long"),
        field("a NUL, which no JSON text can have", "3,,,,a\u{0}b,", "4:6 facts.contains-nul"),
        field("a NUL alone", "3,,,,\u{0},", "4:6 facts.contains-nul"),
        field("a NUL among letters", "3,,,,\"\u{FC}\"\"\u{0}\",", "4:7 facts.contains-nul"),
        BadTable(
            "a text that is not UTF-8", bytes: Array((header + "3,,,,").utf8) + [0xC3, 0x28, 0x2C, 0x0A],
            "2:6 facts.bad-utf8"),
    ]
}

@Suite("A table of comma-separated values")
struct CSVTests {
    @Test("is read as RFC 4180 says, in blocks of any size", arguments: GoodCSV.all)
    func good(row: GoodCSV) throws {
        for blockByteCount in [1 << 16, 1, 3, 16] {
            let file = try Compiled.file(row.source, blockByteCount: blockByteCount)
            #expect(Compiled.values(file, 7) == row.values, "blocks of \(blockByteCount)")
        }
    }

    @Test("is refused with line, column and code", arguments: BadTable.csv)
    func bad(row: BadTable) throws {
        for blockByteCount in [1 << 16, 1, 5] {
            let findings = try Compiled.findings(row.source, blockByteCount: blockByteCount)
            #expect(findings == row.findings, "blocks of \(blockByteCount)")
        }
    }

    @Test("names the two lines of a repeated key, and suggests the name that was meant")
    func words() throws {
        let twice = #expect(throws: FactsCompilerError.self) {
            try Compiled.file(Compiled.csvHeader + "5,,,,,\n6,,,,,\n5,,,,,\n")
        }
        #expect(
            twice?.description
                == "4:1: error: facts.repeated-key: originalTransactionId 5 stands on line 2 already"
        )
        let header = #expect(throws: FactsCompilerError.self) {
            try Compiled.file("original_transaction_id,n,b,d,s,e\n5,,,,,\n")
        }
        #expect(header?.description.contains("(there is \"original_transaction_id\")") == true)
        let value = #expect(throws: FactsCompilerError.self) {
            try Compiled.file(Compiled.csvHeader + "5,,,,,bronze\n")
        }
        #expect(
            value?.description
                == "2:7: error: facts.unknown-value: e: \"bronze\" is not in the enumeration (gold, silver plate)"
        )
    }

    @Test("is given up after a hundred findings, and the last finding says so")
    func many() throws {
        let rows = (1...500).map { "\($0),x,,,,\n" }.joined()
        let findings = try Compiled.findings(Array((Compiled.csvHeader + rows).utf8))
        #expect(findings.count == 101)
        #expect(findings.first == "2:3 facts.bad-integer" && findings[99] == "101:5 facts.bad-integer")
        #expect(findings.last == "- facts.more-findings")
    }
}
