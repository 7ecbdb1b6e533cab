import AppStoreSimulator
import Testing

@Suite("Answers as Apple reads them")
struct RealtimeAnswerTests {
    static let id = #""messageIdentifier":"6584BEDF-2ed0-4c01-93ed-c0c64a1670cc""#
    static let first = """
        {"encodedSignature":"s","productId":"p","nonce":"n","timestamp":1,"keyId":"k","offerIdentifier":"o"}
        """

    @Test(
        "are sound with exactly one of the four members",
        arguments: [
            "{\"message\":{\(id)}}",
            "{\"message\":{\(id),\"more\":1}}",
            "{\"alternateProduct\":{\(id),\"productId\":\"p\"}}",
            "{\"alternateProduct\":{\(id),\"productId\":\"p\",\"billingPlanType\":\"MONTHLY\"}}",
            "{\"promotionalOffer\":{\(id),\"promotionalOfferSignatureV2\":\"a.b.c\"}}",
            "{\"promotionalOffer\":{\(id),\"promotionalOfferSignatureV1\":\(first)}}",
            "{\"advancedCommerceInfo\":{\(id),\"advancedCommerceData\":\"e30=\"}}",
        ]
    )
    func sound(body: String) {
        #expect(RealtimeAnswer.flaw(in: Array(body.utf8)) == nil)
    }

    @Test(
        "are flawed in every other form",
        arguments: [
            "", "null", "[]", "{", "{}", "{\"message\":{}}", "{\"message\":null}", "{\"message\":[]}",
            "{\"message\":{\"messageIdentifier\":\"x\"}}", "{\"message\":{\"messageIdentifier\":1}}",
            "{\"message\":{\(id)},\"alternateProduct\":{\(id),\"productId\":\"p\"}}",
            "{\"message\":{\(id)},\"message\":{\(id)}}", "{\"messages\":{\(id)}}",
            "{\"alternateProduct\":{\(id)}}", "{\"alternateProduct\":{\"productId\":\"p\"}}",
            "{\"alternateProduct\":{\(id),\"productId\":\"p\",\"billingPlanType\":\"YEARLY\"}}",
            "{\"promotionalOffer\":{\(id)}}",
            "{\"promotionalOffer\":{\(id),\"promotionalOfferSignatureV2\":1}}",
            "{\"promotionalOffer\":{\(id),\"promotionalOfferSignatureV1\":{}}}",
            "{\"promotionalOffer\":{\(id),\"promotionalOfferSignatureV1\":\"s\"}}",
            """
            {"promotionalOffer":{\(id),"promotionalOfferSignatureV1":\(first),"promotionalOfferSignatureV2":"s"}}
            """,
            "{\"advancedCommerceInfo\":{\(id)}}", "{\"message\":{\(id)}} x",
        ]
    )
    func flawed(body: String) {
        #expect(RealtimeAnswer.flaw(in: Array(body.utf8)) != nil)
    }
}
