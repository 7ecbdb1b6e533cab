import DataFiles
import Support
import System
import Vocabulary

/// The rules that the pool serves: nothing for one product, and one message for all others. The two generations differ
/// only in the message, so that every answer shows which generation it came from.
enum TestRules: String, Sendable, CaseIterable {
    case old = "551ee7c0-c097-418e-9dd5-2a98533a7390"
    case new = "12e6970f-0000-4000-8000-000000000001"

    /// The exact body of the answer.
    var answer: String { #"{"message":{"messageIdentifier":"\#(rawValue)"}}"# }

    /// The rules of the other generation.
    var other: TestRules { self == .old ? .new : .old }

    /// The bytes that are pushed.
    func pushed() throws -> [UInt8] { try model().pushed }

    /// Pushes the file as rsync does: writes it under another name, which the daemon ignores, and renames it.
    func push(to tester: Tester) throws {
        let bytes = try pushed()
        try AtomicFile.write(bytes.span, to: tester.rulesPath)
    }

    private func model() throws -> RulesModel {
        guard let identifier = UUID(rawValue) else { throw Complaint("\(rawValue) is not a UUID") }
        var model = RulesModel(
            appAppleId: TestPayload.appAppleId, bundleId: "com.example.app", environment: .production)
        model.lastLocale = "en-US"
        model.messages = [
            .init(name: "value", kind: .text, identifiers: [.init(locale: "en-US", identifier: identifier)])
        ]
        var silent = RulesModel.Rule(id: "silent", outcome: .nothing)
        silent.condition = .equal(.productId, .string(TestPayload.silentProduct))
        model.rules = [silent]
        model.defaultOutcome = .message(0)
        return model
    }
}
