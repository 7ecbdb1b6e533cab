internal import AppStoreServerAPI
internal import ArgumentParser
internal import JSON
internal import Recovery
internal import SignedPayloads
internal import System
internal import Vocabulary

/// Shows Apple's history of notifications.
struct NotificationsHistory: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists the notifications that Apple has sent, with the attempts to send them.",
        discussion: """
            Reads Get Notification History page by page, in Apple's order, and stores nothing; `notifications recover` \
            stores. A line has the time of signing, the type, the notificationUUID, and the result of each attempt. A \
            notification that cannot be verified is shown with the code of its refusal alone, and the command then ends \
            with 65. Apple's history has 180 days in Production and 30 days in Sandbox.

            Example:
              retentionctl notifications history --environment Sandbox \\
                --profile apple.json --only-failures \\
                --from 2026-06-01T00:00:00Z
            """
    )

    @Option(
        help: ArgumentHelp(
            "The start of the range: RFC 3339, or milliseconds since 1970; all of the history if absent.",
            valueName: "time")
    )
    var from: TimeArgument?

    @Option(help: ArgumentHelp("The end of the range; the present if absent.", valueName: "time"))
    var to: TimeArgument?

    @Option(help: ArgumentHelp("Only this notificationType.", valueName: "name"))
    var type: String?

    @Option(help: ArgumentHelp("Only this subtype, which needs --type.", valueName: "name"))
    var subtype: String?

    @Option(help: ArgumentHelp("Only about this transaction, without --type.", valueName: "id"))
    var transactionId: String?

    @Flag(help: "Only notifications that Apple has not delivered.")
    var onlyFailures = false

    @Option(help: ArgumentHelp("At most this many, 1 to 100000.", valueName: "number"))
    var limit = 100

    @OptionGroup var options: RecoveryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
        guard subtype == nil || type != nil else { throw ValidationError("--subtype needs --type.") }
        guard type == nil || transactionId == nil else {
            throw ValidationError("Give --type or --transaction-id.")
        }
    }

    func run() throws {
        let request = try request(at: Clock.wallMilliseconds())
        let session = try options.session()
        var found: [HistoryLine] = []
        var token: String?
        var tokens = SeenTokens()
        var hasMore = false
        repeat {
            let page = try session.apple.client.notificationHistory(request, paginationToken: token)
            if let next = page.paginationToken {
                do throws(RecoveryError) { try tokens.note(next) } catch { throw ToolFailure(error) }
            }
            for item in page.notifications.prefix(limit - found.count) {
                found.append(HistoryLine(item, session.verifier, Clock.wallMilliseconds()))
            }
            token = page.paginationToken
            hasMore = token != nil
            Console.progress("\(found.count) notifications")
        } while hasMore && found.count < limit
        Console.endProgress()
        if output.json {
            let list = ("notifications", JSONNode.array(found.map { .object($0.members) }))
            Console.print(.object([list, ("hasMore", .boolean(hasMore))]))
        } else {
            Console.print(lines: found.map(\.text))
            if hasMore { Console.note("more: raise --limit, or narrow --from and --to") }
        }
        if found.contains(where: \.isRefused) { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    private func request(at now: Int64) throws(ToolFailure) -> NotificationHistoryRequest {
        let earliest = now - RecoverySettings.reachMilliseconds(in: options.apple.environment)
        let start = max(from?.milliseconds ?? earliest, earliest)
        let end = min(to?.milliseconds ?? now, now)
        guard start < end else { throw ToolFailure(RecoveryToolError.emptyRange) }
        var request = NotificationHistoryRequest(startDate: start, endDate: end)
        request.notificationType = type
        request.notificationSubtype = subtype
        request.transactionId = transactionId
        if onlyFailures { request.onlyFailures = true }
        return request
    }
}

/// One notification of Apple's history, as a line and as JSON.
private struct HistoryLine {
    private let attempts: [SentNotification.SendAttempt]
    private let content: Result<Notification, VerificationError>

    var isRefused: Bool {
        if case .failure = content { true } else { false }
    }

    init(_ sent: SentNotification, _ verifier: SignedPayloadVerifier, _ now: Int64) {
        attempts = sent.sendAttempts
        do throws(VerificationError) {
            let text = Array(sent.signedPayload.utf8)
            let verified = try verifier.verifyNotification(compact: text.span, nowMilliseconds: now)
            content = .success(verified.payload.content)
        } catch {
            content = .failure(error)
        }
    }

    /// One line for a person.
    var text: String {
        var words: [String]
        switch content {
        case .success(let notification):
            let kind = [notification.notificationType.rawValue, notification.subtype?.rawValue]
            words = [notification.signedDate.map { CivilTime(milliseconds: $0).description } ?? "(no time)"]
            words += kind.compactMap(\.self) + [notification.notificationUUID]
        case .failure(let error): words = ["refused=\(error.code)"]
        }
        words += attempts.map { "\($0.result)@\($0.time)" }
        return words.joined(separator: " ")
    }

    /// The members of a JSON object.
    var members: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        switch content {
        case .success(let notification):
            let texts = [
                ("notificationType", notification.notificationType.rawValue),
                ("subtype", notification.subtype?.rawValue),
                ("notificationUUID", notification.notificationUUID),
            ]
            members += texts.compactMap { name, value in value.map { (name, .string($0)) } }
            if let date = notification.signedDate { members.append(("signedDate", .integer(date))) }
        case .failure(let error): members.append(("refused", .string(error.code)))
        }
        return members + [("sendAttempts", .array(attempts.map(\.node)))]
    }
}
