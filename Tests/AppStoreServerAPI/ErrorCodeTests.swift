import AppStoreServerAPI
import System
import Testing

@Suite("Apple's error codes")
struct ErrorCodeTests {
    @Test("are 61, each with a name of its own")
    func table() {
        let all = AppStoreServerAPIErrorCode.allCases
        #expect(Set(all.map(\.rawValue)).count == 61 && Set(all.map(\.name)).count == 61)
        for code in all {
            #expect(code.name.hasSuffix("Error"))
            #expect([400, 403, 404, 409, 429, 500].contains(code.status))
        }
    }

    @Test("keep a number that is unknown, and escape and cut Apple's message")
    func unknown() {
        let text = "a\u{1b}[2J" + String(repeating: "x", count: 400)
        let refusal = AppleRefusal(status: 418, errorCode: 4_189_999, errorMessage: text)
        let error = AppStoreServerAPIError.refused(refusal)
        #expect(error.code == "apple.4189999" && error.appleCode == nil)
        #expect(refusal.errorMessage == text)
        #expect(error.description.contains("error 4189999") && error.description.contains("status 418"))
        #expect(error.description.contains(#"a\u{1b}[2Jxxx"#) && error.description.hasSuffix("…"))
        #expect(!error.description.unicodeScalars.contains(where: DisplayText.isActive))
    }
}
