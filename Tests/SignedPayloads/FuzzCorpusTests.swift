import FuzzBodies
import SignedPayloads
import Support
import Testing

@Suite("The fuzzers' corpora")
struct FuzzCorpusTests {
    @Test("of request bodies are refused without a trap")
    func requestBodies() throws {
        let fuzzing = try SignedPayloadsFuzz()
        try FuzzCorpus.replay("RequestBody") { fuzzing.requestBody($0) }
    }

    @Test("of chains are checked without a trap")
    func chains() throws {
        let fuzzing = try SignedPayloadsFuzz()
        try FuzzCorpus.replay("Chain") { fuzzing.chain($0) }
    }

    @Test("of compact JWS, base64 and payloads are read without a trap")
    func texts() throws {
        try FuzzCorpus.replay("CompactJWS") { SignedPayloadsFuzz.compactJWS($0) }
        try FuzzCorpus.replay("Base64") { SignedPayloadsFuzz.base64($0) }
        try FuzzCorpus.replay("Payload") { SignedPayloadsFuzz.payload($0) }
    }

    @Test("of notifications and of their parts are read without a trap")
    func notifications() throws {
        let fuzzing = try NotificationFuzz()
        try FuzzCorpus.replay("NotificationBody") { fuzzing.body($0) }
        try FuzzCorpus.replay("Notification") { NotificationFuzz.payload($0) }
        try FuzzCorpus.replay("SignedPart") { NotificationFuzz.part($0) }
    }
}
