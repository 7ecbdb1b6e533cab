import AppStoreServerAPI
import Testing
import Vocabulary

@Suite("Apple's error codes")
struct ErrorCodeTests {
    @Test("are 61, each with a code, a name, a meaning and an advice of its own number")
    func table() {
        let all = AppStoreServerAPIErrorCode.allCases
        #expect(all.count == 61)
        #expect(Set(all.map(\.code)).count == 61)
        #expect(Set(all.map(\.name)).count == 61)
        #expect(Set(all.map(\.meaning)).count == 61)
        for code in all {
            #expect(code.code.hasPrefix("apple."))
            #expect(code.name.hasSuffix("Error"))
            #expect(code.meaning.hasSuffix(".") && code.advice.hasSuffix("."), "\(code)")
            #expect(code.advice != "Correct the request.", "\(code) has no advice of its own")
            #expect([400, 403, 404, 409, 429, 500].contains(code.status))
            #expect(AppStoreServerAPIError.refused(AppleRefusal(code)).code == code.code)
            #expect(
                AppStoreServerAPIError.refused(AppleRefusal(code)).description.contains("\(code.rawValue)")
            )
        }
    }

    @Test("keep a number that is unknown, and escape and cut Apple's message")
    func unknown() {
        let text = "a\u{1b}[2J" + String(repeating: "x", count: 400)
        let refusal = AppleRefusal(status: 418, errorCode: 4_189_999, errorMessage: text)
        let error = AppStoreServerAPIError.refused(refusal)
        #expect(error.code == "apple.other-error")
        #expect(error.appleCode == nil)
        #expect(refusal.errorMessage == text)
        #expect(error.description.contains("error 4189999") && error.description.contains("status 418"))
        #expect(error.description.contains(#"a\u{1b}[2Jxxx"#) && error.description.hasSuffix("…"))
        #expect(!error.description.unicodeScalars.contains(where: DisplayText.isActive))
    }

    @Test("keep a state that is unknown")
    func states() {
        for text in ["PENDING", "APPROVED", "REJECTED", "IN_LIMBO"] {
            #expect(ReviewState(rawValue: text).rawValue == text)
        }
        #expect(ReviewState(rawValue: "IN_LIMBO") == .other("IN_LIMBO"))
        for text in ["PENDING", "PASS", "FAIL", "PERHAPS"] {
            #expect(PerformanceTestResultResponse.Result(rawValue: text).rawValue == text)
        }
    }

    @Test(
        "of a refused token say how wrong the clock is",
        arguments: [(0, false), (30, false), (-312, true), (90, true)]
    )
    func unauthorized(lead: Int64, isTold: Bool) {
        let details = AppStoreServerAPIError.Unauthorized(
            refusal: AppleRefusal(status: 401), clockLeadSeconds: lead)
        let text = AppStoreServerAPIError.unauthorized(details).description
        #expect(text.contains("clock") == isTold)
        #expect(text.contains("\(abs(lead)) s") == isTold)
        #expect(text.contains("before the app's first release"))
    }
}
