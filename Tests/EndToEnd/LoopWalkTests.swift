import Support
import Testing

extension EndToEnd {
    /// `examples/loop --once` plays Apple's side, the pool and the recorder together, from a purchase to an offer that is
    /// capped.
    @Suite("The walk from an offer to its cap")
    struct LoopWalkTests {
        @Test("shows that an accepted offer becomes a fact, and that the fact changes the next answer")
        func walk() throws {
            let run = try ExampleWalk.run("loop", tool: Programs.tool())
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output.suffix(3000)) \(run.errors)")
            let steps = [
                "\n1. You publish messages and rules\n", "local: loaded; it serves ",
                "\n3. Two customers subscribe and stay\n", "  SUBSCRIBED.INITIAL_BUY: pro_monthly to ",
                "  DID_RENEW: pro_monthly to ", " Sandbox DID_RENEW pro_monthly ",
                "   => Your store has all 12 notifications.", "derived     2 subscribers, for ",
                "paidPeriods: 6\n", "offersAccepted: 0\n", "lastOfferAt: -\n",
                #""body":{"promotionalOffer":{"messageIdentifier":""#,
                "   => The customer sees \"Three months at half the price\".",
                "  OFFER_REDEEMED: pro_monthly to ", " for 9990, then 4990 with the offer save50_3m\n",
                "error: simulator.offer-refused: the signature was used before",
                " Sandbox OFFER_REDEEMED pro_monthly ", "derived     2 subscribers, for ",
                "offersAccepted: 1\n", #""body":{"message":{"messageIdentifier":""#,
                "   => The customer sees \"Your routes are waiting\".", "caps: too soon (offersAccepted is 1",
                "without caps: loyal_half_price: offer half_price_3m, save50_3m on pro_monthly",
                "\n9. Others are not concerned\n", #""body":{"promotionalOffer":{"messageIdentifier":""#,
                " for 4990 with the offer save50_3m, then 4990 with the offer save50_3m",
                "derived     2 subscribers, for ", "offersAccepted: 0 -> 1\n",
                "for 4990 thousandths USD offer type 2 save50_3m\n", "paidPeriods: 6 -> 7\n",
                "    offersAccepted: 1\n", "\n11. Half a year later\n",
                "caps: passes (offersAccepted is 1", "decision: TARGETING_MATCH: offer half_price_3m",
                "\nAll 11 steps did what they should.\n",
            ]
            try ExampleWalk.expect(steps, in: run.output)
        }

        @Test("ends at the first step that is wrong")
        func wrong() throws {
            let folder = try TemporaryDirectory()
            let tool = try ExampleWalk.brokenTool("publish) exit 0 ;;", in: folder)
            let run = try ExampleWalk.run("loop", tool: tool)
            #expect(run.status == 1, "\(run)")
            let text = "examples/loop: step 1 is wrong: the output does not have: local: loaded"
            #expect(run.errors.contains(text), "\(run.errors)")
        }
    }
}
