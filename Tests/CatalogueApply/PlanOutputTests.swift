import AppStoreServerAPI
@testable import Catalogue
import JSON
import Support
import System
import Testing

@Suite("The output of a plan")
struct PlanOutputTests {
    @Test("is text for a terminal")
    func text() throws {
        var catalogue = Wanted.small()
        catalogue.defaults.append(Wanted.entry("weekly", "en-US", 2))
        let message = Wanted.uuid(2, 7)
        let state = AppleState(
            messages: [
                ListedMessage(messageIdentifier: Wanted.uuid(2, 2), messageState: .rejected),
                ListedMessage(messageIdentifier: message, messageState: .approved),
            ], url: "https://old",
            ["weekly", "gone"].map {
                (.defaultSet(ProductLocale(product: $0, locale: "en-US"), message), 1_800_000_000_000)
            })
        catalogue.realtimeURL = nil
        let plan = CataloguePlan(catalogue, state)
        let text = plan.text
        #expect(
            text == [
                "Plan for com.example.app in Sandbox",
                "  + image  image0 (images/0.png, FULL_SIZE) as \(Wanted.uuid(1, 0))",
                "  + image  image1 (images/1.png, BULLET_POINT) as \(Wanted.uuid(1, 1))",
                "  + message  message0 en-US as \(Wanted.uuid(2, 0))",
                "  + message  message1 de-DE as \(Wanted.uuid(2, 1))",
                "  . wait  until Apple has approved 2 images and 2 messages",
                "  ~ default  monthly en-US: message0 (what is set is not known)",
                "  ~ default  monthly de-DE: message1 (what is set is not known)",
                "  ~ default  annual en-US: message0 (what is set is not known)",
                "  ~ default  annual de-DE: message1 (what is set is not known)",
                "  ! problem  warning: catalogue.rejected: Apple rejected the message message2 en-US; a default "
                    + "message needs it (change the content, or set \"revision\": 2 at messages.message2.en-US for a "
                    + "new identifier)",
                "Stays: 0 images, 1 message (0 of them under review), 0 default messages.",
                "  ? message \(message), APPROVED",
                "  ? url https://old, which the catalogue does not name; \"retentionctl apple api deleteURL --environment "
                    + "Sandbox\" ends that",
                "  ? default message of gone in en-US, which the catalogue does not name; \"retentionctl apple api "
                    + "deleteDefault -f productId=gone -f locale=en-US --environment Sandbox\" ends that",
                "At Apple: 2 of 2000 messages (1 not in the catalogue), 0 of 2000 images (0 not in the catalogue).",
                "Calls: 2 Upload Image, 2 Upload Message, 1 Get Image List, 1 Get Message List, 4 Configure Default "
                    + "Message; Apple's rates allow them at once.",
            ]
        )
    }

    @Test("is one JSON object")
    func json() throws {
        let plan = CataloguePlan(Wanted.small(), AppleState())
        let text = plan.json.serialized()
        let document = try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
        #expect(document.root.member("steps")?.count == 11)
        #expect(document.root.member("steps")?.element(at: 6)?.member("do")?.string == "setDefault")
        #expect(document.root.member("steps")?.element(at: 6)?.member("outcome")?.string == "planned")
        #expect(document.root.member("estimate")?.member("calls")?.count == 6)
    }

    /// Sandbox allows 360 uploads in an hour, and an hour counts as 61 minutes at most.
    @Test("says how long Apple's rates make it take")
    func duration() throws {
        let catalogue = Wanted.catalogue(messages: (0..<1000).map { Wanted.message($0) })
        let plan = CataloguePlan(catalogue, AppleState())
        let estimate = plan.estimate
        #expect(estimate.calls.map(\.count) == [1000] && estimate.calls.map(\.perHour) == [360])
        #expect((7_200_000...7_400_000).contains(estimate.milliseconds))
        #expect(estimate.text.hasPrefix("1000 Upload Message; Apple's rates make them take 2 h"))
    }

    @Test("counts one of a kind in the singular")
    func singular() throws {
        let world = ApplyWorld(
            Wanted.catalogue(
                images: [Wanted.image(0)], messages: [Wanted.message(0, images: [0])],
                defaults: [Wanted.entry("p", "en-US", 0)]))
        #expect(try world.plan().text.contains("  . wait  until Apple has approved 1 image and 1 message"))
        #expect(try world.run()?.outcomeText == ["Done: 3 steps."])
    }
}
