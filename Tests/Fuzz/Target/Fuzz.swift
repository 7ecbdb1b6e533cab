internal import FuzzBodies
internal import System

/// libFuzzer calls its entry point from one thread only.
nonisolated(unsafe) private let fuzzer = ProcessEnvironment.value(of: "FUZZER") ?? ""
nonisolated(unsafe) private let payloads = try? SignedPayloadsFuzz()
nonisolated(unsafe) private let notifications = try? NotificationFuzz()
nonisolated(unsafe) private let requests = try? PaddedRequestFuzz()

/// libFuzzer's entry point. The environment variable FUZZER is the name of the corpus.
@c(LLVMFuzzerTestOneInput)
package func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let buffer = unsafe UnsafeBufferPointer(start: start, count: count)
    let bytes = unsafe buffer.span
    switch unsafe fuzzer {
    case "AppStoreAnswer": fuzzAppStoreAnswer(bytes)
    case "Base64": SignedPayloadsFuzz.base64(bytes)
    case "CatalogueSource": fuzzCatalogueSource(bytes)
    case "Chain": unsafe payloads?.chain(bytes)
    case "CompactJWS": SignedPayloadsFuzz.compactJWS(bytes)
    case "Configuration": fuzzConfiguration(bytes)
    case "FactsFile": fuzzFactsFile(bytes)
    case "FactsSource": fuzzFactsSource(bytes)
    case "Framing": precondition(fuzzFraming(bytes), "the verdict depends on how the bytes arrive")
    case "JSON": fuzzJSON(bytes)
    case "Notification": NotificationFuzz.payload(bytes)
    case "NotificationBody": unsafe notifications?.body(bytes)
    case "PNG": fuzzPNG(bytes)
    case "PaddedRequest":
        let agree = unsafe requests?.agrees(on: bytes)
        precondition(agree == true, "libfcgi and the check read different requests")
    case "Payload": SignedPayloadsFuzz.payload(bytes)
    case "RequestBody": unsafe payloads?.requestBody(bytes)
    case "RulesSource": fuzzRulesSource(bytes)
    case "SignedPart": NotificationFuzz.part(bytes)
    default: preconditionFailure("FUZZER names no fuzzer")
    }
    return 0
}
