import Cryptography
import System
import Testing

@Suite("UUIDs of names")
struct NameBasedUUIDTests {
    private static let dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

    @Test(
        "are those of RFC 9562, and of Python's uuid.uuid5",
        arguments: [
            // RFC 9562, appendix A.4.
            (dns, "www.example.com", "2ed6657d-e927-568b-95e1-2665a8aea6a2"),
            (dns, "python.org", "886313e1-3b8a-5372-9b90-0c9aee199e5d"),
            (dns, "", "4ebd0208-8328-5d69-8c44-ec50939c0967"),
            (dns, "ä😀", "2ed1d693-9842-5400-a33d-e1dfa689eabc"),
            (dns, String(repeating: "x", count: 1000), "f6d12730-a238-51ed-bf69-3689855f9bbf"),
            ("00000000-0000-0000-0000-000000000000", "a", "35b65f33-a679-5e76-af3c-273ea349ede4"),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", "a", "060edf93-465a-5b8d-ae9f-f26981b42a3d"),
        ]
    )
    func vectors(namespace: String, name: String, expected: String) throws {
        let namespace = try #require(UUID(namespace))
        #expect(UUID(namespace: namespace, name: name).description == expected)
    }
}
