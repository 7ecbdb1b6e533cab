import AppStoreServerAPI
@testable import Catalogue
import HTTPClient
import System
import Testing

@Suite("Apply, when Apple refuses")
struct RefusalTests {
    private static func titles(_ steps: [CataloguePlan.Step]) -> [String] { steps.map(\.title) }

    @Test("an image, holds what needs it and does the rest")
    func image() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = [Wanted.uuid(1, 1).description: .invalidImage]
        let report = try #require(try world.run())
        #expect(report.refused.map(\.code) == ["apple.4000161"])
        #expect(report.refused.first?.message.contains("Upload a PNG without transparency") == true)
        #expect(
            Self.titles(report.held) == [
                "message message0 en-US", "default monthly en-US", "default annual en-US",
            ]
        )
        #expect(
            Self.titles(report.done) == [
                "image image0", "message message1 de-DE", "message message2 en-US", "default monthly de-DE",
                "default annual de-DE", "url",
            ]
        )
        #expect(report.failure == nil && report.waiting.isEmpty && !report.isWaitingOnly)
        // Apple takes it now: the next run does what was left.
        world.apple.refusals = [:]
        try world.runToTheEnd(limit: 1)
        world.check("after the refusal")
    }

    @Test("one more of a kind, and asks no further for that kind")
    func full() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = [Wanted.uuid(2, 0).description: .tooManyMessages]
        let report = try #require(try world.run())
        #expect(report.refused.map(\.code) == Array(repeating: "apple.4030016", count: 3))
        #expect(world.apple.callCounts[.uploadMessage] == 1)
        #expect(report.held.count == 4)
    }

    @Test("a product, and sets the other default messages")
    func product() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = ["annual": .invalidProductId]
        let report = try #require(try world.run())
        #expect(report.refused.map(\.step.title) == ["default annual en-US", "default annual de-DE"])
        #expect(world.apple.defaults.count == 2 && world.apple.url != nil)
    }

    @Test(
        "a default message as not approved although its list says approved: it waits",
        arguments: [AppStoreServerAPIErrorCode.messageNotApproved, .imageNotApproved]
    )
    func approvalInDoubt(code: AppStoreServerAPIErrorCode) throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = ["annual": code]
        let report = try #require(try world.run())
        let titles = ["default annual en-US", "default annual de-DE", "url"]
        #expect(report.waiting.map(\.title) == titles && report.isWaitingOnly)
        #expect(world.apple.defaults.count == 2)
        world.apple.refusals = [:]
        try world.runToTheEnd(limit: 1)
        world.check("approved")
    }

    @Test("the URL without a passed performance test")
    func url() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = ["url": .noPassingTest]
        let report = try #require(try world.run())
        #expect(report.refused.map(\.code) == ["apple.4030026"])
        #expect(report.refused.first?.message.contains("Run the performance test") == true)
    }

    @Test("an identifier that was deleted, and proposes another revision, also in the next plan")
    func used() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.used = [Wanted.uuid(2, 0)]
        let report = try #require(try world.run())
        #expect(report.refused.map(\.code) == ["catalogue.identifier-used"])
        let advice = "set \"revision\": 2 at messages.message0.en-US for a new identifier"
        #expect(report.refused.first?.message.contains(advice) == true)
        #expect(report.held.count == 2)
        let plan = try world.plan()
        #expect(plan.steps.isEmpty && plan.problems.map(\.proposedRevision) == [2])
        #expect(plan.problems.first?.finding.hint == advice)
    }

    @Test("a message that another process has uploaded: it is there")
    func concurrent() throws {
        let world = ApplyWorld(Wanted.small())
        var isFirst = true
        world.apple.fault = {
            if isFirst { world.apple.messages[Wanted.uuid(2, 2)] = (.approved, []) }
            isFirst = false
            return nil
        }
        let report = try #require(try world.run())
        #expect(report.isComplete && world.apple.conflictCount == 1)
    }

    @Test(
        "everything, and ends the run",
        arguments: [
            AppStoreServerAPIError.unauthorized(
                AppleRefusal(status: 401), clockLeadSeconds: nil
            ),
            .noAccess(.setURL), .rateLimited(.uploadImage, untilMilliseconds: 1),
            .refused(AppleRefusal(.internalError)), .refused(AppleRefusal(status: 403)),
            .outcomeUnknown(.uploadImage, .noAccess(.setURL)), .malformed(.truncated),
        ]
    )
    func run(error: AppStoreServerAPIError) {
        #expect(error.scope == .run)
    }

    @Test("an image whose file has changed since the plan, before anything is sent")
    func changedFile() throws {
        let apple = FakeApple()
        let catalogue = Wanted.small()
        let apply = CatalogueApply(
            CataloguePlan(catalogue, AppleState()), apple.client(), StateFile(),
            timing: ClientTiming(now: { 0 }, sleep: { _ in }),
            readImage: { image in
                guard image.identifier != Wanted.uuid(1, 0) else { return [1] }
                throw ToolError(code: "missing", "missing")
            }
        )
        let report = apply.run(images: catalogue.imagesByMessage, wait: .none)
        #expect(
            report.refused.map(\.code) == [
                "catalogue.image-file", "missing",
            ]
        )
        #expect(apple.images.isEmpty && apple.messages.count == 1)
    }

    @Test("nothing: it waits as long as it may, and looks more and more seldom")
    func waiting() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.approves = false
        world.wait = .until(milliseconds: world.time + 3_600_000)
        let start = world.time
        let report = try #require(try world.run())
        #expect(report.isWaitingOnly && report.waiting.count == 5)
        #expect(world.time == start + 3_600_000)
        // 10, 20, 40, 80, 160 s, then every 300 s.
        #expect((15...20).contains(world.apple.callCounts[.listMessages] ?? 0))
    }

    @Test(
        "a list while it waits: an outage does not end the wait, and any other error does",
        arguments: [
            (.transport(.unresolved), true), (.transport(.notConnected("refused")), true),
            (.transport(.timedOut), true), (.refused(AppleRefusal(.internalError)), true),
            (.rateLimited(.listImages, untilMilliseconds: 1), true),
            (.transport(.tls("expired")), false), (.malformed(.redirect(status: 302)), false),
            (.refused(AppleRefusal(.invalidProductId)), false),
        ] as [(AppStoreServerAPIError, Bool)]
    )
    func outage(error: AppStoreServerAPIError, isPassing: Bool) throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.approves = false
        world.wait = .until(milliseconds: world.time + 3_600_000)
        let start = world.time
        // The third look fails until ten minutes have passed. Then Apple's server is back, and has reviewed everything.
        world.apple.outage = { [unowned world] in
            guard world.apple.callCounts[.listImages] ?? 0 > 2, world.time < start + 600_000 else {
                return nil
            }
            world.apple.review()
            return error
        }
        let report = try #require(try world.run())
        #expect(report.isComplete == isPassing)
        #expect(report.failure == (isPassing ? nil : ToolError(error)))
        #expect(world.apple.defaults.count == (isPassing ? 4 : 0))
        guard isPassing else { return }
        world.check("\(error.code)")
        // Apple's server does not come back in time.
        let other = ApplyWorld(Wanted.small())
        other.wait = world.wait
        other.apple.outage = { [unowned other] in
            other.apple.callCounts[.uploadMessage] == nil ? nil : error
        }
        #expect(try other.run()?.failure == ToolError(error))
        #expect(other.time == start + 3_600_000)
    }

    @Test("a default message that is rejected while it waits")
    func rejected() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.approves = false
        #expect(try world.run()?.isWaitingOnly == true)
        world.apple.review(.rejected)
        let report = try #require(try world.run())
        #expect(report.done.map(\.title) == ["url"])
        let plan = try world.plan()
        #expect(plan.problems.count == 5 && plan.steps.isEmpty)
    }
}
