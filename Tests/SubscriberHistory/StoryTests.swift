import Facts
@testable import Lives
import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("Facts of a subscriber")
struct StoryTests {
    @Test("of whom nothing is known are missing, but for the history, which is not complete")
    func nothing() {
        let facts = HistoryFacts(SubscriberPayloads(), now: 0)
        for statement in facts.statements where statement.fact != .historyComplete {
            #expect(statement.value == nil && statement.reason != nil, "\(statement.fact)")
        }
        #expect(facts[.historyComplete].value == .boolean(false))
    }

    @Test("are those of the golden files", arguments: try Story.groups.get().map(\.path))
    func text(_ path: String) throws {
        let stories = try Story.groups.get().first { $0.path == path }?.stories ?? []
        #expect(!stories.isEmpty)
        let text = stories.map { StoryText(story: $0).description }.joined(separator: "\n")
        try GoldenFile.check(text, path.replacing("/Stories/", with: "/Golden/"))
    }
}

extension HistoryFacts {
    var values: [SubscriberFact: FactValue] {
        Dictionary(uniqueKeysWithValues: statements.compactMap { one in one.value.map { (one.fact, $0) } })
    }
}

extension SubscriberPayloads {
    func shuffled(_ generator: inout SeededGenerator) -> Self {
        var result = self
        result.transactions += transactions.filter { _ in Bool.random(using: &generator) }
        result.renewals += renewals.filter { _ in Bool.random(using: &generator) }
        result.notifications += notifications.filter { _ in Bool.random(using: &generator) }
        result.transactions.shuffle(using: &generator)
        result.renewals.shuffle(using: &generator)
        result.notifications.shuffle(using: &generator)
        return result
    }
}

/// All facts of a story at several times, for people to read.
///
/// The times are those of the payloads and of the story's own checks, an hour and 400 days behind the last payload. The
/// first time has every fact, each later one those that have changed since. Missing facts stand behind their reason.
struct StoryText: CustomStringConvertible {
    let story: Story

    var description: String {
        let payloads = story.payloads
        var text = "\(story.name)\n"
        var last: [SubscriberFact: FactStatement] = [:]
        for time in Self.times(of: story, payloads) {
            let facts = HistoryFacts(payloads, now: time)
            var changed: [FactStatement] = []
            for statement in facts.statements
            where last[statement.fact].map({ ($0.value, $0.reason) != (statement.value, statement.reason) })
                ?? true
            {
                changed.append(statement)
                last[statement.fact] = statement
            }
            text += Self.wrap(
                "\(Self.name(of: time))\(Self.names(of: payloads, at: time)): ", Self.words(changed))
        }
        return text
    }

    private static func times(of story: Story, _ payloads: SubscriberPayloads) -> [Int64] {
        let newest = payloads.newest ?? Life.birth
        let later = [newest + 3_600_000, newest + 400 * Life.day]
        return Set(payloads.times + story.days.map { Life.time($0) } + later).sorted()
    }

    /// Returns the notifications that Apple signed at a time, and how many other payloads where it is not one of each with
    /// a notification.
    private static func names(of payloads: SubscriberPayloads, at time: Int64) -> String {
        let notifications = payloads.notifications.filter { $0.signedAt == time }
        var names = notifications.map { notification in
            [notification.columns.type, notification.columns.subtype].compactMap(\.self)
                .joined(separator: ".")
        }
        let transactions = payloads.transactions.count { $0.signedAt == time }
        let renewals = payloads.renewals.count { $0.signedAt == time }
        if transactions != names.count || renewals != names.count {
            names.append("\(transactions) transactions")
            names.append("\(renewals) renewal infos")
        }
        return names.isEmpty ? "" : " [\(names.joined(separator: ", "))]"
    }

    /// Returns what must not be torn apart at the end of a line: known facts first, then missing ones by their reason.
    private static func words(_ statements: [FactStatement]) -> [String] {
        if statements.isEmpty { return ["no change"] }
        var parts = statements.compactMap { statement in
            statement.value.map { "\(statement.fact) \(text(of: $0))" }
        }
        for reason in MissingReason.allCases {
            var names = statements.filter { $0.reason == reason }.map(\.fact.name)
            if names.isEmpty { continue }
            names[0] = "(\(reason.rawValue)) \(names[0])"
            parts += names
        }
        return parts.dropLast().map { $0 + "," } + parts.suffix(1)
    }

    private static func text(of value: FactValue) -> String {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .date(let time): name(of: time)
        case .string(let text): "\"\(text)\""
        }
    }

    /// Returns the day of a time, with the time of day unless it is midnight.
    private static func name(of time: Int64) -> String {
        let (past, isTooFar) = time.subtractingReportingOverflow(Life.birth)
        if isTooFar { return "\(time) ms" }
        let rest = ((past % Life.day) + Life.day) % Life.day
        let day = "day \((past - rest) / Life.day)"
        if rest == 0 { return day }
        let numbers = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60]
        let clock = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        if rest % 1_000 == 0 { return "\(day) \(clock)" }
        return "\(day) \(clock)." + "\(1_000 + rest % 1_000)".dropFirst()
    }

    private static func wrap(_ head: String, _ words: [String]) -> String {
        var lines = ["    " + head]
        for (place, word) in words.enumerated() {
            let line = lines[lines.count - 1]
            if place == 0 || line.utf8.count + word.utf8.count < 120 {
                lines[lines.count - 1] = place == 0 ? line + word : line + " " + word
            } else {
                lines.append("        " + word)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension SubscriberPayloads {
    fileprivate var times: [Int64] {
        transactions.map(\.signedAt) + renewals.map(\.signedAt) + notifications.map(\.signedAt)
    }
}
