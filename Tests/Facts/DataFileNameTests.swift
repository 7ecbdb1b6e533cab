import Facts
import Testing

@Suite("Names of data files")
struct DataFileNameTests {
    @Test(
        "have letters, digits, `-`, `_` and `.`, and end with the kind of file",
        arguments: [
            ("a.rules.json", true), ("A-1_b.c.rules.json", true), ("-a.facts", true), ("9.rules.json", true),
            (".a.rules.json", false), (".rules.json", false), ("a.rules.json.tmp", false), ("a.rules", false),
            ("a.json", false), ("a b.rules.json", false), ("é.rules.json", false), ("a/b.rules.json", false),
            ("", false), ("rules.json", false), ("a.RULES.JSON", false),
        ]
    )
    func names(name: String, isData: Bool) {
        #expect((DataFileName.kind(of: name) != nil) == isData)
    }
}
