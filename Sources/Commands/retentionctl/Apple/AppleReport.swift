internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Vocabulary

/// Prints what a command did or found.
struct AppleReport {
    let session: AppleSession
    let json: Bool

    /// Prints a change that was made.
    ///
    /// - Parameters:
    ///   - text: what was done, as in `message X uploaded to`.
    ///   - members: what it was done to, for JSON.
    ///   - outcome: how the client knows that it was done.
    func done(_ text: String, _ members: [(String, JSONNode)], _ outcome: ChangeOutcome = .confirmed) {
        guard json else {
            let remark = outcome == .confirmed ? "" : " (the answer was lost; it was found to be done)"
            Console.print("\(session.place): \(text)\(remark)")
            return
        }
        Console.print(
            .object(
                [("environment", .string(session.server.environment.rawValue))] + members
                    + [("outcome", .string(outcome.rawValue))]
            )
        )
    }

    /// Prints one value, or that there is none. Ends with 1 in that case.
    func value(_ name: String, _ value: String?, absent: String) throws {
        if json {
            Console.print(.object([(name, value.map { .string($0) } ?? .null)]))
        } else {
            Console.print(value ?? "\(session.place): \(absent)")
        }
        if value == nil { throw ExitCode(ExitStatus.no.rawValue) }
    }

    /// Prints rows of words in columns, or Apple's document.
    func list(_ rows: [[String]], _ document: JSONNode) {
        guard !json else {
            Console.print(document)
            return
        }
        Console.print(lines: rows.map { $0.joined(separator: "  ") })
    }
}
