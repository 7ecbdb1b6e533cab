internal import Cryptography
internal import DataFiles
internal import System
internal import Vocabulary

/// The requests that two rules files are held against.
struct Sample {
    /// Those of the files' app and environment.
    private(set) var requests: [SampleRequest] = []
    /// How many are of another app or environment.
    private(set) var otherAppCount = 0

    /// How many bad lines are named before the reading is given up.
    private static let findingLimit = 20

    /// Reads a sample whole.
    init(
        reading path: String,
        for header: DataFileHeader,
        old: RulesFile,
        new: RulesFile
    ) throws(ToolFailure) {
        let reader = SampleReader(path: path, old: old.declaredFacts, new: new.declaredFacts)
        var requests: [SampleRequest] = []
        var otherAppCount = 0
        var findings: [Diagnostic] = []
        try InputLines.forEach(in: path) { number, line throws(ToolFailure) in
            do throws(SampleFinding) {
                let request = try reader.request(line, line: number)
                let isOurs =
                    request.appAppleId ?? header.appAppleId == header.appAppleId
                    && request.environment ?? header.environment == header.environment
                if isOurs { requests.append(request) } else { otherAppCount += 1 }
            } catch {
                findings.append(
                    Diagnostic(
                        code: error.code,
                        message: error.message,
                        file: path,
                        line: number,
                        column: error.column
                    )
                )
                if findings.count >= Self.findingLimit { throw ToolFailure(.badData, findings) }
            }
        }
        guard findings.isEmpty else { throw ToolFailure(.badData, findings) }
        guard !requests.isEmpty else {
            let others = otherAppCount > 0 ? ", \(otherAppCount) of other apps and environments" : ""
            throw ToolFailure(.badData, code: "sample.empty", "no request\(others)", file: path)
        }
        self.requests = requests
        self.otherAppCount = otherAppCount
    }

    /// Finds the subscribers behind the pseudonyms of the decision log (service.md section 6: the first 16 bytes, in
    /// hexadecimal, of HMAC-SHA-256 of originalTransactionId) among those of a facts file.
    mutating func identify(by keyPath: String, among facts: FactsFile) throws(ToolFailure) {
        var places: [String: [Int]] = [:]
        for (index, request) in requests.enumerated() {
            if case .pseudonym(let text) = request.subscriber { places[text, default: []].append(index) }
        }
        guard !places.isEmpty else { return }
        let key = HMACSHA256(key: try Self.identifierKey(keyPath))
        do throws(CryptographyError) {
            for row in facts.rows where !places.isEmpty {
                guard let number = facts.key(of: row) else { continue }
                let text = String(number)
                let pseudonym = String(try key.authenticate(text.utf8Span.span).hexadecimal.prefix(32))
                for index in places.removeValue(forKey: pseudonym) ?? [] {
                    requests[index].subscriber = .originalTransactionId(text)
                }
            }
        } catch {
            throw ToolFailure(error, file: keyPath)
        }
    }

    /// The key of the decision log's pseudonyms: 64 hexadecimal digits, as `identifierKeyFile` has it.
    private static func identifierKey(_ path: String) throws(ToolFailure) -> [UInt8] {
        let text = try Input.read(path, limitBytes: 1 << 10)
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 64, let key = Hexadecimal.decode(String(decoding: digits, as: UTF8.self)) else {
            throw ToolFailure(
                .badData,
                code: "diff.bad-identifier-key",
                "no key of 64 hexadecimal digits",
                file: path
            )
        }
        return key
    }
}
