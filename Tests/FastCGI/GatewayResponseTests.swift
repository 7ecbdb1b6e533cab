import Support
import System
import Testing

@testable import FastCGI

@Suite("The head of an answer")
struct GatewayResponseTests {
    private func head(_ response: GatewayResponse) -> String {
        var bytes: [UInt8] = []
        response.appendHead(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("has a further field only where the answer has one")
    func furtherField() {
        var response = GatewayResponse(status: 429, contentType: "application/json", body: [1])
        let plain = "Status: 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 1\r\n"
        #expect(head(response) == plain + "Cache-Control: no-store\r\n\r\n")
        let before = response
        response.fields = [HeaderField("Retry-After", "1763830913123")]
        #expect(head(response) == plain + "Retry-After: 1763830913123\r\nCache-Control: no-store\r\n\r\n")
        #expect(before != response)
    }
}
