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
    private static let logs = [
        "*.log", "*.log.*", "*.ndjson", "*.ndjson.*", "reload.json", "*.pid.reload.json",
    ]

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
