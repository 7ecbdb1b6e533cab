import DataFileWriting
import DataFiles
import Decisions
import JSON
import Support
import System
import Testing
import Vocabulary

@testable import RulesCompiler

/// Sources of growing size that make one kind of work as expensive as possible.
struct WorstRules: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Returns the members of a source with the given number of rules.
    let members: @Sendable (Int) -> String

    private static let message =
        #""messages": { "m": { "kind": "text", "ids": { "fr-FR": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } }"#

    private static func rules(_ count: Int, _ rule: (Int) -> String) -> String {
        #""rules": ["#
            + (0..<count).map { #"{ "id": "r\#($0)", \#(rule($0)) }"# }.joined(separator: ",\n") + "]"
    }

    /// A chain of 1,000 fallbacks, in which each locale falls back to the next locale.
    private static let chain: String = {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let names = (0...1000).map {
            "\(letters[$0 / 676])\(letters[$0 / 26 % 26])\(letters[$0 % 26])-US"
        }
        let steps = zip(names, names.dropFirst()).map { "\"\($0)\": \"\($1)\"" }
        return #""locales": { "fallback": { "# + steps.joined(separator: ", ") + " } }"
    }()

    static let all = [
        WorstRules(testDescription: "lists") { count in
            let values = (100..<140).map { "\"\($0)\"" }.joined(separator: ",")
            return rules(count) { _ in
                #""when": { "fact": "originalTransactionId", "notIn": [\#(values)] }, "serve": "none""#
                    + #", "rollout": { "salt": "s", "basisPoints": 0 }"#
            }
        },
        WorstRules(testDescription: "long salts") { count in
            let salt = String(repeating: "s", count: 1000)
            return rules(count) {
                #""serve": "none", "rollout": { "salt": "\#(salt)\#($0)", "basisPoints": 0 }"#
            }
        },
        WorstRules(testDescription: "a long chain of locales") { count in
            chain + ", " + message + ", " + rules(count) { _ in #""serve": { "message": "m" }"# }
        },
    ]

    func source(_ ruleCount: Int) -> [UInt8] {
        Array((GoodSource.head + members(ruleCount) + " }").utf8)
    }
}

@Suite("The work of one decision")
struct WorstRulesTests {
    private static func refusal(_ source: [UInt8]) -> Finding? {
        do throws(RulesCompilerError) {
            _ = try RulesCompiler.compile(source, stamp: RulesCompilerTests.stamp)
            return nil
        } catch {
            return error.findings.first
        }
    }

    @Test(
        "is bounded: the compiler names the rule that exceeds the limit, and the loader refuses the file too",
        arguments: WorstRules.all
    )
    func bounded(worst: WorstRules) throws {
        let limit = DataFileLimits.decisionStepCount
        let (one, two) = (try cost(worst, 1).stepCount, try cost(worst, 2).stepCount)
        // Each rule adds the same number of steps. The steps to find strings depend on the number of strings.
        let count = limit / (two - one)
        let taken = try cost(worst, count * 9 / 10)
        #expect(taken.ruleIndex == nil && taken.stepCount <= limit && taken.stepCount > limit * 4 / 5)
        #expect(Self.refusal(worst.source(count * 9 / 10)) == nil)
        // The compiler refuses the first rule that exceeds the limit, and names its place.
        let refused = count * 11 / 10
        let finding = try #require(Self.refusal(worst.source(refused)))
        #expect(finding.code == "rules.too-much-work" && finding.line != nil)
        let place = Int(finding.path.filter(\.isWholeNumber)) ?? 0
        #expect(finding.path == "rules[\(place)]" && place > refused * 3 / 4 && place < refused)
        // The loader refuses a file from a writer without this check.
        let large = try bytes(worst, refused)
        let costs = DecisionCost(of: try RulesFile(bytes: large, check: .structure))
        #expect(costs.stepCount > limit && costs.stepCount <= limit * 6 / 5)
        #expect((costs.ruleIndex ?? 0) > refused * 3 / 4)
        let error = #expect(throws: DataFileError.self) { try RulesFile(bytes: large, check: .full) }
        #expect(error?.code == "data-file.too-much-work" && error?.section == "rules")
    }

    @Test("counts accesses to memory outside the cache, in long and in many lists of locales")
    func locales() throws {
        func steps(identifierCount: Int, fallbackCount: Int) throws -> Int {
            var model = try RulesCompiler.model(of: WorstRules.all[0].source(1))
            model.localeFallbacks = (0..<fallbackCount).map { .init(locale: "a\($0)", fallback: "end") }
            model.messages = [
                .init(
                    name: "m",
                    kind: .text,
                    identifiers: (0..<identifierCount).map {
                        .init(locale: "l\($0)", identifier: UUID(high: 1, low: 2))
                    }
                )
            ]
            let counts = try [0, 1000].map { (count: Int) throws in
                model.rules = (0..<count).map { .init(id: "r\($0)", outcome: .message(0)) }
                // Metadata fills up the number of names, because rules and locales share one string table.
                model.metadata = (count..<1000).map { .init(key: "r\($0)", value: "") }
                let bytes = RulesFileWriter.write(model, stamp: RulesCompilerTests.stamp)
                return DecisionCost(of: try RulesFile(bytes: bytes, check: .structure)).stepCount
            }
            return (counts[1] - counts[0]) / 1000
        }
        // A decision searches three locales once each: the subscriber's locale, its fallback and the last locale.
        let short = try steps(identifierCount: 1 << 10, fallbackCount: 1 << 10)
        #expect(try steps(identifierCount: 1 << 13, fallbackCount: 1 << 10) >= short + 3 * 3 * 16)
        #expect(try steps(identifierCount: 1 << 10, fallbackCount: 1 << 13) >= short + 3 * 3 * 16)
        // A hundred identifiers fill 38 cache lines, so the first search in them may miss the cache six times.
        let one = try steps(identifierCount: 1, fallbackCount: 1)
        #expect(try steps(identifierCount: 100, fallbackCount: 1) >= one + 6 * 16)
    }

    private func cost(_ worst: WorstRules, _ count: Int) throws -> DecisionCost {
        DecisionCost(of: try RulesFile(bytes: try bytes(worst, count), check: .structure))
    }

    private func bytes(_ worst: WorstRules, _ count: Int) throws -> [UInt8] {
        RulesFileWriter.write(try Self.model(worst, count), stamp: RulesCompilerTests.stamp)
    }

    /// Returns the model of a source that the compiler refuses. It repeats the rule of a smaller source.
    private static func model(_ worst: WorstRules, _ count: Int) throws -> RulesModel {
        var model = try RulesCompiler.model(of: worst.source(1))
        let first = try #require(model.rules.first)
        model.rules = (0..<count).map { number in
            var rule = first
            rule.id = "r\(number)"
            return rule
        }
        return model
    }

    private static let given =
        #"{ "productId": "p", "userLocale": "en-US", "originalTransactionId": "1", "now": "2026-11-21T00:00:00Z" }"#

    @Test("is bounded for all embedded tests together, because a load runs them")
    func tests() throws {
        // Each rule takes some 20,000 steps.
        let worst = WorstRules.all[2]
        func source(_ testCount: Int) -> [UInt8] {
            let tests = (0..<testCount).map {
                #"{ "name": "t\#($0)", "given": \#(Self.given), "expect": { "rule": null } }"#
            }
            let members = worst.members(35) + #", "tests": [ "# + tests.joined(separator: ",\n") + "]"
            return Array((GoodSource.head + members + " }").utf8)
        }
        var model = try RulesCompiler.model(of: source(1))
        let bytes = RulesFileWriter.write(model, stamp: RulesCompilerTests.stamp)
        let cost = DecisionCost(of: try RulesFile(bytes: bytes, check: .full))
        let count = DataFileLimits.testsStepCount / (2 * cost.stepCount)
        // The steps to find strings depend on the number of strings.
        #expect(Self.refusal(source(count * 9 / 10)) == nil)
        let finding = try #require(Self.refusal(source(count * 11 / 10)))
        let place = Int(finding.path.filter(\.isWholeNumber)) ?? 0
        #expect(finding.code == "rules.too-much-work" && finding.path == "tests[\(place)]")
        #expect(finding.line != nil && place > count * 9 / 10 && place < count * 11 / 10)
        let test = try #require(model.tests.first)
        for (testCount, code) in [(count, nil), (count + 1, "data-file.too-much-work")] {
            model.tests = Array(repeating: test, count: testCount)
            let bytes = RulesFileWriter.write(model, stamp: RulesCompilerTests.stamp)
            var found: DataFileError?
            do throws(DataFileError) {
                _ = try RulesFile(bytes: bytes, check: .full)
            } catch {
                found = error
            }
            #expect(found?.code == code && found?.section == code.map { _ in "tests" })
        }
    }

    @Test("is bounded for strings that were chosen to collide in the string table")
    func hashes() throws {
        // 8,000 strings need 16,384 buckets. The hashes of these strings lie in an eighth of the buckets, so the
        // strings push each other into later buckets.
        var texts: [String] = []
        var number = 0
        while texts.count < 8000 {
            let text = "p\(number)"
            if Array(text.utf8).span.wordHash & 16_383 < 2048 { texts.append(text) }
            number += 1
        }
        let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
        func source(_ list: String) -> [UInt8] {
            let rule =
                #"{ "id": "r", "when": { "fact": "productId", "in": [\#(list)] }, "serve": "none" }"#
            return Array((GoodSource.head + "\"rules\": [ \(rule) ] }").utf8)
        }
        #expect(Self.refusal(source(list))?.code == "rules.too-much-work")
        // The compiler accepts the same number of other strings.
        let others = (0..<8000).map { "\"p\($0)\"" }.joined(separator: ",")
        #expect(Self.refusal(source(others)) == nil)
        var model = try RulesCompiler.model(of: source("\"p\""))
        model.rules[0].condition = .isIn(.productId, texts.map { .string($0) })
        let bytes = RulesFileWriter.write(model, stamp: RulesCompilerTests.stamp)
        let error = #expect(throws: DataFileError.self) { try RulesFile(bytes: bytes, check: .full) }
        #expect(error?.code == "data-file.too-much-work" && error?.section == "stringIndex")
    }

    @Test(
        "of compiling and lint is bounded too: segments that name 2,000 products and each other many times"
    )
    func segments() throws {
        // Every segment leaves out a different number of products, and names the segments before it 900 times.
        let products = (0..<2000).map { "\"p\($0)\"" }
        var segments: [String] = []
        for place in 0..<18 {
            let list =
                #"{ "fact": "productId", "in": [\#(products.dropFirst(place).joined(separator: ","))] }"#
            let others = (0..<(place == 0 ? 0 : 900)).map { #"{ "segment": "s\#($0 % place)" }"# }
            segments.append(#""s\#(place)": { "any": [\#(([list] + others).joined(separator: ","))] }"#)
        }
        let declared = (0..<2000).map { #""p\#($0)": { "group": "g\#($0 % 2)" }"# }
        let members =
            #""products": { \#(declared.joined(separator: ",")) }, "segments": { \#(segments.joined(separator: ",\n")) }, "#
            + #""messages": { "m": { "kind": "switch", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } }, "#
            + #""rules": [ { "id": "r", "when": { "segment": "s17" }, "serve": { "switch": "m", "productId": "p0" } } ]"#
        let source = Array((GoodSource.head + members + " }").utf8)
        let found = try Lint.findings(in: source, now: LintRow.now)
        #expect(
            found.contains { $0.check == .switchGroup } || found.contains { $0.check == .searchEnded }
        )
        let sets = ProductSet.sets(of: try RulesCompiler.model(of: source).segments)
        #expect(sets[17] == .any)
    }

    @Test("of finding products ends at a limit, and the result then excludes no product")
    func steps() {
        let names = (0..<100).map { FactValue.string("p\($0)") }
        let condition: Condition = .any([.isIn(.productId, names), .equal(.productId, .string("x"))])
        let segments = [RulesModel.Segment(name: "s", condition: condition)]
        guard case .some(let products) = SegmentProducts(segments)[0] else {
            Issue.record("the segment stands for any product")
            return
        }
        #expect(products.count == 101)
        // 100 steps read the list, 100 take over its set, and one takes over the other product.
        #expect(SegmentProducts(segments, steps: 201)[0] == .some(products))
        #expect(SegmentProducts(segments, steps: 200)[0] == .any)
        #expect(SegmentProducts(segments, steps: 99)[0] == .any)
        // A set that is too large becomes any product.
        let limit = RulesCompilerLimits.productSetLimit
        for (count, isAny) in [(limit, false), (limit + 1, true)] {
            let list = (0..<count).map { FactValue.string("p\($0)") }
            #expect((ProductSet(.isIn(.productId, list), SegmentProducts([])) == .any) == isAny)
        }
    }
}
