internal import JSON

/// Collects what is wrong and which keys are known while a configuration is read.
final class ConfigurationReader {
    private let positions: JSONPositions
    private(set) var problems: [ConfigurationProblem] = []
    /// Every key that was asked for, as `apps[].bundleId`: the language that is accepted.
    private(set) var knownKeys: Set<String> = []

    /// Whether so many problems are known that more are not looked for.
    var isFull: Bool { problems.count >= ConfigurationLimits.problemCount }

    init(source: [UInt8]) {
        positions = JSONPositions(source: source)
    }

    func knows(_ path: JSONPath) {
        var pattern = ""
        for component in path {
            switch component {
            case .member(let name): pattern += pattern.isEmpty ? name : ".\(name)"
            case .index: pattern += "[]"
            }
        }
        knownKeys.insert(pattern)
    }

    func report(_ code: ConfigurationProblem.Code, at path: JSONPath, _ reason: String, isKey: Bool = false) {
        guard !isFull else { return }
        let position = isKey ? positions.key(at: path) : positions.value(at: path)
        problems.append(ConfigurationProblem(code: code, path: path.text, position: position, reason: reason))
    }

    /// The problems in the order of the text.
    func refusal() -> ConfigurationError? {
        let sorted = problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
        guard let first = sorted.first else { return nil }
        return .invalid(first, others: Array(sorted.dropFirst()))
    }
}
