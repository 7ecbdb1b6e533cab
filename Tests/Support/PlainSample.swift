package import Facts
package import Rules
internal import System

/// The simple part of the sample model: messages, and rules without facts, segments and splits. A rule serves a message
/// or nothing.
package enum PlainSample {
    package static let stamp = DataFileStamp(
        builtAtMilliseconds: 1_795_226_399_000, writerVersion: "retentionctl 0.1.0")

    package static let model: RulesModel = {
        var model = RulesModel(
            appAppleId: 6_745_974_591, bundleId: "com.example.app", environment: .production)
        model.metadata = [
            .init(key: "revision", value: "2026-11-21.3"), .init(key: "owner", value: "growth"),
        ]
        model.localeFallbacks = [
            .init(locale: "es-MX", fallback: "es-419"), .init(locale: "en-GB", fallback: "en-US"),
            .init(locale: "en-AU", fallback: "en-GB"),
        ]
        model.lastLocale = "en-US"
        model.messages = [
            .init(
                name: "value_reminder",
                kind: .text,
                identifiers: [
                    .init(locale: "en-US", identifier: UUID(high: 0x551e_e7c0_c097_418e, low: 1)),
                    .init(locale: "de-DE", identifier: UUID(high: 0x12e6_970f_0000_4000, low: 2)),
                ]
            ),
            .init(
                name: "go_annual", kind: .switch,
                identifiers: [.init(locale: "en-US", identifier: UUID(high: 3, low: 4))]),
        ]
        model.rules = rules
        model.defaultOutcome = .message(0)
        return model
    }()

    package static let rules: [RulesModel.Rule] = {
        var first = RulesModel.Rule(id: "monthly_in_november", outcome: .message(0))
        first.windowFrom = 1_793_491_200_000
        first.windowTo = 1_796_083_200_000
        first.condition = .all([
            .isIn(.productId, [.string("pro_monthly"), .string("basic_monthly")]),
            .any([
                .equal(.language, .string("de")), .prefix(.userLocale, "en-"),
                .not(.isNotIn(.environment, [.string("Production")])),
            ]),
            .notEqual(.originalTransactionId, .string("2000000001")),
        ])
        var second = RulesModel.Rule(id: "never", outcome: .nothing)
        second.isEnabled = false
        second.condition = .any([
            .isIn(.now, [.date(1_795_000_000_000), .date(1_794_000_000_000)]), .notEqual(.now, .date(0)),
        ])
        return [first, second]
    }()
}
