import Cryptography
import Support
import Testing

extension EndToEnd {
    /// Without these tests, a search that finds nothing would look like logs without secrets.
    @Suite("The search of all logs for secrets")
    struct LogAuditTests {
        /// What a log line could hold, and whether the search must find it. `{…}` stands for a piece of a key.
        private static let rows: [(text: String, isSecret: Bool)] = [
            ("originalTransactionId=2000000001", true), ("for \"2000000012\":", true),
            ("2000000777001", true),
            ("transaction 99371282.", true), (#"{\"originalTransactionId\":\"123456\"}"#, true),
            (#""transactionId":"700000123456""#, true),
            ("appAccountToken: 6f1d2b3c-0e5a-4b7c-9d8e-1f2a3b4c5d6e", true),
            (#"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9""#, true), ("payload=eyJub3RpZmlj", true),
            (String(repeating: "aB3-_x", count: 14) + "zz", true),
            ("x5c=MIIB8DCCAZagAwIBAgIUBdZ3RkX7bA", true), ("-----BEGIN PRIVATE KEY-----", true),
            ("MIGHAgEAMBMGByqGSM49AgEG", true), ("{hexadecimal}", true), ("key={base64}…", true),
            ("{base64url}", true), ("{second line}", true), ("{identifier key}", true),
            (
                "2026-11-21T01:52:19Z warning worker pid=41 message=\"request refused\" code=signature-bad",
                false
            ),
            ("request=3db5c98d8acf4e29831e8e1f00000001 app=6745974591 generation=1780315200000", false),
            ("reason=\"payload originalTransactionId is missing\"", false),
            (String(repeating: "0123456789abcdef", count: 4), false),
            ("/tmp/retention-test-10389-75553748394390-471/run/retentiond.sock", false),
            (#""subscriber":"9f0c2b7d11a94e369f0c2b7d11a94e36","app":6745974591"#, false),
        ]

        @Test("finds each kind of secret in each log of a folder, and nothing else")
        func planted() throws {
            let folder = try TemporaryDirectory()
            for name in ["state", "nginx", "nginx/logs", "run"] { try folder.makeDirectory(name) }
            let pem = try SigningKey.generate().pem()
            try folder.write(pem, to: "key.p8")
            let digits = String(repeating: "5be3d2c19a7f0846", count: 4)
            try folder.write(digits + "\n", to: "state/identifier.key")
            let lines = pem.split(separator: "\n")
            let der = Base64.decode(Array(lines[1...3].joined().utf8).span) ?? []
            try #require(der.count > 68)
            // PKCS #8: the private number stands after 36 bytes.
            let number = Array(der[36..<68])
            let pieces = [
                "hexadecimal": number.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                    .joined(),
                "base64": String(decoding: Base64.encode(number.span), as: UTF8.self),
                "base64url": String(decoding: Base64URL.encode(number.span), as: UTF8.self),
                "second line": String(lines[2]), "identifier key": digits,
            ]
            let logs = [
                "daemon.log", "recorder.log", "nginx/logs/error.log", "nginx/logs/access.log", "error.log.1",
                "decisions.ndjson", "run/recorder.pid.reload.json", "state/reload.json",
            ]
            for (index, row) in Self.rows.enumerated() {
                var text = row.text
                for (name, piece) in pieces { text.replace("{\(name)}", with: piece) }
                let log = logs[index % logs.count]
                try folder.write("a first line\n\(text)\n", to: log)
                let found = try LogAudit.findings(in: folder)
                #expect(found == (row.isSecret ? ["\(folder.path)/\(log):2:\(text)"] : []), "\(row.text)")
                try folder.write("", to: log)
            }
        }

        @Test("finds each kind of secret in a text, except for keys of files")
        func text() throws {
            for row in Self.rows where !row.text.contains("{hex") && !row.text.hasSuffix("}") {
                guard !row.text.contains("{base64}") else { continue }
                #expect(try !LogAudit.findings(in: row.text).isEmpty == row.isSecret, "\(row.text)")
            }
        }

        @Test("reaches everything that a test of this folder starts")
        func reach() throws {
            var starts = 0
            for path in try SourceFile.paths(below: "Tests/EndToEnd")
            where path.hasSuffix(".swift") && !path.hasSuffix("/LogAuditTests.swift") {
                let text = String(decoding: try SourceFile.read(SourceFile.root + "/" + path), as: UTF8.self)
                let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
                // Programs.run searches the standard error of the program. The search itself runs grep.
                let isExempt = ["Programs.swift", "LogAudit.swift"].contains { path.hasSuffix("/" + $0) }
                if !isExempt { #expect(!text.contains("ProgramRun." + "run("), "\(path)") }
                // The logs of other programs are in the folder of a tester, which searches it.
                for line in lines where line.contains("logPath: ") && !line.contains("logPath: String") {
                    starts += 1
                    let isSearched = line.contains(/logPath: (tester\.)?folder\.path\(of: "[a-z]+\.log"\)/)
                    #expect(isSearched, "\(path): \(line)")
                }
                let calls = lines.count { $0.contains("RunningProcess(") && !$0.contains("final class") }
                #expect(calls <= lines.count { $0.contains("logPath: ") }, "\(path)")
            }
            #expect(starts >= 9)
        }
    }
}
