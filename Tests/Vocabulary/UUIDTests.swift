import System
import Testing

@Suite("UUIDs")
struct UUIDTests {
    @Test(
        "are read in either case and written in lower case",
        arguments: [
            ("3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9", "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"),
            ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ]
    )
    func reading(text: String, written: String) {
        #expect(UUID(text)?.description == written)
    }

    @Test(
        "are refused in any other form",
        arguments: [
            "", "3db5c98d8acf4e29831e8e1f82f9f6e9", "{3db5c98d-8acf-4e29-831e-8e1f82f9f6e9}",
            "3db5c98d-8acf-4e29-831e-8e1f82f9f6e", "3db5c98d-8acf-4e29-831e-8e1f82f9f6e99",
            "3db5c98d-8acf-4e29-831e-8e1f82f9f6eg", "3db5c98d_8acf_4e29_831e_8e1f82f9f6e9",
            "3db5c98-d8acf-4e29-831e-8e1f82f9f6e9", "3db5c98d-8acf-4e29-831e-8e1f82f9f6é",
        ]
    )
    func refusing(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test("of version 4 are marked as such, and are new each time")
    func random() {
        let (one, other) = (UUID.random(), UUID.random())
        #expect(one != other && one.high >> 12 & 0xF == 4 && one.low >> 62 == 0b10)
    }
}
