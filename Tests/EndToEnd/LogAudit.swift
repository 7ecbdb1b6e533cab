import Cryptography
import Support
import System
import Testing

/// Searches what the programs of a test have logged for what no log may hold: identifiers of subscribers, parts of payloads,
/// and keys. Every tester calls it at its end, when its programs have ended.
enum LogAudit {
    /// Extended regular expressions, by what they find.
    ///
    /// The identifiers of transactions in the tests are 2000000001 and following, and those of one subscriber are
    /// 2000000777001 and following; 99371282 is the one of a request that names none. A header and a payload of a JWS
    /// begin with `eyJ` in base64url, because both are JSON objects. A signature has 86 characters in base64url; a digest,
    /// which logs may have, has 64. A certificate begins with `MII` in base64. A private key of the curve P-256 begins
    /// with one of two texts in base64, in PKCS #8 and in SEC 1.
    static let forbidden: [(what: String, pattern: String)] = [
        ("an identifier", "(^|[^0-9A-Za-z])(2000[0-9]{6}|2000[0-9]{9}|99371282)([^0-9A-Za-z]|$)"),
        (
            "a member with an identifier",
            "(([oO]riginalT|[aA]ppT|[^a-zA-Z]t)ransactionId|appAccountToken)[\\\\]?[\"']?[ ]*[=:][ ]*[\\\\]?[\"']?[0-9A-Fa-f-]{6}"
        ),
        ("a part of a JWS", "eyJ"), ("a signature", "(^|[^0-9A-Za-z_-])[0-9A-Za-z_-]{80}"),
        ("a certificate", "MII[0-9A-Za-z+/]{20}"), ("a key in PEM", "PRIVATE KEY"),
        ("a key in base64", "MIGHAgEAMBMGByqGSM49|MHcCAQEE"),
    ]

    /// The files in which programs of the tests log: log lines, decision records, and verdicts of reloads.
    private static let logs = ["*.log", "*.log.*", "*.ndjson", "*.ndjson.*", "*.reload.json"]

    /// Records an issue for each line in the logs of a folder that should not be there.
    static func check(_ folder: TemporaryDirectory) {
        do {
            for finding in try findings(in: folder) { Issue.record("a log holds a secret: \(finding)") }
        } catch {
            Issue.record("the logs cannot be searched: \(error)")
        }
    }

    /// Records an issue for each line of a text, such as the standard error of a program, that should not be there.
    static func check(_ text: String, of program: String) {
        guard !text.isEmpty else { return }
        do {
            for finding in try findings(in: text) { Issue.record("\(program) writes a secret: \(finding)") }
        } catch {
            Issue.record("the standard error of \(program) cannot be searched: \(error)")
        }
    }

    /// The lines in the logs of a folder that should not be there, each with its file. The keys are those whose files
    /// are in the folder.
    static func findings(in folder: TemporaryDirectory) throws -> [String] {
        let keys = try keyTexts(in: folder)
        return try search(keys, logs.map { "--include=\($0)" } + ["-r", folder.path], [])
    }

    /// The lines of a text that should not be there.
    static func findings(in text: String) throws -> [String] { try search([], ["-"], Array(text.utf8)) }

    private static func search(_ keys: [String], _ places: [String], _ input: [UInt8]) throws -> [String] {
        let patterns = forbidden.map(\.pattern) + keys.map { $0.replacing("+", with: "[+]") }
        let run = try ProgramRun.run(
            "grep",
            ["-aEn"] + patterns.flatMap { ["-e", $0] } + places,
            input: input,
            environment: ["LC_ALL=C"]
        )
        guard run.status == 0 || run.status == 1 else { throw Complaint("grep: \(run.errors)") }
        return run.output.split(separator: "\n").map { String($0.prefix(300)) }
    }

    /// What a log would hold if it held a key of the folder: a line of its PEM text, its number in hexadecimal or in
    /// base64, or the digits of the key that names subscribers.
    private static func keyTexts(in folder: TemporaryDirectory) throws -> [String] {
        let names = ["*.p8", "*.key", "*.pem"].map { "--include=\($0)" }
        let run = try ProgramRun.run("grep", ["-rlE"] + names + ["PRIVATE KEY|^[0-9a-f]{64}$", folder.path])
        var texts: [String] = []
        for path in run.output.split(separator: "\n") {
            let lines = String(decoding: try SourceFile.read(String(path)), as: UTF8.self).split(
                separator: "\n"
            )
            guard lines.count > 2 else {
                texts += lines.map(String.init)
                continue
            }
            // The first line of a key's text is the same for every key of its kind.
            let body = lines.filter { !$0.hasPrefix("-----") }
            texts += body.dropFirst().filter { $0.count >= 32 }.map { String($0.prefix(32)) }
            texts += forms(ofNumberIn: body.joined())
        }
        return texts
    }

    /// The private number of a key of the curve P-256 in three notations.
    private static func forms(ofNumberIn text: String) -> [String] {
        // ECPrivateKey (RFC 5915): version 1, then the number as an OCTET STRING.
        let mark: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]
        guard let der = Base64.decode(Array(text.utf8).span),
            let place = der.indices.first(where: { der[$0...].starts(with: mark) }),
            der.count >= place + mark.count + 32
        else { return [] }
        let number = Array(der[place + mark.count..<place + mark.count + 32])
        let hexadecimal = number.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        // The last characters in base64 depend on what follows.
        return [
            hexadecimal.joined(), String(decoding: Base64.encode(number.span).prefix(42), as: UTF8.self),
            String(decoding: Base64URL.encode(number.span).prefix(42), as: UTF8.self),
        ]
    }
}

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
                "decisions.ndjson", "run/recorder.pid.reload.json", "run/retentiond.pid.reload.json",
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
    }
}
