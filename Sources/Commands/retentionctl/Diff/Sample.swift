internal import Cryptography
internal import DataFiles
internal import System
internal import Vocabulary

/// The requests with which two rules files are compared.
struct Sample {
    /// The requests for the app and the environment of the rules files.
    private(set) var requests: [SampleRequest] = []
    /// The number of requests for another app or environment.
    private(set) var otherAppCount = 0
    /// The number of lines of a decision log that were left out because they are not JSON.
    private(set) var brokenLineCount = 0

    /// The number of bad lines that are reported before the reading ends.
    private static let findingLimit = 20

    /// Reads a whole sample. In a decision log, lines that are not JSON are left out and counted.
    ///
    /// - Throws: the findings about bad lines, or `sample.empty`.
    init(reading path: String, old: RulesFile, new: RulesFile) throws(ToolFailure) {
        let reader = SampleReader(path: path, old: old.declaredFacts, new: new.declaredFacts)
        var requests: [SampleRequest] = []
        var otherAppCount = 0
        var findings: [Finding] = []
        var broken: [Finding] = []
        var brokenLineCount = 0
        var isLog = false
        try InputLines.forEach(in: path) { number, line throws(ToolFailure) in
            do throws(Finding) {
                let line = try reader.line(line, number: number)
                if line.isOfLog { isLog = true }
                if case .broken(let finding) = line {
                    brokenLineCount += 1
                    if broken.count < Self.findingLimit { broken.append(finding) }
                }
                guard case .request(let request) = line else { return }
                let isOurs =
                    request.appAppleId ?? old.appAppleId == old.appAppleId
                    && request.environment ?? old.environment == old.environment
                if isOurs { requests.append(request) } else { otherAppCount += 1 }
            } catch {
                findings.append(error)
                if findings.count >= Self.findingLimit { throw ToolFailure(.badData, findings) }
            }
        }
        if !isLog { findings += broken }
        guard findings.isEmpty else {
            let inOrder = findings.sorted { $0.line ?? 0 < $1.line ?? 0 }
            throw ToolFailure(.badData, Array(inOrder.prefix(Self.findingLimit)))
        }
        guard !requests.isEmpty else {
            let others = otherAppCount > 0 ? ", \(otherAppCount) of other apps and environments" : ""
            throw ToolFailure(.badData, code: "sample.empty", "no request\(others)", file: path)
        }
        self.requests = requests
        self.otherAppCount = otherAppCount
        self.brokenLineCount = brokenLineCount
    }

    /// Replaces the pseudonyms of the decision log by the `originalTransactionId` of the subscribers, where the facts
    /// file has them. `keyPath` is the file of the key that made the pseudonyms.
    mutating func identify(by keyPath: String, among facts: FactsFile) throws(ToolFailure) {
        var places: [String: [Int]] = [:]
        for (index, request) in requests.enumerated() {
            if case .pseudonym(let text) = request.subscriber { places[text, default: []].append(index) }
        }
        guard !places.isEmpty else { return }
        guard let key = IdentifierKey(text: try Input.read(keyPath, limitBytes: 1 << 10)) else {
            throw ToolFailure(
                .badData, code: "diff.bad-identifier-key", "no key of 64 hexadecimal digits", file: keyPath)
        }
        let failure = { (error: CryptographyError) in ToolFailure(error, file: keyPath) }
        let pseudonyms = try CryptographyError.mapped(to: failure, try key.pseudonyms())
        for row in facts.rows where !places.isEmpty {
            guard let number = facts.key(of: row) else { continue }
            let text = String(number)
            let pseudonym = try CryptographyError.mapped(to: failure, try pseudonyms.pseudonym(of: text))
            for index in places.removeValue(forKey: pseudonym) ?? [] {
                requests[index].subscriber = .originalTransactionId(text)
            }
        }
    }
}
