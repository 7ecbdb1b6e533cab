internal import DataFileWriting
internal import DataFiles
internal import Decisions
internal import Vocabulary

/// Rules files whose decisions are as expensive as the checker allows, each in another way. No rule serves anything, so
/// a decision goes through all rules.
struct WorstRules: Sendable {
    let name: String
    /// Makes the model with the given number of rules.
    private let model: @Sendable (Int) -> RulesModel

    static let request = DecisionRequest(
        appAppleId: 531_412,
        environment: .sandbox,
        productId: "p",
        userLocale: locale(0),
        originalTransactionId: "2000000012345678",
        nowMilliseconds: EvaluationRules.now
    )

    static let facts = SubscriberFacts.literal([.integer(1)], ageSeconds: 3600)

    static let all = [
        WorstRules(name: "plain") { count in
            rules(count) { .predicate(Predicate(.declared(0), .equal, [.integer(Int64($0 + 2))])) }
        },
        WorstRules(name: "lists") { count in
            rules(count) { rule in
                let values = (0..<128).map { FactValue.integer(Int64($0 * 2 - 128 + rule % 2 * 2)) }
                return .predicate(Predicate(.declared(0), .isIn, values))
            }
        },
        WorstRules(name: "salts") { count in
            var model = rules(count) { _ in nil }
            for index in model.rules.indices {
                let salt = String(repeating: "s", count: 1000) + "\(index)"
                model.rules[index].rollout = .init(salt: salt, basisPoints: 0)
            }
            return model
        },
        // Each message is in memory that no earlier rule has brought into the processor's caches.
        WorstRules(name: "messages") { count in
            let messages = (0..<count).map { message("m\($0)", locales: Array(others[..<100])) }
            var model = rules(count, messages: messages)
            model.lastLocale = locale(1)
            return model
        },
        // The search goes through the whole of a long list of fallbacks, for a message without any of these locales.
        WorstRules(name: "a long way") { count in
            fallbacks(rules(count, messages: [message("m")]), count: 1000, stride: 1)
        },
        WorstRules(name: "many fallbacks") { count in
            fallbacks(rules(count, messages: [message("m")]), count: 1 << 18, stride: 389)
        },
        // Each search in a list of locales ends in another place, and so does each search in the list of fallbacks.
        WorstRules(name: "many locales") { count in
            let names = (0..<1 << 18).filter { $0 % 389 != 0 }.map(locale)
            let lists = (0..<4).map { message("m\($0)", locales: names) }
            return fallbacks(rules(count, messages: lists), count: 1 << 18, stride: 389)
        },
    ]

    /// Returns a file that is nearly the largest that the checker accepts.
    func file() throws -> RulesFile {
        let limit = DataFileLimits.decisionStepCount
        let base = try cost(1)
        var count = 8
        // The cost of finding a string depends on the number of strings, so the steps do not grow exactly with the
        // number of rules.
        for _ in 0..<4 {
            let own = try cost(count) - base
            count = max(2, (limit - base) * count / max(own, 1))
        }
        while true {
            do throws(DataFileError) {
                return try RulesFile(bytes: bytes(count), check: .full)
            } catch {
                guard error.code == "data-file.too-much-work", count > 1 else { throw error }
                count -= 1 + count / 100
            }
        }
    }

    private func cost(_ count: Int) throws -> Int {
        DecisionCost(of: try RulesFile(bytes: bytes(count), check: .structure)).stepCount
    }

    private func bytes(_ count: Int) -> [UInt8] {
        let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "benchmark")
        return RulesFileWriter.write(model(count), stamp: stamp)
    }

    private static func locale(_ number: Int) -> String { "l\(number)" }

    private static func rules(_ count: Int, _ condition: (Int) -> Condition?) -> RulesModel {
        var model = RulesModel(appAppleId: 531_412, bundleId: "com.example", environment: .sandbox)
        model.facts = [.init(name: "n", kind: .integer)]
        model.rules = (0..<count).map { index in
            var rule = RulesModel.Rule(id: "r\(index)", outcome: .nothing)
            rule.condition = condition(index)
            return rule
        }
        return model
    }

    /// Returns rules that serve these messages in turn.
    private static func rules(_ count: Int, messages: [RulesModel.Message]) -> RulesModel {
        var model = rules(count) { _ in nil }
        model.messages = messages
        for index in model.rules.indices {
            model.rules[index].choice = .outcome(.message(index % messages.count))
        }
        return model
    }

    /// Returns a message in these locales, or in locales that no subscriber has.
    private static func message(_ name: String, locales: [String] = others) -> RulesModel.Message {
        let identifiers = locales.map {
            RulesModel.LocalizedIdentifier(locale: $0, identifier: UUID(high: 1, low: 2))
        }
        return RulesModel.Message(name: name, kind: .text, identifiers: identifiers)
    }

    private static let others = (0..<200).map { "other\($0)" }

    /// Adds fallbacks: a path from the subscriber's locale through at most a thousand fallbacks, and other fallbacks
    /// between them.
    private static func fallbacks(_ model: RulesModel, count: Int, stride: Int) -> RulesModel {
        var model = model
        let way = min(1000, count)
        let end = locale(count)
        model.localeFallbacks = (0..<count).map { number in
            // A step leads to a place far from the last place, so that the new place is not in the processor's caches.
            let isOnWay = number % stride == 0 && number / stride < way - 1
            return .init(
                locale: locale(number),
                fallback: isOnWay && number + stride < count ? locale(number + stride) : end
            )
        }
        return model
    }
}
