/// The body of the configuration fuzzer, also run over its corpus by the tests: what is accepted reads back from its
/// effective form as the same value, what is refused says why.
package func fuzzConfiguration(_ bytes: Span<UInt8>) {
    let source = [UInt8](capacity: bytes.count) { output in
        for index in bytes.indices { output.append(bytes[index]) }
    }
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
