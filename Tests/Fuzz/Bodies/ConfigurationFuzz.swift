@testable internal import Configuration
internal import System

/// The body of the configuration fuzzer; the tests also run it over the corpus. A configuration that is accepted must
/// give the same value when its effective form is read again. A refusal must have a code and a description.
package func fuzzConfiguration(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    do {
        let configuration = try Configuration(parsing: source)
        let effective = configuration.effectiveJSON(hidingSecrets: false)
        precondition((try? Configuration(parsing: effective)) == configuration, "the effective form differs")
        precondition(configuration.restartKeys(changedFrom: configuration).isEmpty, "it differs from itself")
        precondition(!configuration.effectiveJSON(hidingSecrets: true).isEmpty, "the effective form is empty")
    } catch {
        precondition(!error.code.isEmpty && !error.description.isEmpty, "no code or no description")
    }
}
