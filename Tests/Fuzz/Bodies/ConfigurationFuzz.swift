@testable internal import Configuration
internal import System

/// The body of the configuration fuzzer, also run over its corpus by the tests: what is accepted reads back from its
/// effective form as the same value, what is refused says why.
public func fuzzConfiguration(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    do {
        let configuration = try Configuration(parsing: source)
        let effective = configuration.effectiveJSON(hidingSecrets: false)
        precondition((try? Configuration(parsing: effective)) == configuration, "reads back as it was")
        precondition(configuration.restartKeys(changedFrom: configuration).isEmpty, "nothing changed")
        precondition(!configuration.effectiveJSON(hidingSecrets: true).isEmpty, "can be printed")
    } catch {
        precondition(!error.code.isEmpty && !error.description.isEmpty, "says why")
    }
}
